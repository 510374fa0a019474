/// Ranges of the wall clock that are taken. A clock that is set back goes through the same hours twice.
struct Coverage {
    /// Disjoint, the last first: what is added comes from the end as a rule.
    private var ranges: [Range<Int64>] = []

    /// Adds a stretch. Returns the parts of it that were not covered, the last first.
    mutating func add(_ range: Range<Int64>) -> [Range<Int64>] {
        guard !range.isEmpty else { return [] }
        let first = ranges.partition { $0.lowerBound < range.upperBound }
        let last = ranges[first...].partition { $0.upperBound <= range.lowerBound }
        var parts: [Range<Int64>] = []
        var reached = range.upperBound
        for covered in ranges[first..<last] {
            if covered.upperBound < reached { parts.append(covered.upperBound..<reached) }
            reached = covered.lowerBound
        }
        if range.lowerBound < reached { parts.append(range.lowerBound..<reached) }
        let lower = min(range.lowerBound, ranges[first..<last].last?.lowerBound ?? range.lowerBound)
        let upper = max(range.upperBound, ranges[first..<last].first?.upperBound ?? range.upperBound)
        ranges.replaceSubrange(first..<last, with: [lower..<upper])
        return parts
    }
}

extension RandomAccessCollection {
    /// Returns the first index at which `isBehind` is true; it is false for all elements before.
    fileprivate func partition(_ isBehind: (Element) -> Bool) -> Index {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = index(low, offsetBy: distance(from: low, to: high) / 2)
            if isBehind(self[middle]) { high = middle } else { low = index(after: middle) }
        }
        return low
    }
}
