import HCI
import IBeacon
import OkaeriBluetooth
import OkaeriPlumbing
import OkaeriPresence
import RegionMonitoring
import Synchronization

/// Decides about a capture as ever, announces nothing, and keeps the score of it.
final class Scorer: ScannerDelegate {
    private struct State: Sendable {
        var scores: [SilenceScore]
        /// The number of devices in range, minute by minute.
        var devices = Tally()
        var start = Instant(nanoseconds: 0)
        var latest = Instant(nanoseconds: 0)
        var nextSample = Instant(nanoseconds: 0)
        /// The beacons in one event, with their regions.
        var heard: [(region: Int, beacon: BeaconIdentity)] = []
    }

    /// The results that the driver writes while it is locked: they must not be locked while the driver is called.
    private final class Scores: Sendable {
        let state: Mutex<State>

        init(_ regions: [MonitoredRegion]) {
            state = Mutex(State(scores: regions.map { SilenceScore($0) }))
        }
    }

    private let driver: PresenceDriver
    private let scores: Scores

    /// The interval at which the delay of an exit is computed.
    private static let sampling = Duration.seconds(60)

    /// The maximum number of judged beacons of a region: the one received most is among those received last.
    private static let judgementLimit = 64

    init(_ regions: [MonitoredRegion], _ identities: [String: DeviceIdentity] = [:]) {
        let scores = Scores(regions)
        self.scores = scores
        let positions = Dictionary(
            zip(regions.map(\.identifier), regions.indices), uniquingKeysWith: { first, _ in first })
        driver = PresenceDriver(
            // The distance is not needed.
            regions: regions.map { region in
                var region = region
                region.ranging = .off
                return region
            },
            identities: identities, clock: SystemClock(),
            handler: { sighting, regions, _ in
                scores.state.withLock { state in
                    for region in regions { state.heard.append((region, sighting.identity)) }
                }
            },
            publish: { event, time in
                guard case .action(let action, _) = event else { return }
                scores.state.withLock { state in
                    switch action {
                    case .didDetermineState(let region, let determined):
                        if let position = positions[region] {
                            state.scores[position].became(
                                determined, at: Instant(nanoseconds: time.instant))
                        }
                    case .silenceDidEnd(let region, let silence):
                        if let position = positions[region] { state.scores[position].ended(silence) }
                    case .didStartMonitoring, .didEnterRegion, .didExitRegion, .didRangeBeacons,
                        .rangingBeaconsDidFail:
                        break
                    }
                }
            })
    }

    /// The score of what came so far.
    var score: CaptureScore {
        let air = driver.air
        return scores.state.withLock { state in
            CaptureScore(
                hours: (state.start.duration(to: state.latest) / 3600).seconds(digits: 3),
                air: .init(
                    devices: Int(state.devices.quantile(0.5) ?? Double(air.devices)), deaf: air.deaf.seconds(digits: 1)),
                regions: state.scores.map { $0.summary(at: state.latest) })
        }
    }

    func scannerWillStart(at time: Int64) {
        let now = Instant(nanoseconds: time)
        scores.state.withLock { state in
            (state.start, state.latest) = (now, now)
            state.nextSample = now.advanced(by: Self.sampling)
        }
        driver.scannerWillStart(at: time)
    }

    func scannerDidReceive(_ event: RawSpan, at time: Int64) -> Bool {
        let isWellFormed = driver.scannerDidReceive(event, at: time)
        let now = Instant(nanoseconds: time)
        let (hasHeard, isSampling) = scores.state.withLock { state in
            state.latest = now
            return (!state.heard.isEmpty, now > state.nextSample)
        }
        if hasHeard {
            let deaf = driver.air.deaf
            scores.state.withLock { state in
                // What the monitor counts as silence: a deaf receiver is not silence.
                let listened = state.start.duration(to: now) - deaf
                for (region, beacon) in state.heard { state.scores[region].heard(beacon, at: listened) }
                state.heard.removeAll(keepingCapacity: true)
            }
        }
        if isSampling { sample(at: now) }
        return isWellFormed
    }

    func scannerDidFinishTurn(at time: Int64) -> Int64? {
        scores.state.withLock { $0.latest = max($0.latest, Instant(nanoseconds: time)) }
        return driver.scannerDidFinishTurn(at: time)
    }

    var nextDeadline: Int64? { driver.nextDeadline }

    private func sample(at now: Instant) {
        let snapshot = driver.snapshot(at: now, beacons: Self.judgementLimit)
        scores.state.withLock { state in
            state.nextSample = now.advanced(by: Self.sampling)
            state.devices.add(Double(snapshot.air.devices))
            for (position, judgements) in snapshot.judgements.enumerated() {
                state.scores[position].sampled(judgements)
            }
        }
    }

    func scannerDidUpdate(_ update: AdapterUpdate, at time: Int64) {
        driver.scannerDidUpdate(update, at: time)
    }

    func scannerDidChangeListening(_ timing: ScanTiming?, at time: Int64) {
        driver.scannerDidChangeListening(timing, at: time)
    }
}
