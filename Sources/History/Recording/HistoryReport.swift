import Events

/// What `okaeri history` tells.
package struct HistoryReport: Sendable {
    /// How it is told.
    package enum Form: Sendable {
        case text, json, csv
    }

    /// The state directory that holds the history.
    package var directory: String
    /// Only this region's events.
    package var region: String?
    /// None before this time.
    package var since: Moment?
    package var form: Form

    package init(directory: String, region: String?, since: Moment?, form: Form) {
        self.directory = directory
        self.region = region
        self.since = since
        self.form = form
    }

    /// Hands out the lines, until `print` throws.
    package func forEachLine(_ print: (String) throws -> Void) throws {
        let reader = try HistoryReader(directory: directory)
        if form == .csv { try print(RecordedEvent.header) }
        var failure: (any Error)?
        try reader.forEachEvent(region: region, since: since?.nanoseconds) { event in
            do {
                switch form {
                case .text: try print(RecordedEvent(event).line)
                case .json: try print(event.json)
                case .csv: try print(RecordedEvent(event).csv)
                }
                return true
            } catch {
                failure = error
                return false
            }
        }
        if let failure { throw failure }
    }
}
