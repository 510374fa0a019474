import FoundationEssentials
import OkaeriEvents

/// Events as server-sent events (HTML Living Standard, 9.2.6): the number in `id`, the name in `event`, the JSON object in
/// `data`. A comment proves that the stream lives while nothing happens, and an event named `lost` that some were missed.
struct EventStreamText {
    /// The number of the last event that was written, or that the client had before.
    var last: UInt64

    /// The first text of the stream.
    let beginning: String

    /// - Parameters:
    ///   - last: the number of the last event that the client had before; `nil` for a client that had none.
    ///   - latest: the number of the latest event.
    init(after last: UInt64?, latest: UInt64) {
        // A number that is not yet given out is from before a restart, of a daemon that keeps no state.
        let isForeign = last.map { $0 > latest } ?? false
        self.last = isForeign ? latest : last ?? latest
        beginning = ": okaeri\n\n" + (isForeign ? Self.loss(nil) : "")
    }

    static let heartbeat = ": \n\n"

    /// Returns what is written before an event: `nil` where it follows the last one.
    func loss(before sequence: UInt64) -> String? {
        let lost = sequence - last - 1
        return lost > 0 ? Self.loss(lost) : nil
    }

    static func text(of event: Event) -> String {
        "id: \(event.sequence)\nevent: \(event.kind.name.rawValue)\ndata: \(event.json)\n\n"
    }

    private static func loss(_ count: UInt64?) -> String {
        let data = (try? JSON.encoder().encode(EventLoss(lost: count))).map { String(decoding: $0, as: UTF8.self) }
        return "event: \(EventStreamField.lost)\ndata: \(data ?? "{}")\n\n"
    }
}
