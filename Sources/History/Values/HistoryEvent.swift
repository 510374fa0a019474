/// An event as the history keeps it.
public struct HistoryEvent: Sendable, Hashable {
    /// When, on the wall: nanoseconds since the Unix epoch.
    public var time: Int64

    /// Its name, such as `didEnterRegion`.
    public var name: String

    /// The region it is about, if it is about one.
    public var region: String?

    /// The JSON object it was told as.
    public var json: String

    public init(time: Int64, name: String, region: String?, json: String) {
        self.time = time
        self.name = name
        self.region = region
        self.json = json
    }
}
