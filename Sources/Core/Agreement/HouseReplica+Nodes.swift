package import Plumbing

extension HouseReplica {
    /// Handles a node's retained status: `online`, or `offline` by its own message, its last will or the hub's owner.
    package mutating func statusReceived(
        node name: String, isOnline: Bool, isRetained: Bool, at now: Moment
    ) -> [HouseAction] {
        guard isConnected else { return [] }
        let due = advanced(to: now)
        guard var known = known(name) else { return due }
        let (wasPresent, wasEligible) = (known.isPresent(at: now.instant), known.isEligible(at: now.instant))
        if !isRetained { known.emptiedAt = nil }
        switch (isOnline, known.status) {
        case (false, .offline): break
        case (false, _): known.status = .offline(since: now.instant)
        case (true, .offline):
            known.status =
                isRetained
                ? .found(at: now.instant)
                : .online(settlesAt: now.instant.addingClamped(HouseNode.settling), refreshedAt: now.instant)
            if name != node { arrived(name, at: now.instant) }
        case (true, .found) where !isRetained:
            known.status = .online(settlesAt: .min, refreshedAt: now.instant)
        case (true, .online(let settlesAt, _)) where !isRetained:
            known.status = .online(settlesAt: settlesAt, refreshedAt: now.instant)
        case (true, _): break
        }
        nodes[name] = known
        forgotten[name] = nil
        if let change = known.nextChange(after: now.instant) { scheduleNodes(change) }
        // A silent node is present again by a refresh, though no message made it offline.
        let isMoved = wasPresent != known.isPresent(at: now.instant)
        var actions = due
        actions += isMoved || wasEligible != known.isEligible(at: now.instant) ? ownersDetermined(at: now) : []
        if isMoved { actions += nodeChanged(name, at: now) }
        // Another node took this one for silent, or its last will came late.
        if name == node, !isOnline, !isRetained, isReadable { actions.append(.publishOnline) }
        return actions + nodesCounted(at: now)
    }

    /// Handles whether a node's scanner runs.
    package mutating func scannerReceived(
        node name: String, isScanning: Bool, isRetained: Bool, at now: Moment
    ) -> [HouseAction] {
        guard isConnected else { return [] }
        let due = advanced(to: now)
        guard var known = known(name), known.isScanning != isScanning else { return due }
        known.isScanning = isScanning
        nodes[name] = known
        return due + nodeChanged(name, at: now)
    }

    /// Handles a node's description.
    ///
    /// - Parameters:
    ///   - watched: the regions that the node watches; `nil` for all.
    ///   - announces: whether the node publishes for Home Assistant.
    package mutating func nodeDescribed(
        node name: String, room: String?, regions watched: Set<String>?, announces: Bool = true,
        isRetained: Bool = true,
        at now: Moment
    ) -> [HouseAction] {
        var actions = isConnected ? advanced(to: now) : []
        guard var known = known(name) else { return actions }
        let (oldRegions, oldAnnounces) = (known.regions, known.announces)
        known.room = room.flatMap { Self.isName($0) ? $0 : nil }
        known.regions = watched.map { watched in watched.filter { positions[$0] != nil } }
        if known.regions?.count == positions.count { known.regions = nil }
        known.announces = announces
        nodes[name] = known
        guard isConnected else { return [] }
        if name == node, !isRetained { actions += ownReceived(at: now) }
        if oldRegions != known.regions || oldAnnounces != announces {
            redescribed.insert(name)
            actions += ownersDetermined(at: now)
            actions += unwatched(by: name, oldRegions, known.regions, at: now)
        }
        return actions
    }

    /// Handles that a node was deleted by a command, or its topics were emptied.
    ///
    /// - Returns: nothing for a node that is present: it publishes its topics again, or is deleted after ten seconds.
    package mutating func forgotten(node name: String, at now: Moment) -> [HouseAction] {
        guard isConnected, name != node else { return [] }
        let due = advanced(to: now)
        guard var known = nodes[name], known.isPresent(at: now.instant) else {
            return due + deleted(name, isLate: false, at: now)
        }
        known.emptiedAt = known.emptiedAt ?? now.instant
        nodes[name] = known
        scheduleNodes(now.instant.addingClamped(HouseNode.repetition))
        return due
    }

    /// - Parameter isLate: whether it happens ten seconds after the topics were emptied. A region's message that this node does not
    ///   write may be newer by then, so it stays as it is.
    private mutating func deleted(_ name: String, isLate: Bool, at now: Moment) -> [HouseAction] {
        let wasAbsent = absence.nodes[name] != nil
        absence.returned(name)
        if let end = settlingEnd { schedule(end) }
        // This node may not know it yet, and receive a message that waits for it.
        if forgotten[name] == nil, forgotten.count < Self.nodeLimit { forgotten[name] = .max }
        guard nodes[name] != nil || wasAbsent || isWaited(for: name) else { return [] }
        nodes[name] = nil
        redescribed.remove(name)
        let actions = [.deleted(node: name)] + ownersDetermined(at: now)
        return actions
            + update(regions.indices, at: now) { region, view in
                isLate ? region.observationRemoved(of: name, view) : region.forgotten(name, view)
            } + nodesCounted(at: now)
    }

    /// Handles that a node does not watch some regions any more.
    private mutating func unwatched(
        by name: String, _ old: Set<String>?, _ new: Set<String>?, at now: Moment
    ) -> [HouseAction] {
        guard let new else { return [] }
        let gone = regions.indices.filter { index in
            let region = regions[index].identifier
            return !new.contains(region) && old?.contains(region) ?? true
        }
        return update(gone, at: now) { region, view in region.observationRemoved(of: name, view) }
    }

    /// Returns the node of this name, a new one if there is room for it.
    func known(_ name: String) -> HouseNode? {
        if let known = nodes[name] { return known }
        return Self.isName(name) && nodes.count < Self.nodeLimit ? HouseNode() : nil
    }

    /// Applies a change to regions, one after another, and schedules their next deadlines.
    mutating func update(
        _ indices: some Sequence<Int>, at now: Moment, _ change: (inout HouseRegion, HouseView) -> [HouseAction]
    ) -> [HouseAction] {
        let view = view(at: now)
        var actions: [HouseAction] = []
        for index in indices {
            actions += change(&regions[index], view)
            if let due = regions[index].nextDeadline(view) { schedule(max(due, now.instant)) }
        }
        return actions
    }

    /// Applies a node's status, scanner and incarnation to the regions that are owned here.
    mutating func nodeChanged(_ name: String, except: Int? = nil, at now: Moment) -> [HouseAction] {
        guard let known = nodes[name] else { return [] }
        let owned = regions.indices.filter { $0 != except && !regions[$0].isFollower }
        return update(owned, at: now) { region, view in region.nodeChanged(name, known, view) }
    }

    /// Handles that a node becomes eligible or silent.
    mutating func nodesAdvanced(at now: Moment) -> [HouseAction] {
        nodesDue = nodes.values.compactMap { $0.nextChange(after: now.instant) }.min()
        guard case .active = connection else { return [] }
        var actions = forgottenAgain(at: now.instant)
        if nodes[node]?.isSilent(at: now.instant) ?? false {
            // The broker accepts this node's messages and delivers none: a rule on its topics changed.
            actions += suspendRegions(now)
            for index in regions.indices { regions[index].connected(.silent, at: now.instant) }
            connection = .settling(Settling(at: now.instant))
            return actions
        }
        for name in nodes.keys.sorted() where nodes[name]?.isDeleted(at: now.instant) ?? false {
            actions += deleted(name, isLate: true, at: now)
        }
        actions += ownersDetermined(at: now)
        for name in nodes.keys.sorted() where nodes[name]?.isSilent(at: now.instant) ?? false {
            actions += nodeChanged(name, at: now)
            guard isHub else { continue }
            nodes[name]?.status = .offline(since: now.instant)
            actions.append(.publishOffline(node: name))
        }
        return actions + nodesCounted(at: now)
    }

    /// Plans to empty the status of forgotten nodes for which a message waits: its writer does not know that they were forgotten,
    /// or one of them has returned, and its status is on its way.
    mutating func waited(for names: [String], at now: Int64) {
        for name in names where forgotten[name] == .max && nodes[name] == nil {
            let due = now.addingClamped(HouseNode.repetition)
            forgotten[name] = due
            scheduleNodes(due)
        }
    }

    private mutating func forgottenAgain(at now: Int64) -> [HouseAction] {
        let planned = forgotten.filter { $0.value > .min && $0.value < .max }
        let due = planned.filter { $0.value <= now }.keys.sorted()
        for name in due { forgotten[name] = .min }
        if let next = planned.values.filter({ $0 > now }).min() { scheduleNodes(next) }
        return due.filter { nodes[$0] == nil && isWaited(for: $0) }.map { .publishForgotten(node: $0) }
    }

    /// Handles that a node has written a region's message: it has settled, whatever this node has received of it.
    mutating func wrote(_ writer: UInt64, at now: Moment) -> [HouseAction] {
        let settling = nodes.first { _, known in
            known.isPresent(at: now.instant) && !known.isEligible(at: now.instant)
                && known.incarnation?.utf8.fnv1a == writer
        }
        guard let (name, known) = settling, name != node, case .online(_, let refreshedAt) = known.status else {
            return []
        }
        nodes[name]?.status = .online(settlesAt: .min, refreshedAt: refreshedAt)
        return ownersDetermined(at: now)
    }

    /// Publishes the number of nodes if this node counts them.
    mutating func nodesCounted(at now: Moment) -> [HouseAction] {
        guard case .active = connection, isHub else { return [] }
        let count = nodes.values.count { $0.isPresent(at: now.instant) }
        guard publishedOnline != count else { return [] }
        publishedOnline = count
        return [.publishHouse(online: count)]
    }
}
