// Who owns what.
extension House {
    /// A node that may own regions.
    struct Candidate: Sendable {
        let name: String
        let hash: UInt64
        /// Nil: all regions.
        let watched: Set<String>?

        func weight(for region: HouseRegion) -> UInt64? {
            if let watched, !watched.contains(region.identifier) { return nil }
            return Ownership.weight(hash, region.hash)
        }
    }

    /// Finds the owners anew: a node came, went or watches something else. With hundreds of nodes that happens hundreds of times
    /// when all connect: while it is only listened nothing is looked at, and later what may have changed.
    mutating func ownersFound(at now: Moment) -> [HouseAction] {
        guard now.instant >= speaksAt else { return [] }
        let changed = redescribed
        redescribed = []
        let gone = Set(candidates.keys).filter { name in
            changed.contains(name) || !(nodes[name].map { isEligible(name, $0, at: now.instant) } ?? false)
        }
        for name in gone { candidates[name] = nil }
        var new: [Candidate] = []
        for (name, known) in nodes where candidates[name] == nil && isEligible(name, known, at: now.instant) {
            new.append(Candidate(name: name, hash: Ownership.hash(name), watched: known.regions))
        }
        for candidate in new { candidates[candidate.name] = candidate }
        var actions: [HouseAction] = []
        for index in regions.indices {
            let region = regions[index]
            let isOpen = region.owner.map(gone.contains) ?? true
            let found = isOpen ? best(candidates.values, for: region) : best(new, for: region, from: region.owner)
            if found?.name != region.owner { actions += owned(index, by: found, at: now.instant) }
        }
        if isBack { restoreMissing(at: now.instant) }
        isBack = false
        let ownedHub = ownsHub
        ownsHub = Ownership.owner(of: Ownership.hub, among: candidates.keys) == node
        if ownsHub != ownedHub { writtenOnline = nil }
        return actions + houseCounted(at: now)
    }

    /// The candidate with the highest weight; of equal weights the smaller name wins.
    ///
    /// - Parameter owner: who is to be surpassed.
    private func best(
        _ candidates: some Sequence<Candidate>, for region: HouseRegion, from owner: String? = nil
    ) -> (name: String, weight: UInt64)? {
        var best = owner.map { (name: $0, weight: region.ownersWeight) }
        for candidate in candidates {
            guard let weight = candidate.weight(for: region) else { continue }
            if let best, weight < best.weight || weight == best.weight && candidate.name > best.name { continue }
            best = (candidate.name, weight)
        }
        return best
    }

    private mutating func owned(_ index: Int, by found: (name: String, weight: UInt64)?, at now: Int64) -> [HouseAction]
    {
        let wasOurs = regions[index].desk != nil
        regions[index].owner = found?.name
        regions[index].ownersWeight = found?.weight ?? 0
        if found?.name == node, !wasOurs {
            taken(index, at: now)
            let region = regions[index].identifier
            return [.subscribe(region: region), .repeatSight(region: region)]
        }
        guard wasOurs, found?.name != node else { return [] }
        regions[index].desk = nil
        return [.unsubscribe(region: regions[index].identifier)]
    }

    /// We ourselves are there as soon as we have listened, whatever the broker thinks of us by then.
    private func isEligible(_ name: String, _ known: HouseNode, at now: Int64) -> Bool {
        name == node ? now >= speaksAt : known.isEligible(at: now)
    }

    /// A region is ours: what is known of it is taken over, and for a while only listened.
    private mutating func taken(_ index: Int, at now: Int64) {
        var desk = HouseRegion.Desk(
            speaksAt: max(speaksAt, now.later(by: HouseRegion.Desk.longestListening)),
            listensUntil: max(speaksAt, now.later(by: HouseRegion.Desk.listening)))
        // Of who is waited for by the word of the owner before us the broker may have nothing left.
        for name in regions[index].known?.waiting ?? [] { desk.waiting[name] = now }
        desk.isReleased = regions[index].isReleased
        if !desk.waiting.isEmpty { desk.weighAt = now.later(by: HouseRegion.Desk.waitingFor) }
        desk.due = desk.speaksAt
        schedule(desk.speaksAt)
        regions[index].desk = desk
    }
}
