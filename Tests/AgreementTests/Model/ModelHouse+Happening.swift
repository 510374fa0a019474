import Agreement

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
        nodes[index].house = House(node: nodes[index].name, incarnation: incarnation, regions: [Self.region])
        nodes[index].plan = SightPlan(regions: [Self.region], incarnation: incarnation)
        connect(index)
    }

    /// A session begins: the broker sends what it keeps, the node says everything, and last that it is online.
    mutating func connect(_ index: Int) {
        guard nodes[index].isAlive, !nodes[index].isFrozen, !nodes[index].isConnected else { return }
        nodes[index].isConnected = true
        nodes[index].session += 1
        nodes[index].subscribed = []
        nodes[index].inbox = []
        nodes[index].lastDue = [:]
        wills.removeAll { $0.node == index }
        let moment = nodes[index].moment(now)
        for message in retained.values.sorted(by: { $0.topic ?? "" < $1.topic ?? "" }) where message.sightOf == nil {
            deliver(message, to: index, by: "broker", wasRetained: true)
        }
        act(nodes[index].house.connected(at: moment), index)
        say(.description(node: nodes[index].name, room: nodes[index].room), by: nodes[index].name)
        say(.scanner(node: nodes[index].name, isScanning: nodes[index].isScanning), by: nodes[index].name)
        publish(nodes[index].plan.connected(at: moment.instant), index)
        sayOnline(index)
    }

    /// The connection is lost; unless it is back in time, or the broker is gone, too, its will is done.
    mutating func disconnect(_ index: Int, hasWill: Bool = true) {
        guard nodes[index].isConnected else { return }
        nodes[index].isConnected = false
        nodes[index].inbox = []
        _ = nodes[index].house.disconnected(at: nodes[index].moment(now))
        if hasWill { wills.append((now + .random(in: 0...12, using: &random) * Self.second, index)) }
        log.wentDark(nodes[index].name, at: now)
    }

    mutating func kill(_ index: Int) {
        guard nodes[index].isAlive else { return }
        disconnect(index)
        nodes[index].isAlive = false
        log.cameOrWent()
    }

    mutating func freeze(_ index: Int) {
        guard nodes[index].isAlive, !nodes[index].isFrozen else { return }
        nodes[index].isFrozen = true
        // The broker hears nothing for one and a half keepalives.
        let cut = now + 45 * Self.second / 2
        if nodes[index].isConnected { wills.append((cut + .random(in: 0...12, using: &random) * Self.second, index)) }
        log.wentDark(nodes[index].name, at: now)
    }

    /// Within its keepalive nobody noticed; later its connection is gone.
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

    mutating func determine(_ index: Int, _ state: SightState) {
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

    /// Somebody asks one of the others to forget a dead node.
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
        // Who was not there may know less than the broker did, and be the next owner.
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
}
