import History

/// What `okaeri history` tells.
public struct HistoryReport: Sendable {
    /// How it is told.
    public enum Form: Sendable {
        case text, json, csv
    }

    /// The state directory that holds the history.
    public var directory: String
    /// Only this region's events.
    public var region: String?
    /// None before this time.
    public var since: Moment?
    public var form: Form

    public init(directory: String, region: String?, since: Moment?, form: Form) {
        self.directory = directory
        self.region = region
        self.since = since
        self.form = form
    }

    /// Hands out the lines, until `print` throws.
    public func forEachLine(_ print: (String) throws -> Void) throws {
        let reader = try HistoryReader(directory: directory)
        if form == .csv { try print(RecordedEvent.header) }
        var failure: (any Error)?
        try reader.forEachEvent(region: region, since: since?.nanoseconds) { event in
            do {
                switch form {
                case .text: try print(RecordedEvent(event: event).line)
                case .json: try print(event.json)
                case .csv: try print(RecordedEvent(event: event).csv)
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
