import Glibc
package import OkaeriEvents

extension HistoryReader {
    package func minutes(in day: Range<Int64>) throws(HistoryError) -> [SignalMinute] {
        try connection.rows(
            """
            SELECT time, region, heard, measured, mean, lowest, highest, accuracy FROM minutes
            WHERE time >= ?1 AND time < ?2 ORDER BY time
            """, [.integer(day.lowerBound), .integer(day.upperBound)]
        ) { row in
            let signal = row.optionalReal(4).map { mean in
                SignalMinute.Signal(
                    count: Int(row.integer(3)), mean: mean, lowest: Int(row.integer(5)),
                    highest: Int(row.integer(6)), accuracy: row.optionalReal(7) ?? -1)
            }
            return SignalMinute(
                time: row.integer(0), region: row.text(1), heard: Int(row.integer(2)), signal: signal)
        }
    }

    /// Returns the mean signals of the minutes of a time, in dBm, by region. A minute without a signal is `nil`.
    ///
    /// - Parameters:
    ///   - time: Some minutes, in nanoseconds since the Unix epoch.
    ///   - limit: The maximum number of regions.
    ///   - admits: Whether a region is asked for.
    package func means(
        in time: Range<Int64>, limit: Int, _ admits: (String) -> Bool
    ) throws(HistoryError) -> [String: [Double?]] {
        let none = [Double?](repeating: nil, count: Int((time.upperBound - time.lowerBound) / SignalMinute.length))
        var means: [String: [Double?]] = [:]
        try connection.query(
            """
            SELECT time, region, mean FROM minutes
            WHERE time >= ?1 AND time < ?2 AND mean IS NOT NULL ORDER BY time
            """, [.integer(time.lowerBound), .integer(time.upperBound)]
        ) { row in
            let (region, minute) = (row.text(1), Int((row.integer(0) - time.lowerBound) / SignalMinute.length))
            guard none.indices.contains(minute), means[region] != nil || means.count < limit && admits(region) else {
                return true
            }
            // A damaged file may hold anything.
            means[region, default: none][minute] = min(127, max(-128, row.real(2)))
            return true
        }
        return means
    }

    /// Returns the signals of the regions that are shown, in columns.
    ///
    /// The minutes of hundreds of regions are hundreds of thousands of rows: each is added to its column, and none is kept.
    func signals(
        in day: Range<Int64>, columns: Int, _ admits: (String) -> Bool
    ) throws(HistoryError) -> [(region: String, signal: [DayRecord.Signal])] {
        var signals = SignalColumns(day, columns: columns)
        try connection.query(
            """
            SELECT time, region, mean, measured, lowest, highest FROM minutes
            WHERE time >= ?1 AND time < ?2 AND mean IS NOT NULL ORDER BY time
            """, [.integer(day.lowerBound), .integer(day.upperBound)]
        ) { row in
            let region = row.withBytes(1) { signals.region(named: $0, admits) }
            guard let region else { return true }
            signals.add(
                row.real(2), count: row.integer(3), row.integer(4), row.integer(5), at: row.integer(0), to: region)
            return true
        }
        return signals.ended()
    }
}

/// Gathers minutes into the columns of a picture.
private struct SignalColumns {
    private struct Region {
        let name: String
        /// As the file has it.
        let bytes: [UInt8]
        var signal: [DayRecord.Signal] = []
        /// The region whose row came after this one's the last time: the rows of each minute are in the same order.
        var next = 0
        /// The time of the last minute, in nanoseconds since the Unix epoch.
        var last: Int64?
        var column: Column?
    }

    /// The minutes of one column so far.
    private struct Column {
        let number: Int
        let beginsStretch: Bool
        private var (sum, count) = (0.0, 0.0)
        private var (lowest, highest) = (Int8.max, Int8.min)

        init(_ number: Int, beginsStretch: Bool) { (self.number, self.beginsStretch) = (number, beginsStretch) }

        /// Levels of RSSI as HCI has it; a damaged file may hold anything.
        mutating func add(_ mean: Double, count: Int64, _ lowest: Int64, _ highest: Int64) {
            let weight = Double(max(1, count))
            (sum, self.count) = (sum + weight * min(127, max(-128, mean)), self.count + weight)
            self.lowest = min(self.lowest, Int8(clamping: lowest))
            self.highest = max(self.highest, Int8(clamping: highest))
        }

        var signal: DayRecord.Signal {
            DayRecord.Signal(
                column: UInt16(number), beginsStretch: beginsStretch, lowest: lowest, highest: highest,
                mean: Float(sum / count))
        }
    }

    private let day: Range<Int64>
    private let columns: Int
    private var regions: [Region] = []
    private var byName: [String: Int] = [:]
    private var current = 0
    private var time: (time: Int64, column: Int)?

    init(_ day: Range<Int64>, columns: Int) {
        (self.day, self.columns) = (day, min(Int(UInt16.max), max(1, columns)))
    }

    /// Returns the region with this name; `nil` if it is not shown.
    mutating func region(named bytes: UnsafeRawBufferPointer, _ admits: (String) -> Bool) -> Int? {
        if current < regions.count, case let next = regions[current].next, has(next, bytes) {
            current = next
            return next
        }
        let name = String(decoding: bytes, as: UTF8.self)
        if byName[name] == nil, admits(name) {
            byName[name] = regions.count
            regions.append(Region(name: name, bytes: Array(bytes)))
        }
        guard let found = byName[name] else { return nil }
        regions[current].next = found
        current = found
        return found
    }

    private func has(_ region: Int, _ bytes: UnsafeRawBufferPointer) -> Bool {
        regions[region].bytes.withUnsafeBytes { name in
            guard name.count == bytes.count, let one = name.baseAddress, let other = bytes.baseAddress else {
                return false
            }
            return memcmp(one, other, name.count) == 0
        }
    }

    mutating func add(
        _ mean: Double, count: Int64, _ lowest: Int64, _ highest: Int64, at time: Int64, to region: Int
    ) {
        let number = column(at: time)
        if regions[region].column?.number != number {
            let last = regions[region].last
            let isFar = last.map { time &- $0 > DayRecord.longestSilence } ?? true
            if let column = regions[region].column { regions[region].signal.append(column.signal) }
            regions[region].column = Column(number, beginsStretch: isFar)
        }
        regions[region].column?.add(mean, count: count, lowest, highest)
        regions[region].last = time
    }

    /// Returns the column of the middle of a minute.
    private mutating func column(at time: Int64) -> Int {
        if let last = self.time, last.time == time { return last.column }
        let (length, since) = (
            Double(day.upperBound) - Double(day.lowerBound),
            Double(time) + Double(SignalMinute.length / 2) - Double(day.lowerBound)
        )
        let column = min(columns - 1, max(0, Int(since / length * Double(columns))))
        self.time = (time, column)
        return column
    }

    mutating func ended() -> [(region: String, signal: [DayRecord.Signal])] {
        regions.map { region in
            (region.name, region.signal + (region.column.map { [$0.signal] } ?? []))
        }
    }
}
