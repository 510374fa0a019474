package import Events

extension APIClient {
    /// The bounds of all times that RFC 3339 can write.
    private static let (earliest, latest) = ("0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z")

    /// Requests the events of the history part by part, the oldest first, and hands them out.
    ///
    /// - Parameters:
    ///   - region: only this region's; `nil` for all.
    ///   - since: none before this time, in nanoseconds since the Unix epoch; `nil` for all.
    package func history(
        region: String?, since: Int64?, _ body: ([Event]) -> Void
    ) async throws(Failure) {
        var last: Int64?
        while true {
            let page: HistoryPage = try await get(
                Route.history,
                [
                    (Route.from, since.map(Timestamp.text) ?? Self.earliest), (Route.to, Self.latest),
                    (Route.region, region), (Route.after, last.map { "\($0)" }),
                ])
            body(page.events)
            guard let next = page.next else { return }
            // A daemon that always answers the same would never end.
            guard next > last ?? 0 else { throw .noAnswer(socket: socket, reason: "the history does not go on") }
            last = next
        }
    }

    /// Requests the false exits.
    package func mistakes<Report: Decodable>(
        region: String?, since: Int64?, as type: Report.Type
    ) async throws(Failure) -> Report {
        try await get(Route.mistakes, [(Route.region, region), (Route.since, since.map(Timestamp.text))])
    }
}
