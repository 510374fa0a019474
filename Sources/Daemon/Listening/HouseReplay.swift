import Agreement
import Bluetooth
package import Events
package import HCI
import IBeacon
package import Logging
package import OkaeriConfiguration
import Plumbing
package import Presence
package import RegionMonitoring

/// The captures of several nodes, replayed together: what they would agree on, without a broker.
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

    /// The time before the first packet from which on the nodes are together: a node that joins listens first.
    private static let earlier = 10_000_000_000 as Int64

    /// The interval at which a node refreshes its status.
    private static let interval = 300_000_000_000 as Int64

    /// Replays the captures one after the other, and their reports together in the order of time.
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
        var cut: [CaptureFileError] = []
        var played: [Played] = []
        for capture in captures {
            let source = try CaptureSource(file: capture.file, speed: nil, logger: logger, progress: progress)
            let node = Played(capture.node, source, regions, identities, offset: nodes[capture.node]?.offset ?? 0)
            do throws(CaptureFileError) {
                try source.replay(node.driver)
            } catch {
                guard error.isCut else { throw error }
                cut.append(error)
            }
            played.append(node)
        }
        guard let end = played.map(\.source.now).max() else { return cut }
        // A receiver that heard nothing more until the end was there all the same.
        for node in played { node.advance(to: end) }
        say(played, nodes: nodes, regions: regions, until: end, publish)
        return cut
    }

    /// One node and its reports.
    private struct Played {
        let name: String
        let source: CaptureSource
        let recorder: ObservationRecorder
        let driver: PresenceDriver

        init(
            _ name: String, _ source: CaptureSource, _ regions: [MonitoredRegion],
            _ identities: [String: DeviceIdentity],
            offset: Double
        ) {
            let recorder = ObservationRecorder(regions: regions, node: name, offset: offset, clock: source)
            self.name = name
            self.source = source
            self.recorder = recorder
            driver = PresenceDriver(
                regions: regions, identities: identities, clock: source, handler: recorder.handler,
                publish: { event, time in
                    let now = Instant(nanoseconds: time.instant)
                    if case .action(.didStartMonitoring, _) = event { recorder.started(at: now) }
                    recorder.happened(event, at: now)
                })
        }

        /// - Parameter end: nanoseconds since the Unix epoch.
        func advance(to end: Int64) {
            let last = source.instant.advanced(by: .nanoseconds(end - source.now))
            while let due = driver.nextDeadline, due <= last.nanoseconds {
                recorder.advanced(to: Instant(nanoseconds: due))
                guard let next = driver.scannerDidFinishTurn(at: due), next > due else { break }
            }
            recorder.advanced(to: last)
        }
    }

    /// Gives one house the reports of all. Its first node owns everything: the others watch nothing that it could lose.
    private static func say(
        _ played: [Played], nodes: [String: Configuration.Node], regions: [MonitoredRegion], until end: Int64,
        _ publish: @escaping @Sendable (Event) -> Void
    ) {
        let said = played.flatMap { node in node.recorder.entries.map { (node: node.name, entry: $0) } }
            .enumerated().sorted { ($0.element.entry.time, $0.offset) < ($1.element.entry.time, $1.offset) }
            .map(\.element)
        guard let owner = played.first?.name, let first = said.first?.entry.time else { return }
        let hub = EventHub(node: NodeName.local)
        hub.record(with: publish)
        var house = HouseReplica(node: owner, incarnation: owner, regions: regions.map(\.identifier))
        func act(_ actions: [HouseAction], at time: Int64) {
            for action in actions {
                switch action {
                case .happened(let region, let news):
                    hub.happened(.house(region: region, news), at: max(time, first))
                case .publishState(let region, let state):
                    // A broker delivers it to its writer, too.
                    act(
                        house.stateReceived(region: region, state, isRetained: false, at: Moment(recorded: time)),
                        at: time)
                default: break
                }
            }
        }
        func advance(to time: Int64) {
            while let due = house.nextDeadline, due <= time {
                act(house.advanced(to: Moment(recorded: due)), at: due)
                if house.nextDeadline.map({ $0 <= due }) ?? false { break }
            }
        }
        var refresh = first - earlier
        act(house.connected(at: Moment(recorded: refresh)), at: first)
        for node in played {
            act(
                house.nodeDescribed(
                    node: node.name, room: nodes[node.name]?.room, regions: node.name == owner ? nil : [],
                    isRetained: node.name != owner, at: Moment(recorded: refresh)), at: first)
        }
        func sayOnline(until time: Int64) {
            while refresh <= time {
                advance(to: refresh)
                for node in played {
                    let actions = house.statusReceived(
                        node: node.name, isOnline: true, isRetained: false, at: Moment(recorded: refresh))
                    act(actions, at: refresh)
                }
                refresh += interval
            }
        }
        for (node, entry) in said {
            sayOnline(until: entry.time)
            advance(to: entry.time)
            let actions = house.observationReceived(
                node: node, region: entry.publication.region, entry.publication.observation, isRetained: false,
                at: Moment(recorded: entry.time))
            act(actions, at: entry.time)
        }
        advance(to: end)
    }
}
