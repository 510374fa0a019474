// Who owns what.
extension House {
    /// Finds the owners anew: a node came, went or watches something else.
    mutating func ownersFound(at now: Moment) -> [HouseAction] {
        var eligible: [(name: String, hash: UInt64, watched: Set<String>?)] = []
        for (name, known) in nodes where isEligible(name, known, at: now.instant) {
            eligible.append((name, Ownership.hash(name), known.regions))
        }
        func owner(_ hash: UInt64, _ region: String?) -> String? {
            var best: (name: String, weight: UInt64)?
            for node in eligible {
                if let region, let watched = node.watched, !watched.contains(region) { continue }
                let weight = Ownership.weight(node.hash, hash)
                if let best, weight < best.weight || weight == best.weight && node.name > best.name { continue }
                best = (node.name, weight)
            }
            return best?.name
        }
        var actions: [HouseAction] = []
        for index in regions.indices {
            let found = owner(regions[index].hash, regions[index].identifier)
            guard found != regions[index].owner else { continue }
            let wasOurs = regions[index].desk != nil
            regions[index].owner = found
            if found == node, !wasOurs {
                actions += [.subscribe(region: regions[index].identifier)]
                taken(index, at: now.instant)
            } else if wasOurs, found != node {
                regions[index].desk = nil
                actions += [.unsubscribe(region: regions[index].identifier)]
            }
        }
        let ownedHub = ownsHub
        ownsHub = owner(Ownership.hash(Ownership.hub), nil) == node
        if ownsHub != ownedHub { writtenOnline = nil }
        return actions + houseCounted(at: now)
    }

    /// We ourselves are there as soon as we have listened, whatever the broker thinks of us by then.
    private func isEligible(_ name: String, _ known: HouseNode, at now: Int64) -> Bool {
        name == node ? now >= speaksAt : known.isEligible(at: now)
    }

    /// A region is ours: what is known of it is taken over, and for a while only listened.
    private mutating func taken(_ index: Int, at now: Int64) {
        var desk = HouseRegion.Desk(
            speaksAt: max(speaksAt, now.later(by: HouseRegion.Desk.listening)))
        // Of who is waited for by the word of the owner before us the broker may have nothing left.
        for name in (regions[index].written ?? regions[index].remembered)?.waiting ?? [] { desk.waiting[name] = now }
        if !desk.waiting.isEmpty { desk.weighAt = now.later(by: HouseRegion.Desk.waitingFor) }
        desk.due = desk.speaksAt
        schedule(desk.speaksAt)
        regions[index].desk = desk
    }
}
