import Events
import FoundationEssentials

/// Takes the events out of a stream of server-sent events, however it is cut on its way (HTML Living Standard, 9.2.6). Each is
/// a line with its name, then one with its JSON.
struct EventStreamReader {
    /// No event of ours is longer, in bytes.
    static let longestLine = 1 << 20

    /// A line did not end.
    struct EndlessLine: Error {}

    private var line: [UInt8] = []
    private var name = ""

    /// Returns the events that these bytes complete. What is no event that is known here is passed over: a newer daemon
    /// may know more.
    mutating func received(_ bytes: some Sequence<UInt8>) throws(EndlessLine) -> [APIClient.Feed] {
        var feeds: [APIClient.Feed] = []
        for byte in bytes {
            guard byte == UInt8(ascii: "\n") else {
                line.append(byte)
                if line.count > Self.longestLine { throw EndlessLine() }
                continue
            }
            if let feed = completed() { feeds.append(feed) }
            line.removeAll(keepingCapacity: true)
        }
        return feeds
    }

    private mutating func completed() -> APIClient.Feed? {
        if line.isEmpty { name = "" }
        if line.starts(with: "event:".utf8) {
            name = String(decoding: line.dropFirst(6).drop { $0 == UInt8(ascii: " ") }, as: UTF8.self)
        }
        guard line.starts(with: "data:".utf8) else { return nil }
        let data = Data(line.dropFirst(5))
        if name == EventStreamField.lost {
            return (try? JSONDecoder().decode(EventLoss.self, from: data)).map { .lost($0) }
        }
        return (try? JSONDecoder().decode(Event.self, from: data)).map { .event($0) }
    }
}
