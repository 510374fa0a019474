package import OkaeriEvents

extension HistoryReader {
    /// Returns the record from `start` to `end`: `regions` first, in their order, and always all of them.
    ///
    /// - Parameters:
    ///   - now: the present: a run that has not ended is taken to be running.
    ///   - regions: The configured regions; others with a record follow. None without configuration.
    ///   - language: The language of the marks.
    func day(
        from start: Int64, to end: Int64, now: Int64, regions: [String] = [], language: Language = .english
    ) throws(HistoryError) -> DayRecord {
        // A day that no number of nanoseconds reaches has no length.
        guard start < end else {
            return DayRecord(start: start, end: end, regions: regions.map { .init(identifier: $0) })
        }
        let day = start..<end
        let runs = try runs(until: now)
        var found: [String: DayRecord.Region] = [:]
        var shown = ShownRegions(regions)
        for (region, spans) in try spans(runs, in: day, &shown) {
            found[region] = .init(identifier: region, spans: spans)
        }
        // A clock that was set may have led a run out of its own bounds: what it saw there was watched all the same.
        let watched = runs.map(\.time) + found.values.flatMap { $0.spans.map(\.time) }
        try forEachMinute(in: day) { minute in
            guard shown.admits(minute.region) else { return }
            found[minute.region, default: .init(identifier: minute.region)].minutes.append(minute)
        }
        for (region, mark) in try marks(in: day, language) where shown.admits(region) {
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

    /// The regions of a record: the configured ones, and a bounded number of others, the first that the history has.
    private struct ShownRegions {
        private let configured: Set<String>
        private var others: Set<String> = []

        init(_ configured: [String]) { self.configured = Set(configured) }

        mutating func admits(_ region: String) -> Bool {
            if configured.contains(region) || others.contains(region) { return true }
            guard others.count < DayRecord.regionLimit else { return false }
            others.insert(region)
            return true
        }
    }

    /// Each region's states, from each change to the next or to the run's end.
    private func spans(
        _ runs: [Run], in day: Range<Int64>, _ shown: inout ShownRegions
    ) throws(HistoryError) -> [String: [DayRecord.Span]] {
        let byID = Dictionary(runs.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        var spans: [String: [DayRecord.Span]] = [:]
        var run: Run?
        var latest: [String: (time: Int64, state: String)] = [:]
        func close(_ region: String, at time: Int64) {
            guard let run, let open = latest[region], case let start = max(open.time, run.keptFrom), start < time else {
                return
            }
            let time = (start..<time).clamped(to: day)
            guard !time.isEmpty, shown.admits(region) else { return }
            spans[region, default: []].append(.init(time: time, value: open.state))
        }
        func endRun() {
            for region in latest.keys { close(region, at: run?.end ?? .min) }
            latest = [:]
        }
        // Row by row: a history of months has many that this day does not need.
        try connection.query("SELECT run, region, time, state FROM presence ORDER BY id") { row in
            if row.integer(0) != run?.id {
                endRun()
                run = byID[row.integer(0)]
            }
            let region = row.text(1)
            close(region, at: row.integer(2))
            latest[region] = (row.integer(2), row.text(3))
            return true
        }
        endRun()
        return spans.compactMapValues { spans in
            let latest = Self.latest(spans, in: day)
            return latest.isEmpty ? nil : latest
        }
    }

    /// Returns the value that was seen last at each moment of `day`, in the order of the wall clock.
    ///
    /// If a clock is set back, some hours come twice. The second time counts, because users set clocks to the right time.
    ///
    /// - Parameter spans: in the order in which they were seen.
    private static func latest(_ spans: [DayRecord.Span], in day: Range<Int64>) -> [DayRecord.Span] {
        var coverage = Coverage()
        return spans.reversed()
            .flatMap { span in
                coverage.add(span.time.clamped(to: day)).map { DayRecord.Span(time: $0, value: span.value) }
            }
            .sorted { $0.time.lowerBound < $1.time.lowerBound }
    }

    package func minutes(in day: Range<Int64>) throws(HistoryError) -> [SignalMinute] {
        var minutes: [SignalMinute] = []
        try forEachMinute(in: day) { minutes.append($0) }
        return minutes
    }

    private func forEachMinute(in day: Range<Int64>, _ body: (SignalMinute) -> Void) throws(HistoryError) {
        try connection.query(
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
            body(SignalMinute(time: row.integer(0), region: row.text(1), heard: Int(row.integer(2)), signal: signal))
            return true
        }
    }

    private func marks(
        in day: Range<Int64>, _ language: Language
    ) throws(HistoryError) -> [(region: String, mark: DayRecord.Mark)] {
        try marks("is_answered, ssid, answer, '' FROM prompts", in: day) { isAnswered, ssid, answer, _ in
            isAnswered
                ? (.answer, language(PlotPhrase.answered, Self.words(answer, language)))
                : (.prompt, language(PlotPhrase.asked, ssid))
        }
            + marks("succeeded, ssid, reason, code FROM joins", in: day) { succeeded, ssid, reason, code in
                succeeded
                    ? (.joined, language(PlotPhrase.didJoin, ssid))
                    : (.joinFailed, language(PlotPhrase.didNotJoin, ssid, language.reason(code, reason)))
            }
    }

    private static func words(_ answer: String, _ language: Language) -> String {
        switch answer {
        case "join": language(PlotPhrase.join)
        case "later": language(PlotPhrase.later)
        case "never": language(PlotPhrase.never)
        default: answer
        }
    }

    private func marks(
        _ columns: String, in day: Range<Int64>, _ mark: (Bool, String, String, String) -> (DayRecord.Mark.Kind, String)
    ) throws(HistoryError) -> [(region: String, mark: DayRecord.Mark)] {
        try connection.rows(
            """
            SELECT region, time, \(columns) WHERE region IS NOT NULL AND time >= ?1 AND time < ?2 ORDER BY id
            """, [.integer(day.lowerBound), .integer(day.upperBound)]
        ) { row in
            let (kind, text) = mark(row.integer(2) != 0, row.text(3), row.text(4), row.text(5))
            return (region: row.text(0), mark: DayRecord.Mark(time: row.integer(1), kind: kind, text: text))
        }
    }

    private func outages(_ runs: [Run], in day: Range<Int64>) throws(HistoryError) -> [DayRecord.Span] {
        let byID = Dictionary(runs.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let rows = try connection.rows("SELECT run, began, ended, reason FROM outages ORDER BY id") { row in
            (run: row.integer(0), began: row.integer(1), ended: row.optionalInteger(2), reason: row.text(3))
        }
        let outages = rows.map { row in
            let began = max(row.began, byID[row.run]?.keptFrom ?? row.began)
            let ended = row.ended ?? byID[row.run]?.end ?? began
            return DayRecord.Span(time: began..<max(began, ended), value: row.reason)
        }
        return Self.latest(outages, in: day)
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
        !minutes.isEmpty || !marks.isEmpty || spans.contains { $0.value != "unknown" }
    }
}
