// What is brought back to a broker that has lost its latest data, by a power cut or by being restored from an old copy.
extension House {
    /// For so long after its connection was lost a node knows better than a broker that brings earlier words: one that was away
    /// for longer may have missed that everything began anew.
    static let memory = 900 * Nanoseconds.second

    /// Hundreds may remember, and so many bring a region's word back: its owner and those that would be next, if they live.
    private static let witnesses = 3

    /// Which of them is first is a matter of chance, so that the others need not.
    private static let spread = Nanoseconds.second

    /// Whoever else knows a later word waits until none of them has brought it, for they may not have heard it.
    private static let (patience, longSpread) = (30 * Nanoseconds.second, 30 * Nanoseconds.second)

    /// An outdated word was heard of a region. If it is ours the owner's next word replaces it; else its owner knows no better, or
    /// there is none.
    mutating func restore(_ index: Int, at instant: Int64) {
        let region = regions[index]
        guard region.desk == nil, region.restoresAt == nil, let stamp = region.latest, region.known?.stamp == stamp
        else { return }
        let chance = Ownership.weight(Ownership.hash(node), region.hash)
        let wait = isWitness(of: region) ? 0 : Self.patience
        let spread = wait == 0 ? Self.spread : Self.longSpread
        let due = instant.later(by: wait + Int64(chance % UInt64(spread)))
        regions[index].restoresAt = due
        schedule(due)
    }

    private func isWitness(of region: HouseRegion) -> Bool {
        let own = Ownership.weight(Ownership.hash(node), region.hash)
        let others = candidates.isEmpty ? former : candidates
        let stronger = others.values.lazy.filter { $0.name != node && $0.weight(for: region) ?? 0 > own }
        return stronger.prefix(Self.witnesses).count < Self.witnesses
    }

    /// The broker has brought what it keeps: what has not come was lost. An owner that there was before knows it itself.
    mutating func restoreMissing(at now: Int64) {
        for index in regions.indices where regions[index].written == nil {
            if regions[index].owner != regions[index].formerOwner { restore(index, at: now) }
        }
    }

    /// Brings a region's word back, if it is time and nobody did.
    mutating func restored(_ index: Int, at now: Int64) -> [HouseAction] {
        guard let due = regions[index].restoresAt else { return [] }
        guard due <= now else {
            schedule(due)
            return []
        }
        regions[index].restoresAt = nil
        guard var word = regions[index].known else { return [] }
        word.isRestored = true
        return [.publishState(region: regions[index].identifier, word)]
    }

    /// What was heard long ago says nothing against what is heard now.
    mutating func forgetWords() {
        for index in regions.indices { (regions[index].latest, regions[index].restoresAt) = (nil, nil) }
    }
}

extension HouseRegion {
    /// The connection is lost.
    mutating func remember() {
        if let stamp = written?.stamp { latest = max(latest ?? stamp, stamp) }
        remembered = written ?? remembered
        formerOwner = owner ?? formerOwner
        (written, restoresAt) = (nil, nil)
    }
}
