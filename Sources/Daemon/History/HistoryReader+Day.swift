import OkaeriEvents
import OkaeriPlumbing

extension HistoryReader {
    /// Returns the record from `start` to `end`: `regions` first, in their order, and always all of them.
    ///
    /// - Parameters:
    ///   - now: the present: a run that has not ended is taken to be running.
    ///   - columns: The number of parts of equal length of which each has one value of a signal.
    ///   - regions: The configured regions; others with a record follow. None without configuration.
    ///   - language: The language of the marks.
    func day(
        from start: Int64, to end: Int64, now: Int64, columns: Int = 1440, regions: [String] = [],
        language: Language = .english
    ) throws(HistoryError) -> DayRecord {
        // A day that no number of nanoseconds reaches has no length.
        guard start < end else {
            return DayRecord(start: start, end: end, regions: regions.map { .init(identifier: $0) })
        }
        let day = start..<end
        let runs = try runs(until: now)
        var found: [String: DayRecord.Region] = [:]
        var shown = ShownRegions(regions)
        let (spans, outages) = try spans(runs, in: day, &shown)
        for (region, spans) in spans {
            found[region] = .init(identifier: region, spans: spans)
        }
        // A clock that was set may have led a run out of its own bounds: what it saw there was watched all the same.
        let watched = runs.map(\.time) + found.values.flatMap { $0.spans.map(\.time) }
        for (region, signal) in try signals(in: day, columns: columns, { shown.admits($0) }) {
            found[region, default: .init(identifier: region)].signal = signal
        }
        for (region, mark) in try marks(in: day, language) where shown.admits(region) {
            found[region, default: .init(identifier: region)].marks.append(mark)
        }
        // A region that was removed from the configuration stays unknown until the daemon ends.
        let others = found.values.filter { !regions.contains($0.identifier) && (regions.isEmpty || $0.isKnown) }
            .map(\.identifier).sorted()
        return DayRecord(
            start: start, end: end, columns: columns,
            regions: regions.map { found[$0] ?? .init(identifier: $0) } + others.compactMap { found[$0] },
            outages: outages, unwatched: gaps(in: day, between: watched))
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

    /// Returns each region's states, from each change to the next or to the run's end, and the adapter's outages.
    private func spans(
        _ runs: [Run], in day: Range<Int64>, _ shown: inout ShownRegions
    ) throws(HistoryError) -> (regions: [String: [DayRecord.Span]], outages: [DayRecord.Span]) {
        let byID = Dictionary(runs.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        var spans: [String: [DayRecord.Span]] = [:]
        var outages: [DayRecord.Span] = []
        for row in try states(in: day, lastingIn: runs.first { $0.end > day.lowerBound }?.id) {
            guard let run = byID[row.run], case let start = max(row.time, run.keptFrom),
                case let end = row.until ?? run.end, start < end, case let time = (start..<end).clamped(to: day),
                !time.isEmpty
            else { continue }
            if let region = row.region {
                if shown.admits(region) { spans[region, default: []].append(.init(time: time, value: row.value ?? "")) }
            } else if let reason = row.value {
                outages.append(.init(time: time, value: reason))
            }
        }
        return (spans.mapValues { Self.latest($0, in: day) }, Self.latest(outages, in: day))
    }

    /// A row of `states`.
    private typealias State = (event: Int64, run: Int64, region: String?, time: Int64, until: Int64?, value: String?)

    /// Returns the states that may be of a day, in the order in which they were seen.
    ///
    /// A state that began more than a day earlier is of this day only if it lasts for a day or longer, whatever the clock did.
    ///
    /// - Parameter run: The first run that ends in the day or later; `nil` without one. A state without an end lasts until that of its run.
    private func states(in day: Range<Int64>, lastingIn run: Int64?) throws(HistoryError) -> [State] {
        try provideStates()
        let earlier = day.lowerBound.addingClamped(-StatesOfEvents.day)
        // The plus keeps the condition from the choice of an index (sqlite.org/optoverview.html#uplus).
        return try connection.rows(
            """
            SELECT event, run, region, time, until, value FROM states
            WHERE time >= ?1 AND time < ?3 AND (until IS NULL OR until > ?2)
            UNION ALL SELECT event, run, region, time, until, value FROM states
            WHERE \(StatesOfEvents.lasts) AND until > ?2 AND +time < ?1
            UNION ALL SELECT event, run, region, time, until, value FROM states
            WHERE until IS NULL AND run >= ?4 AND +time < ?1
            """,
            [.integer(earlier), .integer(day.lowerBound), .integer(day.upperBound), .integer(run ?? .max)]
        ) { row in
            (
                event: row.integer(0), run: row.integer(1), region: row.optionalText(2), time: row.integer(3),
                until: row.optionalInteger(4), value: row.optionalText(5)
            )
        }.sorted { $0.event < $1.event }
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
        !signal.isEmpty || !marks.isEmpty || spans.contains { $0.value != "unknown" }
    }
}
