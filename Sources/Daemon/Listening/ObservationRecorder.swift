import Agreement
import IBeacon
import Presence
import RegionMonitoring
import Synchronization

/// The observations that one node would publish of its regions while its capture is replayed, at the capture's clock.
final class ObservationRecorder: Sendable {
    /// An observation and its time in nanoseconds since the Unix epoch.
    struct Entry: Sendable {
        var time: Int64
        var publication: ObservationPlan.Publication
    }

    private struct State: Sendable {
        var plan: ObservationPlan
        var entries: [Entry] = []
    }

    private let state: Mutex<State>
    private let regions: [String]
    private let clock: any WallClock

    /// - Parameter offset: The loss of the node's receiver, in dB.
    init(regions: [MonitoredRegion], node: String, offset: Double, clock: any WallClock) {
        self.regions = regions.map(\.identifier)
        self.clock = clock
        state = Mutex(State(plan: ObservationPlan(regions: self.regions, incarnation: node, offset: offset)))
    }

    /// The observations, in order.
    var entries: [Entry] { state.withLock(\.entries) }

    /// Is given each sighting of a region's beacon.
    var handler: PresencePipeline.SightingHandler {
        { [self] sighting, regions, now in
            guard let rssi = sighting.rssi else { return }
            let beacon =
                sighting.identity.uuid.low ^ UInt64(sighting.identity.major) << 16
                ^ UInt64(sighting.identity.minor)
            for region in regions where self.regions.indices.contains(region) {
                record(at: now) { $0.heard(self.regions[region], from: beacon, rssi: rssi, at: now.nanoseconds) }
            }
        }
    }

    /// Is given each event of the driver.
    func happened(_ event: PresenceEvent, at now: Instant) {
        guard case .action(.didDetermineState(let region, let state), _) = event else { return }
        record(at: now) { $0.determined(region, state, at: now.nanoseconds) }
    }

    /// The node reports everything: it joined.
    func started(at now: Instant) { record(at: now) { $0.connected(at: now.nanoseconds) } }

    /// Time went on, and nothing was heard.
    func advanced(to now: Instant) { record(at: now) { _ in [] } }

    private func record(at now: Instant, _ change: (inout ObservationPlan) -> [ObservationPlan.Publication]) {
        state.withLock { state in
            while let due = state.plan.nextDeadline, due <= now.nanoseconds {
                let publications = state.plan.advanced(to: due)
                add(publications, at: Instant(nanoseconds: due), &state)
                if publications.isEmpty, state.plan.nextDeadline == due { break }
            }
            add(change(&state.plan), at: now, &state)
        }
    }

    private func add(_ publications: [ObservationPlan.Publication], at now: Instant, _ state: inout State) {
        let time = clock.wallTime(of: now)
        state.entries += publications.map { Entry(time: time, publication: $0) }
    }
}
