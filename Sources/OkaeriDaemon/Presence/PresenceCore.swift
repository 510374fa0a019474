import BeaconLocation
import Bluetooth
import HCI
import History
import IBeacon
import RegionMonitoring
import Synchronization

/// The one owner of the region monitor. A source drives it from its own thread; whoever asks gets a copy of what it
/// knows; what happens is published in order.
final class PresenceCore: PacketReceiver {
    private struct State: Sendable {
        var regions: [MonitoredRegion]
        /// Begins anew with the source: a capture's clock is not known before its first packet.
        var pipeline: PresencePipeline
        var bluetooth: AdapterUpdate
        var isListening = false
        var dropped: UInt64 = 0
        var vitality: Vitality
        /// Sums up what is heard, if anybody wants to know.
        var meter: SignalMeter?
        /// When each region's state last changed, on the wall.
        var changes: [String: Int64] = [:]
        /// What was known before a restart.
        var memory = RegionMonitor.Memory()
    }

    private let state: Mutex<State>
    private let wallClock: any WallClock
    private let publish: @Sendable (Event) -> Void
    private let summarize: (@Sendable ([SignalMinute]) -> Void)?
    private let silenceEnded: (@Sendable (SilenceRecord) -> Void)?

    /// - Parameters:
    ///   - patience: how long a silence may be before it takes an answer of the controller to believe it; nil for a source
    ///     that cannot fall mute, such as a capture.
    ///   - publish: is given each event in order, while the core is locked: it must not call back.
    ///   - summarize: is given what was heard of each region, a minute at a time, while the core is locked.
    ///   - silenceEnded: is given each silence that was long enough to tell of, while the core is locked.
    init(
        regions: [MonitoredRegion], wallClock: any WallClock, patience: Duration? = nil,
        publish: @escaping @Sendable (Event) -> Void, summarize: (@Sendable ([SignalMinute]) -> Void)? = nil,
        silenceEnded: (@Sendable (SilenceRecord) -> Void)? = nil
    ) {
        self.state = Mutex(
            State(
                regions: regions, pipeline: PresencePipeline(RegionMonitor(regions, at: Instant(nanoseconds: 0))),
                bluetooth: .starting, vitality: Vitality(patience: patience),
                meter: summarize.map { _ in SignalMeter(regions) }))
        self.wallClock = wallClock
        self.publish = publish
        self.summarize = summarize
        self.silenceEnded = silenceEnded
    }

    /// When ``turnFinished(at:)`` is next needed.
    var nextDeadline: Instant? { state.withLock(\.pipeline.monitor.nextDeadline) }

    /// Goes on from what was known before a restart. To be told before ``begin(at:)``.
    func restore(_ memory: RegionMonitor.Memory) {
        state.withLock { state in
            state.memory = memory
            state.pipeline.monitor.restored(memory)
        }
    }

    /// Monitoring begins.
    func begin(at now: Instant) {
        update(at: now) { state in
            state.pipeline = PresencePipeline(RegionMonitor(state.regions, at: now))
            state.pipeline.monitor.restored(state.memory)
            return state.pipeline.monitor.monitoringStarted(at: now)
        }
    }

    /// An HCI event came in, from its event code on.
    @discardableResult
    func received(event: RawSpan, at now: Instant) -> Instant? {
        state.withLock { state in received(event, at: now, &state) }
    }

    func received<Failure>(_ events: (_ each: Each) throws(Failure) -> Void) throws(Failure) {
        try state.withLock { state throws(Failure) in
            try events { event, now in received(event, at: now, &state) }
        }
    }

    @inline(__always)
    private func received(_ event: RawSpan, at now: Instant, _ state: inout State) -> Instant? {
        state.vitality.reportReceived(at: now)
        let actions = state.pipeline.received(event: event, at: now) { sighting in
            let minutes = state.meter?.heard(sighting, at: wallClock.wallTime(of: now))
            if let minutes, !minutes.isEmpty { summarize?(minutes) }
        }
        if !actions.isEmpty { announce(actions, at: now, &state) }
        return state.pipeline.monitor.nextDeadline
    }

    func controllerHeard(at now: Instant) {
        state.withLock { $0.vitality.controllerHeard(at: now) }
    }

    /// Every packet that waited has gone in. Judges silence, if the radio is known to live: a dead one must send nobody
    /// away.
    ///
    /// - Returns: when that is next needed.
    func turnFinished(at now: Instant) -> Instant? {
        state.withLock { state in
            guard state.vitality.isCertain(at: now) else { return nil }
            announce(state.pipeline.monitor.advanced(to: now), at: now, &state)
            return state.pipeline.monitor.nextDeadline
        }
    }

    /// The adapter's state changed.
    func adapterUpdated(_ update: AdapterUpdate, at now: Instant) {
        state.withLock { state in
            state.bluetooth = update
            let time = wallClock.wallTime(of: now)
            publish(
                Event(
                    time: time,
                    kind: .bluetoothStateDidUpdate(
                        state: update.state.rawValue, adapter: update.adapter, reason: update.reason)))
            switch update.state {
            case .poweredOn: break
            case .unsupported, .unauthorized:
                for region in state.regions {
                    let identifier = region.region.identifier
                    publish(Event(time: time, kind: .monitoringDidFail(region: identifier, reason: update.reason)))
                }
                fallthrough
            case .unknown, .resetting, .poweredOff:
                let actions = state.pipeline.monitor.adapterLost(at: now)
                announce(actions, at: now, &state)
            }
        }
    }

    /// The scan began, or was interrupted: time not listened is not silence.
    func listeningChanged(_ isListening: Bool, at now: Instant) {
        update(at: now) { state in
            state.isListening = isListening
            state.vitality.reportReceived(at: now)
            guard isListening else {
                state.pipeline.monitor.listeningPaused(at: now)
                return []
            }
            return state.pipeline.monitor.adapterRecovered(at: now)
        }
    }

    /// The kernel dropped packets because nobody fetched them in time.
    func dropped(total: UInt64) {
        state.withLock { $0.dropped = total }
    }

    /// The configuration changed.
    func reload(_ regions: [MonitoredRegion], at now: Instant) {
        update(at: now) { state in
            state.regions = regions
            if let summarize {
                summarize(state.meter?.drained() ?? [])
                state.meter = SignalMeter(regions)
            }
            let identifiers = Set(regions.map(\.region.identifier))
            state.changes = state.changes.filter { identifiers.contains($0.key) }
            return state.pipeline.monitor.regionsReplaced(with: regions, at: now)
        }
    }

    /// Hands over what was heard in a minute that is not over: nothing more comes, or the state has changed.
    func summarizeMinute() {
        state.withLock { summarizeMinute(&$0) }
    }

    private func summarizeMinute(_ state: inout State) {
        if let minutes = state.meter?.drained(), !minutes.isEmpty { summarize?(minutes) }
    }

    private func update(at now: Instant, _ change: (inout State) -> [RegionMonitor.Action]) {
        state.withLock { state in
            let actions = change(&state)
            announce(actions, at: now, &state)
        }
    }

    private func announce(_ actions: [RegionMonitor.Action], at now: Instant, _ state: inout State) {
        guard !actions.isEmpty else { return }
        let time = wallClock.wallTime(of: now)
        for action in actions {
            if case .didDetermineState(let region, _) = action {
                state.changes[region] = time
                summarizeMinute(&state)
            }
            if case .silenceDidEnd(let region, let silence) = action {
                silenceEnded?(SilenceRecord(silence, of: region, at: time))
            }
            if let kind = Event.Kind(action, reason: state.bluetooth.reason) { publish(Event(time: time, kind: kind)) }
        }
    }
}

extension PresenceCore {
    /// What the core knows at one moment.
    struct Snapshot: Sendable {
        var bluetooth: AdapterUpdate
        var isListening: Bool
        var dropped: UInt64
        var counters: PresencePipeline.Counters
        var regions: [RegionMonitor.RegionSnapshot]
        /// When each region's state last changed, on the wall.
        var changes: [String: Int64]
        var deadline: Instant?
        /// Who else is in the air.
        var air: RegionMonitor.Air
        /// How the beacons of each region are judged, in the order of `regions`.
        var judgements: [[RegionMonitor.Judgement]]
    }

    /// How many beacons of a region are told of.
    private static let judgementLimit = 8

    func snapshot(at now: Instant) -> Snapshot {
        state.withLock { state in
            Snapshot(
                bluetooth: state.bluetooth, isListening: state.isListening, dropped: state.dropped,
                counters: state.pipeline.counters, regions: state.pipeline.monitor.regionSnapshots,
                changes: state.changes, deadline: state.pipeline.monitor.nextDeadline,
                air: state.pipeline.monitor.air,
                judgements: state.pipeline.monitor.judgements(at: now, limit: Self.judgementLimit))
        }
    }

    /// What is to be known after a restart.
    func memory(at now: Instant) -> RegionMonitor.Memory {
        state.withLock { $0.pipeline.monitor.memory(at: now) }
    }

    /// The beacons heard since an instant, in no order.
    func beacons(since instant: Instant) -> [RegionMonitor.BeaconSnapshot] {
        state.withLock { $0.pipeline.monitor.beaconSnapshots(since: instant) }
    }
}
