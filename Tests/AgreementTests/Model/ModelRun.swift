import Agreement
import RegionMonitoring
import TestSupport

/// One story of a house.
enum ModelRun {
    /// Returns the failures in the story of this number.
    static func failures(seed: UInt64) -> [String] {
        var house = ModelHouse(seed: seed)
        var frozen: [Int: Int64] = [:]
        house.isKillable = house.chance(3)
        house.allowsForgery = house.chance(4)
        for index in house.nodes.indices where !house.chance(4) { house.start(index) }
        for _ in 0..<Int.random(in: 5...40, using: &house.random) {
            house.run(until: house.now + house.pause())
            if house.chance(10) { house.saved = house.retained }
            happen(&house, &frozen)
        }
        // In the end all connections hold, and everything is delivered.
        house.isKillable = false
        for index in house.nodes.indices where house.nodes[index].isDeaf {
            house.nodes[index].isDeaf = false
            house.disconnect(index, hasWill: false)
        }
        for (index, since) in frozen.sorted(by: { $0.key < $1.key }) { house.thaw(index, after: house.now - since) }
        for index in house.nodes.indices { house.connect(index) }
        let hasGhost = house.hasGhost
        house.run(until: house.now + 60 * ModelHouse.second)
        house.runUntilDelivered()
        let soon = hasGhost ? [] : house.disagreements(isLate: false)
        // The owner after a ghost begins 330 seconds later, and an outside that it finds counts with its next refresh.
        house.run(until: house.now + (hasGhost ? 640 : 340) * ModelHouse.second)
        house.runUntilDelivered()
        return house.log.complaints + soon + house.disagreements(isLate: true)
    }

    private static func happen(_ house: inout ModelHouse, _ frozen: inout [Int: Int64]) {
        let index = Int.random(in: house.nodes.indices, using: &house.random)
        switch Int.random(in: 0..<46, using: &house.random) {
        case 0..<10: house.determine(index, .inside)
        case 10..<18: house.determine(index, .outside)
        case 18..<20: house.determine(index, .unknown)
        case 20..<24: house.kill(index)
        case 24..<29: house.start(index)
        case 29: house.forget(index)
        case 30..<32: house.disconnect(index)
        case 32..<35: house.connect(index)
        case 35: house.setScanning(index, !house.nodes[index].isScanning)
        case 36..<38:
            if let since = frozen.removeValue(forKey: index) {
                house.thaw(index, after: house.now - since)
            } else {
                house.freeze(index)
                frozen[index] = house.now
            }
        case 38: house.restartBroker(house.chance(2) ? .kept : .saved)
        case 39: house.stopBroker()
        case 40: house.displace(index)
        case 41: if house.allowsForgery { house.forge() }
        case 42: if house.chance(2) { house.empty() } else { house.emptyNode(index) }
        case 43:
            // For some seconds the owner alone has no connection.
            house.disconnect(index, hasWill: false)
            house.run(until: house.now + .random(in: 1...8, using: &house.random) * ModelHouse.second)
            house.connect(index)
        case 44:
            house.disconnect(index, hasWill: false)
            house.nodes[index].isDeaf = house.nodes.count > 1 && house.chance(3)
            house.connect(index)
        default: if house.chance(3) { house.restartBroker(.lost) }
        }
    }
}

extension ModelHouse {
    mutating func chance(_ of: Int) -> Bool { Int.random(in: 0..<of, using: &random) == 0 }

    /// Whether a dead node is online by its retained status, because a power cut came before its last will: the others
    /// cannot detect that before a refresh of five minutes is missing.
    var hasGhost: Bool {
        nodes.contains { !$0.isAlive && retained["node/\($0.name)/status"] == .status(node: $0.name, isOnline: true) }
    }

    /// Mostly some seconds, now and then less than a message takes, or minutes.
    mutating func pause() -> Int64 {
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<3: .random(in: 0...1000, using: &random) * 1_000_000
        case 3..<9: .random(in: 0...20, using: &random) * Self.second
        default: .random(in: 0...400, using: &random) * Self.second
        }
    }

    /// Returns the nodes' contradictions in the end, and states that are not permitted.
    ///
    /// - Parameter isLate: Whether all nodes have refreshed everything: a retained observation counts only then, and
    ///   outside is refreshed every five minutes.
    func disagreements(isLate: Bool) -> [String] {
        let live = nodes.filter(\.isAlive)
        guard let first = live.first else { return [] }
        let region = Self.region
        var found: [String] = []
        for node in live {
            let (mine, theirs) = (node.house.state(of: region), first.house.state(of: region))
            if mine?.state != theirs?.state || mine?.room != theirs?.room || mine?.waiting != theirs?.waiting {
                found.append("\(node.name) has \(mine as Any), \(first.name) \(theirs as Any)")
            }
            if node.house.owner(of: region) != first.house.owner(of: region) {
                found.append("\(node.name) takes \(node.house.owner(of: region) ?? "no node") for the owner")
            }
        }
        let permitted = log.permitted(live: live.filter(\.isScanning).map(\.name))
        let state = first.house.state(of: region)?.state
        // A region that was inside is not left before an owner has received a node's observation: unknown rather than
        // wrong.
        let isKept = state == .unknown && first.house.state(of: region)?.lastKnown == .inside
        let isEarly = !isLate && state == .unknown && permitted.contains(.outside)
        if !permitted.contains(state ?? .unknown), !isEarly, !isKept || permitted == [.inside] {
            found.append("the house is \(state as Any), and may be \(permitted.map(\.rawValue).sorted())")
        }
        // An event is lost without failure if no node lives that received its message, if its owner had no connection for two
        // minutes, or if an exit was revoked because the beacon is here.
        if isLate, log.isUndisturbed, !log.mayRepeat, let state = first.house.state(of: region) {
            let kind: HouseEvent.Kind = state.lastKnown == .inside ? .enter : .exit
            let isSeen = live.contains { $0.seen.map { $0.change == state.change && $0.kind == kind } ?? false }
            let messages = live.map { $0.house.state(of: region) } + [retained["region/\(region)"]?.state]
            if isSeen, messages.contains(where: { $0?.isNews ?? false }) {
                found.append("change \(state.change) is still to be announced")
            }
            if isSeen, log.lastEvent != kind {
                found.append("the last event is \(log.lastEvent as Any), and the house \(state)")
            }
        }
        return found
    }
}
