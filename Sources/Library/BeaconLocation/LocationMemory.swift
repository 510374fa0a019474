import OkaeriPresence
import RegionMonitoring

/// The memory of a ``LocationManager``: the regions that were inside, and the learned values of their beacons.
///
/// Stored by the program and given to the next manager, which announces no event twice and misses none.
///
///     let memory = try? JSONDecoder().decode(LocationMemory.self, from: Data(contentsOf: file))
///     let manager = LocationManager(memory: memory)
///     …
///     try JSONEncoder().encode(manager.memory).write(to: file)
public struct LocationMemory: Hashable, Sendable {
    /// The time for which the states are valid. The learned values stay valid.
    public static let validFor = Duration.seconds(900)

    /// The time on the wall clock: nanoseconds since 1970-01-01 00:00:00 UTC.
    public let nanosecondsSince1970: Int64

    private let kept: PresenceMemory

    init(_ memory: RegionMonitor.Memory, at time: Int64) {
        nanosecondsSince1970 = time
        kept = PresenceMemory(memory)
    }

    /// Returns the memory from which the next manager continues.
    ///
    /// The age of a memory from the future is unknown: the clock was set back, or the machine has no clock and has
    /// not received the time from the network yet. The manager accepts such a memory.
    func memory(at now: Int64) -> RegionMonitor.Memory {
        var memory = kept.monitorMemory(isStale: false)
        let (age, overflow) = now.subtractingReportingOverflow(nanosecondsSince1970)
        if overflow || .nanoseconds(age) > Self.validFor {
            for index in memory.regions.indices { memory.regions[index].lastKnown = .unknown }
        }
        return memory
    }
}

extension LocationMemory: Codable {
    private enum CodingKeys: String, CodingKey {
        case nanosecondsSince1970 = "time"
        case kept = "presence"
    }

    /// - Throws: `DecodingError` for data that no manager has encoded.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        nanosecondsSince1970 = try container.decode(Int64.self, forKey: .nanosecondsSince1970)
        kept = try container.decode(PresenceMemory.self, forKey: .kept)
    }

    /// Encodes it as one object, whose form is private to the library.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(nanosecondsSince1970, forKey: .nanosecondsSince1970)
        try container.encode(kept, forKey: .kept)
    }
}
