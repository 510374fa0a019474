/// A histogram of numbers, to the thousandth: its size depends on their range, not on their count.
struct Tally: Sendable {
    private var counts: [Int: Int] = [:]

    /// The number of values.
    private(set) var count = 0

    /// Larger numbers, in thousandths, count as this one.
    private static let largest = 1e12

    mutating func add(_ number: Double) {
        counts[Int(min(max(0, number * 1000), Self.largest).rounded()), default: 0] += 1
        count += 1
    }

    /// The least number that so many are no larger than, by the nearest rank.
    ///
    /// - Parameter part: The part of the values, of 1.
    /// - Returns: nil while there is none.
    func quantile(_ part: Double) -> Double? {
        var left = Int((part * Double(count)).rounded(.up))
        for (number, times) in counts.sorted(by: { $0.key < $1.key }) {
            left -= times
            if left <= 0 { return Double(number) / 1000 }
        }
        return nil
    }

    /// The largest numbers, the largest first.
    func largest(_ limit: Int) -> [Double] {
        var found: [Double] = []
        for (number, times) in counts.sorted(by: { $0.key > $1.key }) where found.count < limit {
            found += Array(repeating: Double(number) / 1000, count: min(times, limit - found.count))
        }
        return found
    }
}
