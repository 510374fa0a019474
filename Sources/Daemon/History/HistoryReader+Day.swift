package import Events

extension HistoryReader {
    /// Returns the record from `start` to `end`.
    ///
    /// - Parameters:
    ///   - now: the present: a run that has not ended is taken to be running.
    ///   - regions: The regions to show first, in order; others with a record follow. None without configuration.
    package func day(from start: Int64, to end: Int64, now: Int64, regions: [String] = []) throws(HistoryError)
        -> DayRecord
    {
        guard start < end else { return DayRecord(start: start, end: end, regions: []) }
        let day = start..<end
        let runs = try runs(until: now)
        var found: [String: DayRecord.Region] = [:]
        for (region, spans) in try spans(runs, in: day) {
            found[region] = .init(identifier: region, spans: spans.map { .init($0.time, $0.value) })
        }
        // A clock that was set may have led a run out of its own bounds: what it saw there was watched all the same.
        let watched = runs.map(\.time) + found.values.flatMap { $0.spans.map(\.time) }
        for minute in try minutes(in: day) {
            found[minute.region, default: .init(identifier: minute.region)].minutes.append(minute)
        }
        for (region, mark) in try marks(in: day) {
            found[region, default: .init(identifier: region)].marks.append(mark)
        }
        // A region that was removed from the configuration stays unknown until the daemon ends.
        let others = found.values.filter { !regions.contains($0.identifier) && (regions.isEmpty || $0.isKnown) }
            .map(\.identifier).sorted()
        return DayRecord(
            start: start, end: end,
            regions: regions.map { found[$0] ?? .init(identifier: $0) } + others.compactMap { found[$0] },
            outages: try outages(runs, in: day), unwatched: gaps(in: day, between: watched))
    }

    /// Each region's states, from each change to the next or to the run's end.
    private func spans(
        _ runs: [Run], in day: Range<Int64>
    ) throws(HistoryError) -> [String: [(time: Range<Int64>, value: String)]] {
        let changes = try ask { connection throws(SQLiteError) in
            try connection.rows("SELECT run, region, time, state FROM presence ORDER BY id") { row in
                (run: row.integer(0), region: row.text(1), time: row.integer(2), state: row.text(3))
            }
        }
        // Once for all: a daemon that starts and fails for a day leaves thousands of runs.
        let byRun = Dictionary(grouping: changes, by: \.run)
        var spans: [String: [(time: Range<Int64>, value: String)]] = [:]
        for run in runs {
            var latest: [String: (time: Int64, state: String)] = [:]
            func close(_ region: String, at time: Int64) {
                guard let open = latest[region], case let start = max(open.time, run.keptFrom), start < time else {
                    return
                }
                spans[region, default: []].append((start..<time, open.state))
            }
            for change in byRun[run.id] ?? [] {
                close(change.region, at: change.time)
                latest[change.region] = (change.time, change.state)
            }
            for region in latest.keys { close(region, at: run.end) }
        }
        return spans.compactMapValues { spans in
            let latest = Self.latest(spans, in: day)
            return latest.isEmpty ? nil : latest
        }
    }

    /// Returns the value that was seen last at each moment of `day`, in the order of the wall clock.
    ///
    /// If a clock is set back, some hours come twice. The second time counts, because users set clocks to the right time.
    ///
    /// - Parameter stretches: in the order in which they were seen.
    private static func latest<Value>(
        _ stretches: [(time: Range<Int64>, value: Value)], in day: Range<Int64>
    ) -> [(time: Range<Int64>, value: Value)] {
        var coverage = Coverage()
        return stretches.reversed()
            .flatMap { stretch in coverage.add(stretch.time.clamped(to: day)).map { ($0, stretch.value) } }
            .sorted { $0.0.lowerBound < $1.0.lowerBound }
    }

    package func minutes(in day: Range<Int64>) throws(HistoryError) -> [SignalMinute] {
        try ask { connection throws(SQLiteError) in
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
    }

    private func marks(in day: Range<Int64>) throws(HistoryError) -> [(region: String, mark: DayRecord.Mark)] {
        let stretch: [SQLiteValue] = [.integer(day.lowerBound), .integer(day.upperBound)]
        let prompts = try ask { connection throws(SQLiteError) in
            try connection.rows(
                """
                SELECT region, time, is_answered, ssid, answer FROM prompts
                WHERE region IS NOT NULL AND time >= ?1 AND time < ?2 ORDER BY id
                """, stretch
            ) { row in
                let isAnswered = row.integer(2) != 0
                let text = isAnswered ? "answered: \(row.text(4))" : "join “\(row.text(3))”?"
                return (
                    region: row.text(0),
                    mark: DayRecord.Mark(time: row.integer(1), kind: isAnswered ? .answer : .prompt, text: text)
                )
            }
        }
        let joins = try ask { connection throws(SQLiteError) in
            try connection.rows(
                """
                SELECT region, time, succeeded, ssid, reason FROM joins
                WHERE region IS NOT NULL AND time >= ?1 AND time < ?2 ORDER BY id
                """, stretch
            ) { row in
                let succeeded = row.integer(2) != 0
                let text = succeeded ? "joined “\(row.text(3))”" : "“\(row.text(3))” not joined: \(row.text(4))"
                return (
                    region: row.text(0),
                    mark: DayRecord.Mark(time: row.integer(1), kind: succeeded ? .joined : .joinFailed, text: text)
                )
            }
        }
        return prompts + joins
    }

    private func outages(_ runs: [Run], in day: Range<Int64>) throws(HistoryError) -> [DayRecord.Outage] {
        let byID = Dictionary(runs.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let rows = try ask { connection throws(SQLiteError) in
            try connection.rows("SELECT run, began, ended, reason FROM outages ORDER BY id") { row in
                (run: row.integer(0), began: row.integer(1), ended: row.optionalInteger(2), reason: row.text(3))
            }
        }
        let outages = rows.map { row in
            let began = max(row.began, byID[row.run]?.keptFrom ?? row.began)
            return (time: began..<max(began, row.ended ?? byID[row.run]?.end ?? began), value: row.reason)
        }
        return Self.latest(outages, in: day).map { DayRecord.Outage($0.time, reason: $0.value) }
    }

    /// Returns the parts of `day` outside `covered`, without the duration of a restart.
    private func gaps(in day: Range<Int64>, between covered: [Range<Int64>]) -> [Range<Int64>] {
        var gaps: [Range<Int64>] = []
        var reached = day.lowerBound
        for range in covered.sorted(by: { $0.lowerBound < $1.lowerBound }) where range.overlaps(day) {
            if range.lowerBound > reached { gaps.append(reached..<range.lowerBound) }
            reached = max(reached, range.upperBound)
        }
        if reached < day.upperBound { gaps.append(reached..<day.upperBound) }
        return gaps.filter { $0.upperBound &- $0.lowerBound >= SignalMinute.length }
    }
}

extension DayRecord.Region {
    fileprivate var isKnown: Bool {
        !minutes.isEmpty || !marks.isEmpty || spans.contains { $0.state != "unknown" }
    }
}
