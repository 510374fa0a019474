import Agreement
import Plumbing
import RegionMonitoring
import TestSupport

/// Several nodes and a broker, at the model's own time in nanoseconds. Messages come late, twice, or not at all where a connection
/// was lost; nodes die, freeze and return; the broker loses its power and perhaps its data.
struct ModelHouse {
    static let second: Int64 = 1_000_000_000
    static let region = "keys"

    var random: SeededGenerator
    var now: Int64 = 0
    var nodes: [ModelNode]
    var retained: [String: ModelMessage] = [:]
    /// The messages that the broker has on disk.
    var saved: [String: ModelMessage] = [:]
    /// The messages with which the events began.
    var news: [HouseState.Stamp: HouseEvent.Kind] = [:]
    var wills: [(due: Int64, node: Int)] = []
    var order = 0
    var log = ModelLog()

    init(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let year = 365 * 86_400 * Self.second
        let names = ["attic", "hall", "kitchen", "porch"].prefix(Int.random(in: 1...4, using: &random))
        nodes = names.map { name in
            ModelNode(
                name: name, room: name,
                ahead: (.random(in: 0...5 * year, using: &random), .random(in: -30 * year...30 * year, using: &random)),
                house: HouseReplica(node: name, incarnation: "", regions: [Self.region]),
                plan: ObservationPlan(regions: [Self.region], incarnation: ""))
        }
        self.random = random
    }

    /// Lets time pass until `end`.
    mutating func run(until end: Int64) {
        var turns = 0
        while let next = nextDue(), next <= end {
            turns = next > now ? 0 : turns + 1
            guard turns < 1000 else { return log.complain("nothing ends at \(now)") }
            now = max(now, next)
            for index in nodes.indices { turn(index) }
            for will in wills where will.due <= now {
                say(.status(node: nodes[will.node].name, isOnline: false), by: "will")
            }
            wills.removeAll { $0.due <= now }
        }
        now = end
    }

    /// And until no word of the house is on its way any more.
    mutating func runUntilDelivered() {
        let end = now + 3 * Self.second
        while now < end, nodes.contains(where: { $0.isAlive && $0.inbox.contains { $0.message.isState } }) {
            run(until: now + Self.second / 100)
        }
    }

    private func nextDue() -> Int64? {
        (nodes.indices.compactMap { nodes[$0].nextDue() } + wills.map(\.due)).min()
    }

    /// A node does what is due: first what the broker has for it, then its timers.
    private mutating func turn(_ index: Int) {
        guard nodes[index].isAlive, !nodes[index].isFrozen else { return }
        while let first = nodes[index].inbox.first, first.due <= now {
            nodes[index].inbox.removeFirst()
            if first.session == nodes[index].session, nodes[index].isConnected { receive(first, index) }
        }
        let moment = nodes[index].moment(now)
        if nodes[index].isConnected, nodes[index].plan.nextDeadline.map({ $0 <= moment.instant }) ?? false {
            publish(nodes[index].plan.advanced(to: moment.instant), index)
        }
        if nodes[index].isConnected, nodes[index].refreshAt <= now { sayOnline(index) }
        if nodes[index].house.nextDeadline.map({ $0 <= moment.instant }) ?? false {
            act(nodes[index].house.advanced(to: moment), index)
        }
    }

    private mutating func receive(_ delivery: ModelDelivery, _ index: Int) {
        let (moment, retained) = (nodes[index].moment(now), delivery.isRetained)
        var actions: [HouseAction] = []
        switch delivery.message {
        case .status(let node, let isOnline):
            actions = nodes[index].house.statusReceived(
                node: node, isOnline: isOnline, isRetained: retained, at: moment)
        case .scanner(let node, let isScanning):
            actions = nodes[index].house.scannerReceived(
                node: node, isScanning: isScanning, isRetained: retained, at: moment)
        case .description(let node, let room):
            actions = nodes[index].house.nodeDescribed(
                node: node, room: room, regions: nil, isRetained: retained, at: moment)
        case .observation(let node, let region, let observation):
            let name = nodes[index].name
            if nodes[index].house.owner(of: region) == name { log.heard(observation, of: node, by: name) }
            actions = nodes[index].house.observationReceived(
                node: node, region: region, observation, isRetained: retained, at: moment)
        case .state(let region, let state):
            if state.isNews { nodes[index].named = state.change }
            if !retained, !state.isRestored, let kind = news[state.stamp] {
                nodes[index].seen = (state.change, kind, now)
            }
            actions = nodes[index].house.stateReceived(region: region, state, isRetained: retained, at: moment)
        case .cleared(let region):
            actions = nodes[index].house.stateReceived(region: region, nil, isRetained: retained, at: moment)
        case .event(let region, let event):
            if nodes[index].written?.kind == event.kind { nodes[index].written?.isAnnounced = true }
            actions = nodes[index].house.eventReceived(region: region, event, at: moment)
        case .forgotten(let node):
            if node == nodes[index].name { repeatTopics(index) }
            actions = nodes[index].house.forgotten(node: node, at: moment)
        }
        act(actions, index)
    }

    /// Carries out the actions of a house. A node that is killed in between does not carry out the rest.
    mutating func act(_ actions: [HouseAction], _ index: Int) {
        for action in actions {
            guard nodes[index].isAlive else { return }
            guard nodes[index].isConnected else {
                // The client keeps an event for a minute; the next owner may announce it as well.
                guard case .publishEvent(_, let event) = action else { continue }
                nodes[index].outbox.append((event, now))
                (log.wasKilledBetween, log.mayRepeat) = (true, true)
                continue
            }
            switch action {
            case .subscribe(let region):
                nodes[index].subscribed.insert(region)
                for message in retained.values.sorted(by: { $0.topic ?? "" < $1.topic ?? "" })
                where message.observationOf == region {
                    deliver(message, to: index, by: "broker", isRetained: true)
                }
            case .confirmObservation(let region) where nodes[index].plan.isInside(region): break
            case .repeatObservation(let region), .confirmObservation(let region):
                let name = nodes[index].name
                if let message = retained["node/\(name)/region/\(region)"] { say(message, by: name) }
            case .unsubscribe(let region):
                nodes[index].subscribed.remove(region)
                log.stoodDown(nodes[index].name)
            case .publishState(let region, let state):
                if !state.isRestored {
                    log.agreed(state, at: now)
                    log.wrote(nodes[index].name)
                    if state.isNews, ![nodes[index].written?.change, nodes[index].named].contains(state.change) {
                        let kind: HouseEvent.Kind = state.lastKnown == .inside ? .enter : .exit
                        nodes[index].seen = (state.change, kind, now)
                        news[state.stamp] = kind
                        nodes[index].written = (state.change, kind, now, false)
                        log.wrote(kind, at: now)
                    }
                }
                say(.state(region: region, state), by: nodes[index].name)
                if Int.random(in: 0..<40, using: &random) == 0, isKillable {
                    log.wasKilledBetween = true
                    kill(index)
                }
            case .publishEvent(let region, let event):
                if nodes[index].written?.kind == event.kind { nodes[index].written?.isAnnounced = true }
                // An owner that hangs behind its message is as dead as one that is killed.
                let hung = nodes.compactMap { node in
                    node.written.flatMap { node.isFrozen && !$0.isAnnounced ? now - $0.at : nil }
                }.max()
                if let hung {
                    log.wasKilledBetween = log.wasKilledBetween || hung > 20 * Self.second
                    log.mayRepeat = log.mayRepeat || hung > 60 * Self.second
                }
                log.happened(event, by: nodes[index].name, at: now)
                say(.event(region: region, event), by: nodes[index].name)
                act(nodes[index].house.eventReceived(region: region, event, at: nodes[index].moment(now)), index)
            case .publishOffline(let node): say(.status(node: node, isOnline: false), by: nodes[index].name)
            case .publishForgotten(let name):
                // A node that is online publishes its status again.
                let status = retained.removeValue(forKey: "node/\(name)/status")
                if let emptied = nodes.firstIndex(where: { $0.name == name }), let status {
                    nodes[emptied].emptied.append(status)
                }
                say(.forgotten(node: name), by: nodes[index].name)
            case .publishOnline: sayOnline(index)
            case .subscribeAgain: deliverRetained(to: index)
            case .repeatDescription:
                say(.description(node: nodes[index].name, room: nodes[index].room), by: nodes[index].name)
            case .publishHouse, .deleted, .happened: break
            }
        }
    }

    var isKillable = false
    var allowsForgery = false

    /// Publishes a message: the broker retains it, and delivers it to the connected subscribers.
    mutating func say(_ message: ModelMessage, by sender: String) {
        if case .cleared(let region) = message { retained["region/\(region)"] = nil }
        if let topic = message.topic { retained[topic] = message }
        for index in nodes.indices where nodes[index].isAlive && nodes[index].isConnected {
            if let region = message.observationOf, !nodes[index].subscribed.contains(region) { continue }
            deliver(message, to: index, by: sender, isRetained: false)
            // QoS 1: at least once.
            if Int.random(in: 0..<10, using: &random) == 0 {
                deliver(message, to: index, by: sender, isRetained: false)
            }
        }
    }

    mutating func deliver(_ message: ModelMessage, to index: Int, by sender: String, isRetained: Bool) {
        guard !nodes[index].isDeaf else { return }
        let isLate = Int.random(in: 0..<8, using: &random) == 0
        let delay = Int64.random(in: 1...(isLate ? 900 : 40), using: &random) * 1_000_000
        // The messages of one node keep their order, and so do those of one topic.
        let topic = message.line ?? sender
        let due = max(now + delay, nodes[index].lastDue[sender] ?? 0, nodes[index].lastDue[topic] ?? 0)
        nodes[index].lastDue[sender] = due
        nodes[index].lastDue[topic] = due
        // All of a node's topics are emptied: its next messages come behind that.
        if case .forgotten(let node) = message {
            nodes[index].lastDue[node] = max(due, nodes[index].lastDue[node] ?? 0)
        }
        order += 1
        let delivery = ModelDelivery(
            due: due, order: order, session: nodes[index].session, message: message, isRetained: isRetained)
        let place = nodes[index].inbox.firstIndex { $0.due > due } ?? nodes[index].inbox.endIndex
        nodes[index].inbox.insert(delivery, at: place)
    }

    mutating func publish(_ publications: [ObservationPlan.Publication], _ index: Int) {
        guard nodes[index].isAlive, nodes[index].isConnected, !nodes[index].isFrozen else { return }
        for publication in publications {
            log.said(publication.observation, by: nodes[index].name, at: now)
            say(
                .observation(node: nodes[index].name, region: publication.region, publication.observation),
                by: nodes[index].name)
        }
    }

    /// A node is there: live, if its adapter hears.
    mutating func isHeard(_ index: Int) {
        let name = nodes[index].name
        if nodes[index].isScanning { log.isLive(name, at: now) } else { log.wentDark(name, at: now) }
    }

    mutating func sayOnline(_ index: Int) {
        nodes[index].refreshAt = now + 300 * Self.second
        isHeard(index)
        say(.status(node: nodes[index].name, isOnline: true), by: nodes[index].name)
    }
}
