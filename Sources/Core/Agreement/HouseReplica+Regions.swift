package import Plumbing

extension HouseReplica {
    /// Handles a node's observation of a region. Only the owner of the region subscribes to them.
    package mutating func observationReceived(
        node name: String, region: String, _ observation: Observation, isRetained: Bool, at now: Moment
    ) -> [HouseAction] {
        guard isConnected, let index = positions[region] else { return [] }
        var actions = advanced(to: now)
        guard !regions[index].isFollower, Self.isName(observation.incarnation), var known = known(name) else {
            return actions
        }
        if !isRetained, known.incarnation != observation.incarnation {
            known.incarnation = observation.incarnation
            nodes[name] = known
            // Observations of an earlier run of the daemon about other regions are not live any more.
            actions += nodeChanged(name, except: index, at: now)
        } else if nodes[name] == nil {
            nodes[name] = known
        }
        return actions
            + update(CollectionOfOne(index), at: now) { region, view in
                region.observationReceived(observation, of: name, known, isRetained: isRetained, view)
            }
    }

    /// Handles an emptied observation topic: the node does not watch the region any more.
    package mutating func observationRemoved(node name: String, region: String, at now: Moment) -> [HouseAction] {
        guard isConnected, let index = positions[region] else { return [] }
        let due = advanced(to: now)
        // A node that is present publishes its observation again, unless it does not watch the region any more.
        if let known = nodes[name], known.isPresent(at: now.instant), known.regions?.contains(region) ?? true {
            return due
        }
        return due
            + update(CollectionOfOne(index), at: now) { region, view in region.observationRemoved(of: name, view) }
    }

    /// Handles a region's message; `nil` for a payload that is none, or an emptied topic.
    package mutating func stateReceived(
        region: String, _ state: HouseState?, isRetained: Bool, at now: Moment
    ) -> [HouseAction] {
        guard isConnected, let index = positions[region] else { return [] }
        var actions = advanced(to: now)
        var state = state
        if let received = state {
            var names: Set<String> = []
            state?.hearing = received.hearing.prefix(Self.nodeLimit)
                .filter { Self.isName($0.node) && names.insert($0.node).inserted }
            state?.room = received.room.flatMap { Self.isName($0) ? $0 : nil }
            waited(for: state?.waiting ?? [], at: now.instant)
            if !isRetained, !received.isRestored { actions += wrote(received.stamp.writer, at: now) }
        }
        return actions
            + update(CollectionOfOne(index), at: now) { region, view in
                region.stateReceived(state, isRetained: isRetained, view)
            }
    }

    /// Handles an enter or exit event that the broker delivers, or that this node has just published.
    package mutating func eventReceived(region: String, _ event: HouseEvent, at now: Moment) -> [HouseAction] {
        guard isConnected, let index = positions[region] else { return [] }
        return advanced(to: now)
            + update(CollectionOfOne(index), at: now) { region, view in region.eventReceived(event, view) }
    }
}

// MARK: Ownership

/// A region's identifier and its hash.
struct RegionKey: Sendable {
    let identifier: String
    let hash: UInt64

    init(_ identifier: String) { (self.identifier, hash) = (identifier, identifier.utf8.fnv1a) }
}

/// A node that can own regions.
struct Candidate: Sendable {
    let name: String
    let hash: UInt64
    /// `nil` for all regions.
    let watched: Set<String>?
    let announces: Bool

    init(_ name: String, _ node: HouseNode) {
        self.name = name
        hash = name.utf8.fnv1a
        (watched, announces) = (node.regions, node.announces)
    }

    func weight(for region: RegionKey) -> UInt64? {
        if let watched, !watched.contains(region.identifier) { return nil }
        return Ownership.weight(hash, region.hash)
    }
}

extension HouseReplica {
    /// Determines the owners after nodes came, left or changed their regions. While the connection settles, hundreds of nodes may
    /// arrive: nothing is determined then. Later only what can have changed is.
    mutating func ownersDetermined(at now: Moment) -> [HouseAction] {
        guard case .active = connection else { return [] }
        let changed = redescribed
        redescribed = []
        let gone = Set(candidates.keys).filter { name in
            changed.contains(name) || !(nodes[name].map { isEligible(name, $0, at: now.instant) } ?? false)
        }
        for name in gone { candidates[name] = nil }
        let new = nodes.filter { candidates[$0.key] == nil && isEligible($0.key, $0.value, at: now.instant) }
            .map { Candidate($0.key, $0.value) }
        for candidate in new { candidates[candidate.name] = candidate }
        // Without any node that announces, the choice does not matter.
        let announcing = candidates.values.filter(\.announces)
        let announcers = announcing.isEmpty || announcing.count == candidates.count ? nil : announcing
        var actions: [HouseAction] = []
        for index in regions.indices {
            let (region, owner) = (regions[index].key, regions[index].owner)
            let isOpen = owner.map { gone.contains($0.name) } ?? true
            let best =
                isOpen ? best(candidates.values, for: region, above: nil) : best(new, for: region, above: owner)
            let announcer = announcers.map { self.best($0, for: region, above: nil)?.name } ?? best?.name
            if regions[index].announcer != announcer {
                regions[index].announcer = announcer
                ownership &+= 1
            }
            guard best?.name != owner?.name else { continue }
            regions[index].owner = best
            let isOwner = best?.name == node
            if isOwner { schedule(now.instant.addingClamped(Self.watch)) }
            actions += update(CollectionOfOne(index), at: now) { region, view in
                isOwner ? region.becameOwner(view) : region.lostOwnership(view)
            }
        }
        if isBack {
            isBack = false
            actions += update(regions.indices, at: now) { region, view in
                region.nothingStored(view)
                return []
            }
        }
        let wasHub = isHub
        isHub =
            Ownership.owner(of: Ownership.hub, among: (announcers ?? Array(candidates.values)).map(\.name)) == node
        if isHub != wasHub { (publishedOnline, ownership) = (nil, ownership &+ 1) }
        return actions + nodesCounted(at: now)
    }

    /// The candidate with the highest weight; of equal weights, the smaller name.
    private func best(
        _ candidates: some Sequence<Candidate>, for region: RegionKey, above owner: (name: String, weight: UInt64)?
    ) -> (name: String, weight: UInt64)? {
        var best = owner
        for candidate in candidates {
            guard let weight = candidate.weight(for: region) else { continue }
            if let best, weight < best.weight || weight == best.weight && candidate.name > best.name { continue }
            best = (candidate.name, weight)
        }
        return best
    }

    /// This node is eligible as soon as it is active, whatever the broker holds of it.
    private func isEligible(_ name: String, _ known: HouseNode, at now: Int64) -> Bool {
        name == node || known.isEligible(at: now)
    }
}
