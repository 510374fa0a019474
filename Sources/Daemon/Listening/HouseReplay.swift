package import Events
package import HCI
package import Logging
package import OkaeriConfiguration
import Plumbing
package import Presence
package import RegionMonitoring
import SystemPackage

/// The captures of several nodes, replayed together: what a hub decides on the receptions of all, without a broker.
package enum HouseReplay {
    /// A node's capture.
    package struct Capture: Sendable {
        package var node: String
        package var file: String

        package init(node: String, file: String) {
            self.node = node
            self.file = file
        }
    }

    /// Replays the captures together: one engine decides on the receptions of all, in the order of time.
    ///
    /// - Parameters:
    ///   - nodes: their rooms and offsets, by name.
    ///   - publish: is given each event of the house, in order.
    /// - Returns: the captures that are cut; what came before the cut was replayed.
    /// - Throws: An error if a file is no capture, or damaged otherwise.
    package static func run(
        _ captures: [Capture], nodes: [String: Configuration.Node], regions: [MonitoredRegion],
        identities: [String: DeviceIdentity] = [:], logger: Logger,
        progress: @escaping @Sendable (UInt64, UInt64?) -> Void, _ publish: @escaping @Sendable (Event) -> Void
    ) throws(CaptureFileError) -> [CaptureFileError] {
        var played: [Played] = []
        defer { for capture in played { capture.receptions.stop() } }
        for capture in captures {
            let source = try CaptureSource(file: capture.file, speed: nil, logger: logger, progress: progress)
            played.append(try Played(capture.node, nodes[capture.node], source))
        }
        let house = ReplayedHouse(regions: regions, identities: identities, publish)
        var cut: [CaptureFileError] = []
        var waiting: [Waiting] = []
        for capture in played {
            if let next = try following(capture, &cut) { waiting.append(next) }
        }
        guard let first = waiting.map(\.time).min() else { return cut }
        // A receiver that hears nothing until later is there all the same.
        house.begin(played.map { .init(name: $0.name, room: $0.room, offset: $0.offset) }, at: first)
        var last = first
        while let earliest = waiting.indices.min(by: { waiting[$0].time < waiting[$1].time }) {
            last = max(last, waiting[earliest].time)
            house.received(waiting[earliest].next(), by: waiting[earliest].capture.name, at: last)
            guard waiting[earliest].isEmpty else { continue }
            let ended = waiting.remove(at: earliest)
            if let next = try following(ended.capture, &cut) { waiting.append(next) }
        }
        house.end(at: last)
        return cut
    }

    /// The receptions that come next of a capture; `nil` at its end.
    private static func following(
        _ capture: Played, _ cut: inout [CaptureFileError]
    ) throws(CaptureFileError) -> Waiting? {
        do throws(CaptureFileError) {
            return try capture.receptions.next().map { Waiting(capture: capture, receptions: $0[...]) }
        } catch {
            guard error.isCut else { throw error }
            cut.append(error)
            return nil
        }
    }

    /// One node and its capture.
    private struct Played {
        let name: String
        let room: String?
        let offset: Double
        let receptions: CapturedReceptions

        init(_ name: String, _ node: Configuration.Node?, _ source: CaptureSource) throws(CaptureFileError) {
            (self.name, room, offset) = (name, node?.room, node?.offset ?? 0)
            do throws(BlockingThread.StartError) {
                receptions = try CapturedReceptions(source)
            } catch {
                throw .unreadable(file: source.name, Errno(rawValue: error.code))
            }
        }
    }

    /// The receptions of a capture that were read and not played. There is one at least.
    private struct Waiting {
        let capture: Played
        var receptions: ArraySlice<Reception>

        var time: Instant { receptions[receptions.startIndex].time }
        var isEmpty: Bool { receptions.isEmpty }

        mutating func next() -> Reception { receptions.removeFirst() }
    }
}
