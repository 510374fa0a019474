import FoundationEssentials
import Glibc
import HTTPTypes
import OkaeriConfiguration
import OkaeriEvents
import OkaeriHistory
import OkaeriHouse
import OkaeriPlumbing
import OkaeriServer
import OkaeriWiFi

/// The page's requests beside those of all programs: the days from the history, the networks from NetworkManager, the
/// configuration from its file. What waits for the disk runs on the threads of a ``RequestPool``.
struct PageData: Sendable {
    /// The state directory that holds the history; nil: there is none.
    let directory: String?
    /// `beacons.json`.
    let file: String
    let wifi: any WiFiService
    /// The present in nanoseconds since the Unix epoch: a capture has its own.
    let now: @Sendable () -> Int64
    /// Makes the daemon read the configuration again.
    let reload: @Sendable () async -> Void
    /// The user that writes `beacons.json`.
    var user = geteuid()
    /// Enrolls phones; `nil` if a capture stands in for the adapter.
    var enroller: PhoneEnroller?
    /// The backups that browsers download; `nil` without a state directory.
    var backups: BackupDownloads?
    /// Looks for receivers of other makes at the broker.
    var search = ReceiverSearch()
    let pool = RequestPool()
    /// Draws one picture at a time, because a large day takes much memory while it is drawn.
    let pictures = RequestPool(threads: Self.pictureThreads)

    private static let pictureThreads = 1

    /// More events are not answered at once.
    private static let mostEvents = 2000

    /// The number of minutes of the signals' answer: the last ten, and the present one.
    private static let recentMinutes: Int64 = 11

    /// The maximum number of regions of the signals' answer.
    private static let mostSignals = 1024

    var endpoints: [Endpoint] {
        historyEndpoints + configurationEndpoints + guestEndpoints + enrollmentEndpoints + backupEndpoints
            + receiverEndpoints
    }

    private var historyEndpoints: [Endpoint] {
        [
            Endpoint(.get, Route.days, .readers) { _ in .json(try await days()) },
            Endpoint(.get, "\(Route.days)/:day", .readers, isAccounted: true) { exchange in
                let name = exchange.component("day")
                guard name.hasSuffix(".svg") else {
                    throw PageFailure(.notFound, request: .picture, Route.days)
                }
                let memory = exchange.connections.memory
                return try await picture(
                    of: String(name.dropLast(4)), from: exchange.query(Route.from), to: exchange.query(Route.to),
                    width: exchange.query(Route.width), language: exchange.query(Route.language),
                    regions: exchange.query(Route.scope), signals: exchange.query(Route.signals),
                    demandRoom: { () throws(PageFailure) in try memory.demandRoom() }
                ) { draw throws(PageFailure) in
                    let text = try TextParts(for: exchange.request)
                    try draw { text.add($0) }
                    memory.returnSoon()
                    return try memory.holding(
                        text.response(headers: [.contentType: "image/svg+xml", .cacheControl: "no-store"]))
                }
            },
            Endpoint(.get, Route.history, .readers) { exchange in
                guard let from = exchange.query(Route.from), let to = exchange.query(Route.to) else {
                    throw PageFailure(
                        .badRequest, request: .noTimes, "\(Route.history)?\(Route.from)=…&\(Route.to)=…")
                }
                let (events, next) = try await history(
                    from: from, to: to, region: exchange.query(Route.region), after: exchange.query(Route.after))
                let more = "\"more\":\(next != nil)" + (next.map { ",\"next\":\($0)" } ?? "")
                return .text("{\"events\":[\(events.joined(separator: ","))],\(more)}\n", headers: Self.json)
            },
            Endpoint(.get, Route.mistakes, .readers) { exchange in
                let mistakes = try await mistakes(
                    of: exchange.query(Route.region), since: exchange.query(Route.since))
                return .text(mistakes + "\n", headers: Self.json)
            },
            Endpoint(.get, Route.signal, .readers) { exchange in
                let region = try exchange.query(
                    Route.region, or: .noRegion, "\(Route.signal)?\(Route.region)=ID")
                return .json(try await signal(of: region))
            },
            Endpoint(.get, Route.allSignals, .readers) { exchange in
                .json(try await signals(of: exchange.queries(Route.region)))
            },
            Endpoint(.get, Route.networks, .readers) { _ in .json(try await networks()) },
        ]
    }

    private static let json: HTTPFields = [.contentType: "application/json"]

    func days() async throws(PageFailure) -> DaysReport {
        let now = now()
        return try await read { [file, stateDirectory = directory] directory throws(HistoryError) in
            let reader = try HistoryReader(directory: directory)
            let bounds = try reader.bounds()
            var report = DaysReport(
                first: (bounds?.lowerBound).map(LocalTime.day), last: (bounds?.upperBound).map(LocalTime.day),
                offsets: ZoneOffset.list(around: now, since: bounds?.lowerBound))
            guard let regions = Self.regions(file, stateDirectory) else { return report }
            let former = try reader.formerRegions(now: now, configured: Set(regions.map(\.identifier)))
                .map { region, time in
                    DaysReport.FormerRegion(
                        identifier: region, first: LocalTime.day(time.lowerBound), last: LocalTime.day(time.upperBound))
                }
            report.former = former.isEmpty ? nil : former
            return report
        }
    }

    /// Returns the configured regions; `nil` if the configuration cannot be read.
    private static func regions(_ file: String, _ directory: String?) -> [Configuration.Region]? {
        try? MergedConfiguration(file: file, directory: directory).configuration.regions
    }

    /// Draws a picture in parts, each of which a closure receives.
    typealias Draw = (_ write: @escaping (String) -> Void) throws(PageFailure) -> Void

    /// Returns the answer with a day as a picture (SVG).
    ///
    /// - Parameters:
    ///   - day: Such as `2026-11-21`, in the machine's time zone.
    ///   - from: the beginning of the part that is shown, as RFC 3339; `nil`: that of the day.
    ///   - to: its end.
    ///   - width: in pixels; `nil`: that of a wide screen.
    ///   - language: `en` or `ja`; `nil`: English.
    ///   - regions: `configured` or `former`; `nil`: all.
    ///   - signals: `false`: the bars of presence alone.
    ///   - demandRoom: Refuses the picture, before it is drawn.
    ///   - answer: Makes the answer, before the next picture is drawn.
    func picture<Answer: Sendable>(
        of day: String, from: String? = nil, to: String? = nil, width: String? = nil, language: String? = nil,
        regions: String? = nil, signals: String? = nil,
        demandRoom: @escaping @Sendable () throws(PageFailure) -> Void,
        answer: @escaping @Sendable (_ draw: Draw) throws(PageFailure) -> Answer
    ) async throws(PageFailure) -> Answer {
        guard day.utf8.count == 10, let moment = LocalTime.moment(day) else {
            throw PageFailure(.badRequest, request: .day, day.plain())
        }
        let window = from == nil && to == nil ? nil : try Self.span(from, to)
        guard let width = width.map({ Int($0) }) ?? DayChart.widest else {
            throw PageFailure(.badRequest, request: .width)
        }
        guard let language = language.map(Language.init(code:)) ?? .english else {
            throw PageFailure(.badRequest, request: .language)
        }
        let scope = regions.flatMap { DayChart.Scope(rawValue: $0) }
        guard regions == nil || scope != nil else {
            throw PageFailure(.badRequest, request: .scope, Route.scope)
        }
        guard let hasSignals = signals.map({ Bool($0) }) ?? true else {
            throw PageFailure(.badRequest, request: .signals, Route.signals)
        }
        let chart = { @Sendable [file, stateDirectory = directory, window] (directory: String) in
            let configured = Self.regions(file, stateDirectory)
            var chart = DayChart(directory: directory, day: moment, regions: configured ?? [])
            // Without a configuration each region of the history would be a former one.
            chart.scope = configured == nil ? nil : scope
            chart.hasSignals = hasSignals
            chart.window = window
            chart.width = width
            chart.language = language
            return chart
        }
        let now = now()
        guard let directory else { throw Self.noHistory }
        return try await pictures.run { () throws(PageFailure) in
            try demandRoom()
            return try answer { write throws(PageFailure) in
                try Self.result { () throws(HistoryError) in try chart(directory).draw(now: now, to: write) }
            }
        }
    }

    /// Returns events as the event stream has them, the oldest first; and the number to go on after where there are more.
    ///
    /// - Parameters:
    ///   - from: the first moment, as RFC 3339.
    ///   - to: the moment before which they happened.
    ///   - region: only this region's; `nil` for all.
    ///   - after: the number of the answer before.
    func history(
        from: String, to: String, region: String? = nil, after: String? = nil
    ) async throws(PageFailure) -> (events: [String], next: Int64?) {
        let span = try Self.span(from, to)
        guard let row = after.map({ Int64($0) }) ?? 0 else {
            throw PageFailure(.badRequest, request: .after)
        }
        let (events, next) = try await read { directory throws(HistoryError) in
            try HistoryReader(directory: directory).events(
                region: region, in: span, after: row, limit: Self.mostEvents)
        }
        return (events.map(\.json), next)
    }

    /// Returns the false exits, as a JSON object.
    ///
    /// - Parameters:
    ///   - region: only this region's; `nil` for all.
    ///   - since: none before this time, as RFC 3339; `nil` for all.
    func mistakes(of region: String?, since: String?) async throws(PageFailure) -> String {
        let since = try since == nil ? nil : Self.span(since, nil).lowerBound
        return try await read { directory throws(HistoryError) in
            try MistakesHistory(directory: directory, region: region, since: since).json
        }
    }

    /// Returns the last ten minutes of a region.
    func signal(of region: String) async throws(PageFailure) -> SignalReport {
        let (start, means) = try await recentMeans { $0 == region }
        return SignalReport(from: start, means[region] ?? [])
    }

    /// Returns the last ten minutes of regions; without a name, of all.
    func signals(of regions: [String]) async throws(PageFailure) -> SignalsReport {
        let names = Set(regions)
        let (start, means) = try await recentMeans { names.isEmpty || names.contains($0) }
        return SignalsReport(from: start, means)
    }

    /// Returns the beginning of the first minute, in nanoseconds since the Unix epoch, and the means of the minutes by region, in dBm.
    private func recentMeans(
        _ admits: @escaping @Sendable (String) -> Bool
    ) async throws(PageFailure) -> (start: Int64, means: [String: [Double?]]) {
        let length = Self.recentMinutes * SignalMinute.length
        // A capture's clock may have any value.
        let now = min(max(now(), .min + 2 * length), .max - length)
        let passed = (now % SignalMinute.length + SignalMinute.length) % SignalMinute.length
        let end = now - passed + SignalMinute.length
        let means = try await read { directory throws(HistoryError) in
            try HistoryReader(directory: directory).means(in: end - length..<end, limit: Self.mostSignals, admits)
        }
        return (end - length, means)
    }

    func networks() async throws(PageFailure) -> NetworksReport {
        switch await wifi.networks() {
        case .success(let networks):
            return NetworksReport(networks)
        case .failure(let failure): throw Self.failure(failure)
        }
    }

    /// Returns the failure of an action on the network as a refusal.
    static func failure(_ failure: JoinFailure) -> PageFailure {
        let english = "\(failure)"
        let text = LocalizedText(english, japanese: Language.japanese.reason(failure.code.rawValue, english))
        return PageFailure(.serviceUnavailable, text)
    }

    /// Reads the history. Without one there is nothing to show, which is not a fault.
    private func read<Value: Sendable>(
        _ body: @escaping @Sendable (String) throws(HistoryError) -> Value
    ) async throws(PageFailure) -> Value {
        guard let directory else { throw Self.noHistory }
        return try await pool.run { () throws(PageFailure) in
            try Self.result { () throws(HistoryError) in try body(directory) }
        }
    }

    private static let noHistory = PageFailure(.notFound, .noHistory)

    private static func result<Value>(_ body: () throws(HistoryError) -> Value) throws(PageFailure) -> Value {
        do throws(HistoryError) {
            return try body()
        } catch {
            let isMissing = if case .missing = error { true } else { false }
            throw PageFailure(isMissing ? .notFound : .serviceUnavailable, error)
        }
    }

    /// From one time to another, if it is later; nothing else.
    private static func span(_ from: String?, _ to: String?) throws(PageFailure) -> Range<Int64> {
        let (first, last) = (from.map { Timestamp.nanoseconds($0) }, to.map { Timestamp.nanoseconds($0) })
        guard let first = first ?? .some(.min), let last = last ?? .some(.max) else {
            throw PageFailure(.badRequest, request: .times)
        }
        return first..<max(first, last)
    }
}
