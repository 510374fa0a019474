// What is said of nodes.
extension House {
    /// A node's retained status: `online`, or `offline` by its own word, its will or another node's.
    package mutating func statusReceived(
        node name: String, isOnline: Bool, wasRetained: Bool, at now: Moment
    ) -> [HouseAction] {
        guard isConnected, var known = known(name) else { return [] }
        thaw(at: now.instant)
        let (wasLive, wasEligible) = (known.isLive(at: now.instant), known.isEligible(at: now.instant))
        let wasOnline = known.isOnline
        known.isOnline = isOnline
        if isOnline {
            if !wasOnline {
                known.onlineAt = now.instant
                known.wasFound = wasRetained
                if name != node { cameIn(name, at: now.instant) }
            }
            if !wasRetained {
                (known.statusAt, known.saidAt) = (now.instant, now.instant)
                if name == node { heardAll(at: now.instant) }
            }
        } else {
            // What it says next, it says anew.
            (known.statusAt, known.saidAt) = (nil, nil)
        }
        nodes[name] = known
        if let change = known.nextChange(after: now.instant) { scheduleNodes(change) }
        // Who was silent for too long is eligible again by a word, though nobody said that it was offline.
        let isMoved = wasOnline != isOnline || wasEligible != known.isEligible(at: now.instant)
        var actions = isMoved ? ownersFound(at: now) : []
        if wasLive != known.isLive(at: now.instant) || !isOnline { actions += sightsWeighed(of: name, at: now) }
        // Somebody took us for silent, or our will came late.
        if name == node, !isOnline, !wasRetained { actions.append(.publishOnline) }
        return actions + houseCounted(at: now)
    }

    /// Whether a node's adapter hears.
    package mutating func scannerReceived(
        node name: String, isScanning: Bool, wasRetained: Bool, at now: Moment
    ) -> [HouseAction] {
        guard isConnected, var known = known(name) else { return [] }
        thaw(at: now.instant)
        let isChanged = known.isScanning != isScanning
        known.isScanning = isScanning
        // It is said before the sights when a daemon starts: what was found of an earlier one does not count for it.
        nodes[name] = known
        if let change = known.nextChange(after: now.instant) { scheduleNodes(change) }
        return isChanged || !isScanning ? sightsWeighed(of: name, at: now) : []
    }

    /// A node's room and the regions it watches.
    ///
    /// - Parameter regions: nil: all that there are.
    package mutating func nodeDescribed(
        node name: String, room: String?, regions watched: Set<String>?, at now: Moment
    ) -> [HouseAction] {
        guard var known = known(name) else { return [] }
        let old = known.regions
        known.room = room.flatMap { Self.isName($0) ? $0 : nil }
        known.regions = watched.map { watched in watched.filter { positions[$0] != nil } }
        if known.regions?.count == positions.count { known.regions = nil }
        nodes[name] = known
        guard isConnected, old != known.regions else { return [] }
        redescribed.insert(name)
        return ownersFound(at: now)
    }

    /// Somebody said that a node is no more, or its topics were emptied.
    package mutating func forgotten(node name: String, at now: Moment) -> [HouseAction] {
        guard isConnected, name != node else { return [] }
        let wasAbsent = silence.absent.remove(name) != nil
        guard nodes[name] != nil || wasAbsent || isWaited(for: name) else { return [] }
        nodes[name] = nil
        for index in regions.indices {
            if regions[index].desk == nil { regions[index].forget(name) }
            regions[index].desk?.forget(name, at: now.instant)
        }
        var actions = ownersFound(at: now)
        for index in regions.indices { actions += regionJudged(index, at: now) }
        return actions + houseCounted(at: now)
    }

    /// Whether the house waits for a node, though the broker may know no more of it.
    package func isWaited(for name: String) -> Bool {
        regions.contains { $0.desk?.waiting[name] != nil || $0.written?.waiting.contains(name) ?? false }
    }

    /// The node of this name, a new one if there is room for it.
    private func known(_ name: String) -> HouseNode? {
        if let known = nodes[name] { return known }
        return Self.isName(name) && nodes.count < Self.nodeLimit ? HouseNode() : nil
    }

    mutating func scheduleNodes(_ instant: Int64) {
        nodesDue = min(nodesDue ?? instant, instant)
        schedule(instant)
    }

    /// The time has come at which a node is eligible, stale or silent.
    mutating func nodesJudged(at now: Moment) -> [HouseAction] {
        nodesDue = nodes.values.compactMap { $0.nextChange(after: now.instant) }.min()
        if now.instant < speaksAt { scheduleNodes(speaksAt) }
        var actions = ownersFound(at: now)
        for name in nodes.keys.sorted() {
            guard let known = nodes[name], known.isOnline, !known.isLive(at: now.instant) else { continue }
            actions += sightsWeighed(of: name, at: now)
            guard ownsHub, now.instant >= speaksAt, name != node, known.isSilent(at: now.instant) else { continue }
            nodes[name]?.isOnline = false
            actions.append(.publishOffline(node: name))
        }
        return actions + houseCounted(at: now)
    }

    /// The hub's owner says how many there are.
    func online(among nodes: [String: HouseNode], at now: Int64) -> Int {
        nodes.values.count { $0.isOnline && !$0.isSilent(at: now) }
    }

    mutating func houseCounted(at now: Moment) -> [HouseAction] {
        guard ownsHub, now.instant >= speaksAt else { return [] }
        let count = online(among: nodes, at: now.instant)
        guard writtenOnline != count else { return [] }
        writtenOnline = count
        return [.publishHouse(online: count)]
    }
}
