import Events

package struct HistoryReport: Sendable {
    package enum Form: Sendable, CaseIterable {
        case text, json, csv

        /// The first line, where there is one beside the events.
        package var header: String? { self == .csv ? RecordedEvent.header : nil }

        package func line(_ event: HistoryEvent) -> String {
            switch self {
            case .text: RecordedEvent(event).line
            case .json: event.json
            case .csv: RecordedEvent(event).csv
            }
        }
    }

    package var directory: String
    package var region: String?
    /// None before this time: nanoseconds since the Unix epoch.
    package var since: Int64?
    package var form: Form

    package init(directory: String, region: String?, since: Int64?, form: Form) {
        self.directory = directory
        self.region = region
        self.since = since
        self.form = form
    }

    /// Hands out the lines, until `print` throws.
    package func forEachLine(_ print: (String) throws -> Void) throws {
        let reader = try HistoryReader(directory: directory)
        if let header = form.header { try print(header) }
        var failure: (any Error)?
        try reader.forEachEvent(region: region, since: since) { event in
            do {
                try print(form.line(event))
                return true
            } catch {
                failure = error
                return false
            }
        }
        if let failure { throw failure }
    }
}
