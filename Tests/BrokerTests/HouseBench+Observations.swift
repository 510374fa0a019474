import Events
import RegionMonitoring
import Rooms

@testable import House

/// The observations of a test.
extension HouseBench {
    /// A retained value as text; `nil`: there is none.
    func value(_ topic: String) -> String? { retained[topic].map { String(decoding: $0, as: UTF8.self) } }

    /// The retained topics of the house and of Home Assistant.
    var topics: [String] { retained.keys.sorted() }

    /// The messages that a node has published since a time, with topics that contain a text.
    func published(_ name: String, _ text: String = "", since time: Int64 = 0) -> [Publication] {
        log.filter { $0.node == name && $0.time >= time && $0.topic.contains(text) }
    }

    /// The events of the house, as the broker had them.
    var events: [String] {
        log.filter { !$0.isRetained && $0.topic.hasPrefix("okaeri/home/region/") && $0.topic.hasSuffix("/event") }
            .compactMap { Wire.event($0.bytes)?.kind.rawValue }
    }

    /// The messages of the radio of a receiver.
    func heard(_ name: String) -> [HeardMessage] {
        published(name, "/heard").compactMap { HeardMessage($0.bytes) }
    }

    /// The news of the house for the node's own consumers, in a word or two each.
    func news(_ name: String) -> [String] {
        (nodes[name]?.happened ?? []).compactMap { kind in
            guard case .house(_, let news) = kind else { return nil }
            return switch news {
            case .didDetermineState(let state): state.rawValue
            case .didEnterRegion(let room, _): "enter \(room ?? "?")"
            case .didExitRegion: "exit"
            case .didDetermineRoom(let room): "room \(room ?? "none")"
            }
        }
    }
}
