import Agreement
import Plumbing
import RegionMonitoring

// What happens to nodes and broker.
extension ModelHouse {
    enum BrokerData { case kept, saved, lost }

    mutating func start(_ index: Int) {
        guard !nodes[index].isAlive else { return }
        log.cameOrWent()
        nodes[index].isAlive = true
        nodes[index].isFrozen = false
        nodes[index].incarnations += 1
        nodes[index].isScanning = true
        let incarnation = "\(nodes[index].name)-\(nodes[index].incarnations)"
        nodes[index].house = HouseReplica(node: nodes[index].name, incarnation: incarnation, regions: [Self.region])
        nodes[index].plan = ObservationPlan(regions: [Self.region], incarnation: incarnation)
        connect(index)
    }

    /// A session begins: the broker sends its retained messages, the node publishes everything, and last that it is online.
    mutating func connect(_ index: Int) {
        guard nodes[index].isAlive, !nodes[index].isFrozen, !nodes[index].isConnected else { return }
        nodes[index].isConnected = true
        nodes[index].session += 1
        nodes[index].subscribed = []
        nodes[index].inbox = []
        nodes[index].lastDue = [:]
        wills.removeAll { $0.node == index }
        // Without a connection an event is kept for a minute.
        if now - nodes[index].lostAt > 60 * Self.second { nodes[index].seen = nil }
        let moment = nodes[index].moment(now)
        deliverRetained(to: index)
        act(nodes[index].house.connected(at: moment), index)
        say(.scanner(node: nodes[index].name, isScanning: nodes[index].isScanning), by: nodes[index].name)
        publish(nodes[index].plan.connected(at: moment.instant), index)
        say(.description(node: nodes[index].name, room: nodes[index].room), by: nodes[index].name)
        for waiting in nodes[index].outbox where now - waiting.at <= 60 * Self.second {
            log.happened(waiting.event, by: nodes[index].name, at: now)
            say(.event(region: Self.region, waiting.event), by: nodes[index].name)
        }
        nodes[index].outbox = []
        nodes[index].refreshAt = .max
    }

    /// The broker delivers what it retains of the topics that every node subscribes to.
    mutating func deliverRetained(to index: Int) {
        for message in retained.values.sorted(by: { $0.topic ?? "" < $1.topic ?? "" })
        where message.observationOf == nil {
            deliver(message, to: index, by: "broker", isRetained: true)
        }
    }

    /// The connection is lost; unless it is back in time, or the broker is gone, too, its will is done.
    mutating func disconnect(_ index: Int, hasWill: Bool = true) {
        guard nodes[index].isConnected else { return }
        nodes[index].isConnected = false
        nodes[index].lostAt = now
        nodes[index].inbox = []
        _ = nodes[index].house.disconnected(at: nodes[index].moment(now))
        log.stoodDown(nodes[index].name)
        if hasWill {
            log.cameOrWent()
            wills.append((now + .random(in: 0...12, using: &random) * Self.second, index))
        }
        log.wentDark(nodes[index].name, at: now)
    }

    mutating func kill(_ index: Int) {
        guard nodes[index].isAlive else { return }
        disconnect(index)
        stopped(index)
        nodes[index].isAlive = false
        log.cameOrWent()
    }

    /// A daemon without a connection stops, perhaps between a message and its event.
    private mutating func stopped(_ index: Int) {
        if nodes[index].written?.isAnnounced == false { log.wasKilledBetween = true }
        (nodes[index].outbox, nodes[index].written, nodes[index].named, nodes[index].seen) = ([], nil, nil, nil)
    }

    mutating func freeze(_ index: Int) {
        guard nodes[index].isAlive, !nodes[index].isFrozen else { return }
        nodes[index].isFrozen = true
        // The broker hears nothing for one and a half keepalives.
        let cut = now + 45 * Self.second / 2
        if nodes[index].isConnected { wills.append((cut + .random(in: 0...12, using: &random) * Self.second, index)) }
        log.wentDark(nodes[index].name, at: now)
    }

    /// Within the keepalive the other nodes noticed nothing; later the connection is gone.
    mutating func thaw(_ index: Int, after frozen: Int64) {
        guard nodes[index].isFrozen else { return }
        nodes[index].isFrozen = false
        guard nodes[index].isAlive else { return }
        if frozen > 16 * Self.second {
            disconnect(index, hasWill: false)
            connect(index)
        } else if nodes[index].isConnected {
            wills.removeAll { $0.node == index }
            isHeard(index)
        }
    }

    mutating func determine(_ index: Int, _ state: RegionState) {
        guard nodes[index].isAlive, !nodes[index].isFrozen, nodes[index].isScanning || state == .unknown else { return }
        let instant = nodes[index].moment(now).instant
        var publications = nodes[index].plan.determined(Self.region, state, at: instant)
        if state == .inside {
            publications += nodes[index].plan.heard(
                Self.region, rssi: .random(in: -90 ... -40, using: &random), at: instant)
        }
        publish(publications, index)
    }

    mutating func setScanning(_ index: Int, _ isScanning: Bool) {
        guard nodes[index].isAlive, !nodes[index].isFrozen, nodes[index].isScanning != isScanning else { return }
        nodes[index].isScanning = isScanning
        guard nodes[index].isConnected else { return }
        isHeard(index)
        say(.scanner(node: nodes[index].name, isScanning: isScanning), by: nodes[index].name)
        if isScanning { determine(index, .unknown) }
    }

    /// A user has one of the others forget a dead node.
    mutating func forget(_ index: Int) {
        let name = nodes[index].name
        let asked = nodes.indices.first { other in
            let node = nodes[other]
            return node.isConnected && !node.isFrozen && !node.house.online(at: node.moment(now).instant).contains(name)
        }
        guard !nodes[index].isAlive, let asked else { return }
        retained = retained.filter { !$0.key.hasPrefix("node/\(name)/") }
        wills.removeAll { $0.node == index }
        log.forgot(name)
        say(.forgotten(node: name), by: nodes[asked].name)
        act(nodes[asked].house.forgotten(node: name, at: nodes[asked].moment(now)), asked)
    }

    /// The broker is back after a power cut, in which no will was done: with its data, with those that it saved last, or without.
    mutating func restartBroker(_ data: BrokerData) {
        // A node that was away may have less than the broker had, and be the next owner.
        let isRemembered = nodes.allSatisfy { node in
            !node.isAlive || !node.isFrozen && node.house.state(of: Self.region) != nil
        }
        for index in nodes.indices { disconnect(index, hasWill: false) }
        wills = []
        switch data {
        case .kept: break
        case .saved:
            retained = saved
            log.lostSome(isRemembered: isRemembered && nodes.contains(where: \.isAlive))
        case .lost:
            retained = [:]
            log.wasWiped = true
        }
        for index in nodes.indices where !nodes[index].isFrozen { connect(index) }
    }

    /// The broker is stopped and started again: it publishes the last wills of its clients, and saves everything.
    mutating func stopBroker() {
        let gone = nodes.indices.filter { nodes[$0].isConnected }
        for index in gone { say(.status(node: nodes[index].name, isOnline: false), by: "will") }
        run(until: now + .random(in: 0...2, using: &random) * Self.second / 2)
        for index in gone { disconnect(index, hasWill: false) }
        wills = []
        run(until: now + .random(in: 1...3, using: &random) * Self.second)
        for index in gone where nodes[index].isAlive && !nodes[index].isFrozen { connect(index) }
    }

    /// A second daemon with the node's name connects for some seconds. The first one is back afterwards.
    mutating func displace(_ index: Int) {
        guard nodes[index].isAlive, !nodes[index].isFrozen, nodes[index].isConnected else { return }
        let first = nodes[index]
        disconnect(index, hasWill: false)
        stopped(index)
        say(.status(node: nodes[index].name, isOnline: false), by: "will")
        nodes[index].isAlive = false
        start(index)
        determine(index, .outside)
        run(until: now + .random(in: 1...12, using: &random) * Self.second)
        guard nodes[index].isAlive, !nodes[index].isFrozen else { return }
        disconnect(index, hasWill: false)
        say(.status(node: nodes[index].name, isOnline: false), by: "will")
        stopped(index)
        (nodes[index].house, nodes[index].plan, nodes[index].outbox) = (first.house, first.plan, first.outbox)
        (nodes[index].written, nodes[index].named, nodes[index].seen) = (first.written, first.named, first.seen)
        connect(index)
    }

    /// Another client publishes a state in the region's topic.
    mutating func forge() {
        guard case .state(let region, let known)? = retained["region/\(Self.region)"] else { return }
        log.wasForged = true
        let state = RegionState.allCases.randomElement(using: &random) ?? .unknown
        let sequences: [UInt64] = [known.stamp.sequence + 1, 1 << 53, 0]
        let sequence = sequences.randomElement(using: &random) ?? 0
        let forged = HouseState(
            state: state, since: nil, change: known.change + UInt64(Int.random(in: 0...1, using: &random)),
            isNews: chance(2), stamp: .init(sequence: sequence, writer: 99))
        say(.state(region: region, forged), by: "forger")
    }

    /// Another client empties the topics of a node that is online.
    mutating func emptyNode(_ index: Int) {
        guard nodes[index].isConnected, !nodes[index].isFrozen else { return }
        let prefix = "node/\(nodes[index].name)/"
        if case .status(_, isOnline: true) = retained[prefix + "status"] {} else { log.wasWiped = true }
        nodes[index].emptied = retained.filter { $0.key.hasPrefix(prefix) }.sorted { $0.key < $1.key }.map(\.value)
        retained = retained.filter { !$0.key.hasPrefix(prefix) }
        say(.forgotten(node: nodes[index].name), by: "forger")
        run(until: now + 2 * Self.second)
        if retained[prefix + "status"] == nil { log.wasWiped = true }
    }

    /// A node publishes its own topics again.
    mutating func repeatTopics(_ index: Int) {
        let messages = nodes[index].emptied
        nodes[index].emptied = []
        for message in messages where message.topic.map({ retained[$0] == nil }) ?? false {
            say(message, by: nodes[index].name)
        }
    }

    /// Another client empties the topic of the region.
    mutating func empty() {
        // Only a node that is there publishes it again.
        if !nodes.contains(where: { $0.isConnected && !$0.isFrozen && $0.house.state(of: Self.region) != nil }) {
            log.wasWiped = true
        }
        say(.cleared(region: Self.region), by: "forger")
        run(until: now + 2 * Self.second)
        if retained["region/\(Self.region)"] == nil { log.wasWiped = true }
    }
}
