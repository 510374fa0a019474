import OkaeriPlumbing
import RegionMonitoring

/// The announcements of a node for the house, over a restart.
package struct HouseMemory: PersistedMemory {
    package struct Region: Codable, Sendable, Equatable {
        var state: RegionState
        var number: UInt64
        /// Whether the node itself has announced it; `nil`: it has not.
        var isOwn: Bool?
    }

    /// The last known state of each region that was announced, with its number.
    var announced: [String: Region] = [:]
    /// The names of the standbys.
    var standbys: [String] = []
    /// The events that wait for the connection to the broker, by the region's identifier.
    var waiting: [String: [Waiting]] = [:]

    /// The numbers of the arrivals that wait for their rooms, by the region's identifier.
    var arriving: [String: [UInt64]] = [:]

    /// The maximum number of events of a region that wait.
    static let waitingLimit = 8

    struct Waiting: Codable, Sendable, Equatable {
        var kind: HouseEvent.Kind
        var room: String?
        var time: Int64?
        var number: UInt64

        init(_ event: HouseEvent) {
            (kind, room, time, number) = (event.kind, event.room, event.time, event.number)
        }

        var event: HouseEvent { HouseEvent(kind: kind, room: room, time: time, number: number) }
    }

    package init() {}

    init(
        announced: [String: Region], standbys: [String], waiting: [String: [Waiting]] = [:],
        arriving: [String: [UInt64]] = [:]
    ) {
        (self.announced, self.standbys, self.waiting, self.arriving) = (announced, standbys, waiting, arriving)
    }

    private enum Key: String, CodingKey { case house }

    private struct Members: Codable {
        var announced: [String: Region]
        var standbys: [String]
        var waiting: [String: [Waiting]]?
        var arriving: [String: [UInt64]]?
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        guard let members = try container.decodeIfPresent(Members.self, forKey: .house) else { return }
        (announced, standbys, waiting) = (members.announced, members.standbys, members.waiting ?? [:])
        arriving = members.arriving ?? [:]
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        guard !announced.isEmpty || !standbys.isEmpty else { return }
        let waiting = waiting.isEmpty ? nil : waiting
        let arriving = arriving.isEmpty ? nil : arriving
        try container.encode(
            Members(announced: announced, standbys: standbys, waiting: waiting, arriving: arriving), forKey: .house)
    }
}
