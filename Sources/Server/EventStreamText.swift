import API
import Events
import FoundationEssentials

/// Events as server-sent events (HTML Living Standard, 9.2.6): the number in `id`, the name in `event`, the JSON object in
/// `data`. A comment says that the stream lives while nothing happens, and an event named `lost` that some were missed.
struct EventStreamText {
    /// What is to be written.
    enum Item: Sendable {
        case event(Event)
        case heartbeat
    }

    /// The number of the last event that was written, or that the listener had before; nil before the first.
    private var last: UInt64?

    /// The stream begins.
    ///
    /// - Parameters:
    ///   - last: the number of the last event that the listener had before; nil: it begins anew.
    ///   - missed: the events after that which are still known.
    ///   - latest: the number of the latest event.
    mutating func began(after last: UInt64?, missed: [Event], latest: UInt64) -> String {
        var text = ": okaeri\n\n"
        guard let last else { return text }
        guard last <= latest else {
            // A number that is not yet given out is from before a restart, of a daemon that keeps no state.
            return text + Self.loss(nil)
        }
        self.last = last
        for event in missed { text += next(.event(event)) }
        return text
    }

    mutating func next(_ item: Item) -> String {
        switch item {
        case .heartbeat: return ": \n\n"
        case .event(let event):
            defer { last = event.sequence }
            var text = ""
            if let last, event.sequence > last, event.sequence - last > 1 {
                text = Self.loss(event.sequence - last - 1)
            }
            return text + "id: \(event.sequence)\nevent: \(event.kind.name.rawValue)\ndata: \(event.json)\n\n"
        }
    }

    private static func loss(_ count: UInt64?) -> String {
        let data = (try? JSONEncoder().encode(EventLoss(lost: count))).map { String(decoding: $0, as: UTF8.self) }
        return "event: \(EventStreamField.lost)\ndata: \(data ?? "{}")\n\n"
    }
}
