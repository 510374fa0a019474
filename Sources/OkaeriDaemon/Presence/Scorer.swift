import BeaconLocation
import Bluetooth
import IBeacon
import RegionMonitoring
import Synchronization

/// Decides about a capture as ever, announces nothing, and keeps the score of it.
final class Scorer: PacketReceiver {
    private struct State: Sendable {
        var pipeline: PresencePipeline
        var scores: [SilenceScore]
        /// How many were in the air, minute by minute.
        var devices = Tally()
        var start = Instant(nanoseconds: 0)
        var latest = Instant(nanoseconds: 0)
        var nextSample = Instant(nanoseconds: 0)
        /// The beacons in one event, and whose they are.
        var heard: [(region: Int, beacon: BeaconIdentity)] = []
    }

    private let regions: [MonitoredRegion]
    private let matcher: RegionMatcher
    private let positions: [String: Int]
    private let state: Mutex<State>

    /// How often it is asked how long an exit would take.
    private static let sampling = Duration.seconds(60)

    /// How many beacons of a region are asked for it: the one heard most is among those heard last.
    private static let judgementLimit = 64

    init(_ regions: [MonitoredRegion]) {
        // Nobody is told how far away anybody is.
        self.regions = regions.map { region in
            var region = region
            region.ranging = .off
            return region
        }
        matcher = RegionMatcher(regions.map(\.region.constraint))
        positions = Dictionary(
            zip(regions.map(\.region.identifier), regions.indices), uniquingKeysWith: { first, _ in first })
        state = Mutex(
            State(
                pipeline: PresencePipeline(RegionMonitor(self.regions, at: Instant(nanoseconds: 0))),
                scores: regions.map { SilenceScore($0) }))
    }

    /// The score of what came so far.
    var report: ScoreReport {
        state.withLock { state in
            let air = state.pipeline.monitor.air
            return ScoreReport(
                hours: (state.start.duration(to: state.latest) / 3600).seconds(digits: 3),
                air: .init(
                    devices: Int(state.devices.quantile(0.5) ?? Double(air.devices)), deaf: air.deaf.seconds(digits: 1)),
                regions: state.scores.map { $0.report(at: state.latest) })
        }
    }

    func begin(at now: Instant) {
        state.withLock { state in
            state.pipeline = PresencePipeline(RegionMonitor(regions, at: now))
            (state.start, state.latest) = (now, now)
            state.nextSample = now.advanced(by: Self.sampling)
            note(state.pipeline.monitor.monitoringStarted(at: now), at: now, &state)
        }
    }

    @discardableResult
    func received(event: RawSpan, at now: Instant) -> Instant? {
        state.withLock { state in
            state.latest = now
            let actions = state.pipeline.received(event: event, at: now) { sighting in
                for region in matcher.matches(sighting.identity) { state.heard.append((region, sighting.identity)) }
            }
            if !state.heard.isEmpty {
                // What the monitor counts as silence: a deaf receiver is none.
                let listened = state.start.duration(to: now) - state.pipeline.monitor.air.deaf
                for (region, beacon) in state.heard { state.scores[region].heard(beacon, at: listened) }
                state.heard.removeAll(keepingCapacity: true)
            }
            note(actions, at: now, &state)
            if now > state.nextSample { sample(at: now, &state) }
            return state.pipeline.monitor.nextDeadline
        }
    }

    func turnFinished(at now: Instant) -> Instant? {
        state.withLock { state in
            state.latest = max(state.latest, now)
            note(state.pipeline.monitor.advanced(to: now), at: now, &state)
            return state.pipeline.monitor.nextDeadline
        }
    }

    private func note(_ actions: [RegionMonitor.Action], at now: Instant, _ state: inout State) {
        for action in actions {
            switch action {
            case .didDetermineState(let region, let determined):
                if let position = positions[region] { state.scores[position].became(determined, at: now) }
            case .silenceDidEnd(let region, let silence):
                if let position = positions[region] { state.scores[position].ended(silence) }
            case .didStartMonitoring, .didEnterRegion, .didExitRegion, .didRangeBeacons, .rangingBeaconsDidFail: break
            }
        }
    }

    private func sample(at now: Instant, _ state: inout State) {
        state.nextSample = now.advanced(by: Self.sampling)
        state.devices.add(Double(state.pipeline.monitor.air.devices))
        let judgements = state.pipeline.monitor.judgements(at: now, limit: Self.judgementLimit)
        for (position, judgements) in judgements.enumerated() { state.scores[position].sampled(judgements) }
    }

    func listeningChanged(_ isListening: Bool, at now: Instant) {
        state.withLock { state in
            // A capture does not pause: what was not listened to is not in it.
            if isListening { note(state.pipeline.monitor.adapterRecovered(at: now), at: now, &state) }
        }
    }

    func adapterUpdated(_ update: AdapterUpdate, at now: Instant) {}

    func controllerHeard(at now: Instant) {}

    func dropped(total: UInt64) {}
}
