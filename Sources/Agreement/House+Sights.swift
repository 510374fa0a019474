// What nodes say of regions that are owned here.
extension House {
    /// A node's sight of a region.
    package mutating func sightReceived(
        node name: String, region: String, _ sight: Sight, wasRetained: Bool, at now: Moment
    ) -> [HouseAction] {
        guard isConnected, let index = positions[region], regions[index].desk != nil,
            Self.isName(sight.incarnation)
        else { return [] }
        thaw(at: now.instant)
        let actions = sightTaken(sight, of: name, in: index, wasRetained: wasRetained, at: now)
        guard name == node, !wasRetained, let instant = regions[index].desk?.listensUntil else { return actions }
        // Our own sight came back: so did all that the broker keeps of the others.
        regions[index].desk?.listensUntil = nil
        regions[index].desk?.speaksAt = instant
        return actions + regionJudged(index, at: now)
    }

    private mutating func sightTaken(
        _ sight: Sight, of name: String, in index: Int, wasRetained: Bool, at now: Moment
    ) -> [HouseAction] {
        if nodes[name] == nil {
            guard Self.isName(name), nodes.count < Self.nodeLimit else { return [] }
            nodes[name] = HouseNode()
        }
        // Doubled, or late: an earlier word of this daemon, or the word of an earlier one.
        if let known = regions[index].desk?.entries[name]?.sight, known.incarnation == sight.incarnation,
            sight.sequence <= known.sequence
        {
            return []
        }
        guard nodes[name]?.speaks(as: sight.incarnation) ?? false else { return [] }
        let wasLive = nodes[name]?.isLive(at: now.instant) ?? false
        if !wasRetained, nodes[name]?.isOnline ?? false { nodes[name]?.saidAt = now.instant }
        var entry = HouseRegion.Desk.Entry(sight: sight.sound, cameAt: now.instant, wasSaid: !wasRetained)
        if let before = regions[index].desk?.entries[name] {
            entry.weight = before.weight
            entry.wasInside = sight.state == .unknown && before.isInsideLast && !before.isOverruled
            let hasLeft = entry.sight.state == .outside && before.sight.state != .outside
            if hasLeft, !wasRetained { regions[index].desk?.sawLeaving = true }
        } else {
            entry.wasInside = sight.state == .unknown && mayHaveBeenInside(name, in: index)
        }
        regions[index].desk?.entries[name] = entry
        var actions: [HouseAction] = []
        if !wasLive, nodes[name]?.isLive(at: now.instant) ?? false {
            if let change = nodes[name]?.nextChange(after: now.instant) { scheduleNodes(change) }
            actions += sightsWeighed(of: name, except: index, at: now)
        }
        weigh(name, in: index, at: now.instant)
        return actions + regionJudged(index, at: now)
    }

    /// Whether a node that does not know now may be the one that was inside, by what the owner before us wrote: its earlier
    /// word is gone, for the broker keeps the last one only.
    private func mayHaveBeenInside(_ name: String, in index: Int) -> Bool {
        guard let desk = regions[index].desk else { return false }
        let before = regions[index].known
        return desk.waiting[name] != nil || desk.writtenAt == nil && before?.lastKnown == .inside
    }

    /// A node's sight was removed: its topic was emptied, the region is not its any more.
    package mutating func sightRemoved(node name: String, region: String, at now: Moment) -> [HouseAction] {
        guard isConnected, let index = positions[region], regions[index].desk?.entries[name] != nil else { return [] }
        regions[index].desk?.forget(name, at: now.instant)
        return regionJudged(index, at: now)
    }

    /// A node is live, or is so no more: what that does to its sights.
    mutating func sightsWeighed(of name: String, except: Int? = nil, at now: Moment) -> [HouseAction] {
        var actions: [HouseAction] = []
        for index in regions.indices where index != except && regions[index].desk?.entries[name] != nil {
            weigh(name, in: index, at: now.instant)
            actions += regionJudged(index, at: now)
        }
        return actions
    }

    /// What a node's sight says for the house now.
    mutating func weigh(_ name: String, in index: Int, at now: Int64) {
        guard let known = nodes[name], let entry = regions[index].desk?.entries[name] else { return }
        let state = entry.sight.state
        // What an earlier daemon of the node said of this region does not count for the one that lives.
        if known.isLive(at: now), entry.sight.incarnation == known.incarnation {
            regions[index].desk?.weigh(name, as: .said(state))
            hear(name, known, entry.sight, in: index, at: now)
            return
        }
        switch state {
        case .outside:
            regions[index].desk?.weigh(name, as: .nothing)
            regions[index].desk?.waiting[name] = nil
        case .unknown:
            let mayLive = known.isUnheard(at: now, since: entry.cameAt, for: HouseNode.foundValidity)
            regions[index].desk?.weigh(name, as: mayLive ? .said(.unknown) : .nothing)
            if mayLive {
                weighAgain(index, at: entry.cameAt.later(by: HouseNode.foundValidity))
            } else {
                wait(for: name, in: index, at: now)
            }
        case .inside:
            let mayLive = known.isUnheard(at: now, since: entry.cameAt, for: HouseRegion.Desk.pendingFor)
            regions[index].desk?.weigh(name, as: mayLive ? .pending : .nothing)
            if mayLive {
                // A new owner would tell the room of whoever speaks first.
                rank(name, known, entry.sight, in: index, at: now)
                weighAgain(index, at: entry.cameAt.later(by: HouseRegion.Desk.pendingFor))
            } else {
                if isNearestAsTold(known, entry, in: index) { rank(name, known, entry.sight, in: index, at: now) }
                wait(for: name, in: index, at: now)
            }
        }
        regions[index].desk?.rooms.lost(name, at: now)
    }

    /// Whether the owner before us told the room of a node that is dark: a beacon does not move because a node dies, and we take
    /// its last word for what it would have been worth to that owner.
    private func isNearestAsTold(_ known: HouseNode, _ entry: HouseRegion.Desk.Entry, in index: Int) -> Bool {
        guard regions[index].desk?.writtenAt == nil, !entry.isOverruled, let room = known.room else { return false }
        return regions[index].known?.room == room
    }

    /// A live node's sight: if it is inside, it tells the room, and nobody is waited for any more.
    private mutating func hear(_ name: String, _ known: HouseNode, _ sight: Sight, in index: Int, at now: Int64) {
        switch sight.state {
        case .inside:
            regions[index].desk?.overrule(by: name)
            rank(name, known, sight, in: index, at: now)
        case .outside:
            regions[index].desk?.waiting[name] = nil
            regions[index].desk?.rooms.forgot(name, at: now)
        case .unknown:
            // It was inside before it was: it is waited for, so that the next owner knows, too, should it die.
            wait(for: name, in: index, at: now)
            regions[index].desk?.rooms.forgot(name, at: now)
        }
    }

    /// What a sight says of the room.
    private mutating func rank(_ name: String, _ known: HouseNode, _ sight: Sight, in index: Int, at now: Int64) {
        guard let room = known.room else { return }
        regions[index].desk?.rooms.heard(by: name, in: room, signal: sight.signal, spread: sight.spread, at: now)
    }

    /// The node was inside last and cannot say so now, and nobody heard the beacon since.
    private mutating func wait(for name: String, in index: Int, at now: Int64) {
        guard let desk = regions[index].desk, let entry = desk.entries[name], entry.isInsideLast, !entry.isOverruled,
            desk.waiting[name] == nil
        else { return }
        regions[index].desk?.waiting[name] = now
        weighAgain(index, at: now.later(by: HouseRegion.Desk.waitingFor))
    }

    mutating func weighAgain(_ index: Int, at instant: Int64) {
        guard let desk = regions[index].desk else { return }
        let due = min(desk.due ?? instant, instant)
        regions[index].desk?.weighAt = min(desk.weighAt ?? instant, instant)
        regions[index].desk?.due = due
        schedule(due)
    }
}

extension Sight {
    /// Without numbers that are none: what anybody may write into a topic.
    fileprivate var sound: Sight {
        var sound = self
        sound.signal = signal.flatMap { $0.isFinite && (-127...20).contains($0) ? $0 : nil }
        sound.spread = spread.flatMap { $0.isFinite ? min(max($0, 0), 40) : nil }
        sound.age = age.flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
        return sound
    }
}
