import Events

struct SignalScale {
    /// In dBm, at tens.
    private let range: ClosedRange<Int>
    private let top: Double

    /// The range for a home without receptions.
    private static let usual = -90 ... -50

    /// RSSI as HCI has it; a damaged file may hold anything.
    private static let possible = -127...20

    init(_ region: DayRecord.Region, top: Double) {
        self.top = top
        let heard = region.minutes.compactMap(\.signal).flatMap { [$0.lowest, $0.highest] }
        let levels = (heard + [region.enterRSSI, region.exitRSSI].compactMap { $0 }).map {
            min(Self.possible.upperBound, max(Self.possible.lowerBound, $0))
        }
        let tens = levels.map { Double($0) / 10 }
        let lowest = tens.min().map { Int($0.rounded(.down)) * 10 } ?? Self.usual.lowerBound
        let highest = tens.max().map { Int($0.rounded(.up)) * 10 } ?? Self.usual.upperBound
        range = min(lowest, Self.usual.lowerBound)...max(highest, Self.usual.upperBound)
    }

    /// The lines to draw, in dBm.
    var levels: [Int] {
        let step = range.count > 60 ? 20 : 10
        return Array(stride(from: range.upperBound, through: range.lowerBound, by: -step))
    }

    func y(_ level: Double) -> Double {
        let (lower, upper) = (Double(range.lowerBound), Double(range.upperBound))
        return top + Layout.signalHeight * (upper - min(upper, max(lower, level))) / (upper - lower)
    }
}
