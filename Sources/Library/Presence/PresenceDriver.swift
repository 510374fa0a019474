package import HCI
package import IBeacon
package import OkaeriBluetooth
package import OkaeriPlumbing
package import RegionMonitoring
import Synchronization

/// The only owner of a region monitor, for the daemon and for the library. A source drives it from its own thread;
/// other threads receive copies of its values; events are published in order.
package final class PresenceDriver: ScannerDelegate {
    /// Receives each event in order, while the driver is locked: it must not call back.
    package typealias Publisher = @Sendable (PresenceEvent, Moment) -> Void

    package struct State: Sendable {
        package var regions: [MonitoredRegion]
        /// The identities of phones, by their key files. A phone without one is never received.
        var identities: [String: DeviceIdentity]
        /// Replaced at the start of the source: a capture's clock is not known before its first packet.
        package var pipeline: PresencePipeline
        package var isStarted = false
        /// The masks that were proposed last, and when they were determined, in nanoseconds.
        var proposals: (time: Int64, masks: [BeaconIdentity: BeaconMask])?
        package var bluetooth = AdapterUpdate.starting
        /// The interval and window of the scan; `nil` while advertisements are not received.
        package var listening: ScanTiming?
        /// The choice of the interval and window, with its reason; `nil` before the first scan, and for a capture.
        package var mode: ScanMode?
        /// The time of listening, and the part of it in which the scan windows were open.
        var airTime = AirTime()
        /// The begin of the present pause of the scan; `nil` before the start, and while the adapter scans.
        package var pausedSince: Instant?
        /// The number of starts of the scan.
        package var scans: UInt64 = 0
        package var dropped: UInt64 = 0
        var liveness: RadioLiveness
        /// Whether the own radio was taken to be paused, because it may be mute, when the report of another one was judged.
        var isOwnDoubted = false
        /// The latest time of the source's next turn, as the driver determined it: the maximum if only an input changes anything, and `nil`
        /// while its silences do not count.
        var turnDue: Int64?
        /// The time of each region's last change of state, on the wall clock.
        package var changes: [String: Int64] = [:]
        /// The last known state of each region, inside or outside, and the time of the change to it.
        var known: [String: KnownState] = [:]
        package var memory = RegionMonitor.Memory()

        /// Stores the battery levels under the identities that stand for beacons in the regions.
        mutating func normalizeBatteries() {
            let monitor = pipeline.monitor
            pipeline.batteries.normalize { monitor.normalized($0) }
        }

        /// Stores the time of a change of state. After an interruption, such as a restart, the same state continues from its first time.
        mutating func determined(_ determined: RegionState, region: String, at time: Int64) {
            changes[region] = time
            guard determined != .unknown else { return }
            // The clock may have been set back since.
            if let earlier = known[region], earlier.state == determined, earlier.since <= time {
                changes[region] = earlier.since
            } else {
                known[region] = KnownState(state: determined, since: time)
            }
        }

        /// Moves the times of renamed regions to their new names, and deletes those of regions that are unknown or not monitored any longer.
        mutating func regionsReplaced(formerNames: [String: String]) {
            for (new, former) in formerNames {
                (changes[new], known[new]) = (changes[former], known[former])
            }
            let identifiers = Set(regions.map(\.identifier))
            changes = changes.filter { identifiers.contains($0.key) }
            let states = pipeline.monitor.regionSnapshots.map { ($0.region.identifier, $0.lastKnown) }
            let present = Dictionary(states) { first, _ in first }
            known = known.filter { present[$0.key] == $0.value.state }
        }

        /// Makes a new resolver for the phones of the monitor.
        mutating func resolvePhones() {
            pipeline.phones = AddressResolver(pipeline.monitor.phoneFiles.map { identities[$0] })
        }
    }

    struct KnownState: Sendable {
        var state: RegionState
        /// On the wall clock, in nanoseconds since 1970.
        var since: Int64
    }

    let state: Mutex<State>
    private let start = AsyncStream.makeStream(of: Never.self)
    private let clock: any WallClock
    let handler: PresencePipeline.SightingHandler?
    let radioNames: RadioNames
    private let publish: Publisher

    /// - Parameters:
    ///   - identities: The identities of the regions' phones, by their key files.
    ///   - quietPeriod: The length of a silence from which on it counts only after an answer of the controller; `nil`
    /// for a source that cannot stop answering, such as a capture.
    ///   - radioNames: Receives the names of the other radios.
    ///   - handler: Receives each sighting of a region's beacon, while the driver is locked; the positions of its
    /// regions are those in `regions`.
    package init(
        regions: [MonitoredRegion], identities: [String: DeviceIdentity] = [:], clock: any WallClock,
        quietPeriod: Duration? = nil, radioNames: RadioNames = RadioNames(),
        handler: PresencePipeline.SightingHandler? = nil, publish: @escaping Publisher
    ) {
        self.radioNames = radioNames
        self.state = Mutex(
            State(
                regions: regions, identities: identities,
                pipeline: PresencePipeline(RegionMonitor(regions, at: Instant(nanoseconds: 0))),
                liveness: RadioLiveness(quietPeriod: quietPeriod)))
        self.clock = clock
        self.handler = handler
        self.publish = publish
    }

    /// Goes on from what was known before, of the regions watched at the start, or, if called later, from then on.
    ///
    /// - Parameter since: The times of the changes to the last known states, in nanoseconds since 1970, by the regions' identifiers.
    package func restore(_ memory: RegionMonitor.Memory, since: [String: Int64] = [:]) {
        state.withLock { state in
            state.memory = memory
            for region in memory.regions where !state.isStarted && region.lastKnown != .unknown {
                state.known[region.identifier] = since[region.identifier].map {
                    KnownState(state: region.lastKnown, since: $0)
                }
            }
            state.pipeline.monitor.restored(state.isStarted ? .init(beacons: memory.beacons) : memory)
        }
    }

    /// Stores battery levels and readings from before the start.
    package func restore(_ levels: [BeaconBattery], readings: [BeaconIdentity: Instant] = [:]) {
        state.withLock { state in
            for level in levels { state.pipeline.batteries.levelReceived(level) }
            for (identity, time) in readings { state.pipeline.batteries.readingBegan(identity, at: time) }
            state.normalizeBatteries()
        }
    }

    /// Replaces the watched regions.
    ///
    /// - Parameters:
    ///   - identities: The identities of their phones, by their key files; `nil` leaves them.
    ///   - quietPeriod: The length of a silence from which on it counts only after an answer of the controller; `nil` leaves it.
    ///   - change: Receives the regions, while the driver is locked.
    package func updateRegions(
        at now: Instant, identities: [String: DeviceIdentity]? = nil, quietPeriod: Duration? = nil,
        _ change: (inout [MonitoredRegion]) -> Void
    ) {
        state.withLock { state in
            if let quietPeriod { state.liveness.quietPeriod = quietPeriod }
            let (before, phones) = (state.regions, state.pipeline.monitor.phoneFiles)
            let former = Set(before.map(\.identifier))
            change(&state.regions)
            let identifiers = Set(state.regions.map(\.identifier))
            let formerNames = Self.formerNames(before, state.regions)
            // Without this event, the last state would continue in the history for as long as the daemon runs.
            let ended = former.subtracting(identifiers).sorted().filter { state.pipeline.monitor.isKnown($0) }
            publish(ended.map { .didDetermineState(region: $0, .unknown) }, at: now, &state)
            let actions = state.pipeline.monitor.regionsReplaced(
                with: state.regions, knowing: state.memory,
                formerNames: formerNames, at: now)
            state.regionsReplaced(formerNames: formerNames)
            state.normalizeBatteries()
            if let identities, identities != state.identities || phones != state.pipeline.monitor.phoneFiles {
                state.identities = identities
                state.resolvePhones()
            }
            if state.isStarted {
                // Used once: a region that is removed and added again starts as unknown.
                state.memory.regions.removeAll { known in state.regions.contains { known.isSame(as: $0) } }
            }
            publish(actions, at: now, &state)
            guard state.bluetooth.isFailure else { return }
            for case .didStartMonitoring(let region) in actions {
                publish(.monitoringDidFail(region: region, bluetooth: state.bluetooth), time(of: now))
            }
        }
    }

    /// Passes the state of Bluetooth and of each region to `look`, while the driver is locked, so that no change of them is
    /// published meanwhile.
    package func withStates(_ look: (AdapterUpdate, [RegionMonitor.RegionSnapshot]) -> Void) {
        state.withLock { look($0.bluetooth, $0.pipeline.monitor.regionSnapshots) }
    }

    /// Returns the former identifiers of the regions that have another one now: of the same signs, if no other region could be meant.
    static func formerNames(_ before: [MonitoredRegion], _ after: [MonitoredRegion]) -> [String: String] {
        let kept = Set(before.map(\.identifier)).intersection(after.map(\.identifier))
        let old = Dictionary(grouping: before.filter { !kept.contains($0.identifier) }, by: \.identities)
        let new = Dictionary(grouping: after.filter { !kept.contains($0.identifier) }, by: \.identities)
        return new.reduce(into: [:]) { names, found in
            guard found.value.count == 1, let former = old[found.key], former.count == 1 else { return }
            names[found.value[0].identifier] = former[0].identifier
        }
    }

    /// Publishes a region's present state, as if it had been determined: CoreLocation's `requestState(for:)`.
    package func requestState(ofRegion identifier: String, at now: Instant) {
        state.withLock { state in
            for action in state.pipeline.monitor.stateRequested(region: identifier) {
                publish(.action(action, bluetooth: state.bluetooth), time(of: now))
            }
        }
    }
}

// MARK: The source's thread

extension PresenceDriver {
    /// Starts monitoring; once, however often it is called.
    package func scannerWillStart(at time: Int64) {
        let now = Instant(nanoseconds: time)
        state.withLock { state in
            guard !state.isStarted else { return }
            state.isStarted = true
            state.pausedSince = now
            let (batteries, tap) = (state.pipeline.batteries, state.pipeline.tap)
            state.pipeline = PresencePipeline(RegionMonitor(state.regions, at: now))
            (state.pipeline.batteries, state.pipeline.tap) = (batteries, tap)
            state.resolvePhones()
            state.pipeline.monitor.restored(state.memory)
            state.memory = RegionMonitor.Memory()
            publish(state.pipeline.monitor.monitoringStarted(at: now), at: now, &state)
        }
        start.continuation.finish()
    }

    /// Waits until monitoring has started.
    package func started() async { for await _ in start.stream {} }

    package func scannerDidReceive(_ event: RawSpan, at time: Int64) -> Bool {
        state.withLock { state in
            let before = state.pipeline.counters.reports
            received(event, at: Instant(nanoseconds: time), &state)
            return state.pipeline.counters.reports != before
        }
    }

    // Inlined into the replay of a capture, which processes a million reports a second.
    @inline(__always)
    package func scannerDidReceive<Failure>(_ events: (_ each: Each) throws(Failure) -> Void) throws(Failure) {
        try state.withLock { state throws(Failure) in
            try events { event, time in
                received(event, at: Instant(nanoseconds: time), &state)
                return state.pipeline.monitor.nextDeadline?.nanoseconds
            }
        }
    }

    @inline(__always)
    private func received(_ event: RawSpan, at now: Instant, _ state: inout State) {
        if state.isOwnDoubted { doubtEnded(at: now, &state) }
        if state.liveness.reportReceived(at: now) {
            publish(state.pipeline.monitor.adapterRecovered(at: now), at: now, &state)
        }
        let others = state.pipeline.counters.others
        let actions = state.pipeline.received(event: event, at: now, handler: handler)
        if state.pipeline.counters.others != others { state.liveness.otherDeviceHeard(at: now) }
        if !actions.isEmpty { publish(actions, at: now, &state) }
    }

    package func scannerDidStall(from: Int64, until: Int64) {
        state.withLock { state in
            guard state.listening != nil, !state.liveness.isSuspect, !state.isOwnDoubted else { return }
            state.pipeline.monitor.listeningPaused(at: Instant(nanoseconds: from))
            state.pipeline.monitor.listeningResumed(at: Instant(nanoseconds: until))
        }
    }

    package func scannerDidHearController(at time: Int64) {
        let now = Instant(nanoseconds: time)
        state.withLock { state in
            state.liveness.controllerHeard(at: now)
            if state.isOwnDoubted { doubtEnded(at: now, &state) }
        }
    }

    @inline(never)
    private func doubtEnded(at now: Instant, _ state: inout State) {
        state.isOwnDoubted = false
        if state.listening != nil, !state.liveness.isSuspect { state.pipeline.monitor.listeningResumed(at: now) }
    }

    /// Every waiting packet has gone in. Judges silence if the scan runs: a dead radio must not cause an exit.
    package func scannerDidFinishTurn(at time: Int64) -> Int64? {
        let now = Instant(nanoseconds: time)
        return state.withLock { state in
            // A later report decides whether the receiver was deaf; until then no silence grows.
            if state.liveness.suspected(at: now) { state.pipeline.monitor.listeningPaused(at: now) }
            if state.liveness.suspicionExpired(at: now) {
                publish(state.pipeline.monitor.adapterLost(at: now), at: now, &state)
            }
            guard state.liveness.isCertain(at: now) else {
                state.turnDue = nil
                return state.liveness.suspicionExpiry?.nanoseconds
            }
            publish(state.pipeline.monitor.advanced(to: now), at: now, &state)
            state.turnDue = state.listening == nil ? nil : state.pipeline.monitor.nextDeadline?.nanoseconds ?? .max
            return [state.pipeline.monitor.nextDeadline, state.liveness.suspectAt].compactMap(\.self).min()?.nanoseconds
        }
    }

    package func scannerDidUpdate(_ update: AdapterUpdate, at time: Int64) {
        let now = Instant(nanoseconds: time)
        state.withLock { state in
            state.bluetooth = update
            publish(.bluetoothStateDidUpdate(update), self.time(of: now))
            if update.isFailure {
                for region in state.regions {
                    publish(.monitoringDidFail(region: region.identifier, bluetooth: update), self.time(of: now))
                }
            }
            guard update.state != .poweredOn else { return }
            state.turnDue = nil
            state.liveness.adapterLost()
            publish(state.pipeline.monitor.adapterLost(at: now), at: now, &state)
        }
    }

    /// Handles that the scan began, or was interrupted: a pause is not a silence.
    package func scannerDidChangeListening(_ timing: ScanTiming?, at time: Int64) {
        let now = Instant(nanoseconds: time)
        state.withLock { state in
            let isListening = timing != nil
            state.listening = timing
            (state.pausedSince, state.isOwnDoubted) = (isListening ? nil : now, false)
            // A start with another timing is a change of the mode, and not the end of an incident.
            let isRetimed = timing != nil && state.airTime.timing.map { $0 != timing } ?? false
            if isListening, !isRetimed { state.scans += 1 }
            state.airTime.listeningChanged(timing, at: now)
            state.liveness.listeningChanged(timing?.share, isRetimed: isRetimed, at: now)
            guard let timing else {
                state.turnDue = nil
                return state.pipeline.monitor.listeningPaused(at: now)
            }
            state.pipeline.monitor.listeningShareChanged(to: timing.share, at: now)
            publish(state.pipeline.monitor.adapterRecovered(at: now), at: now, &state)
            if state.liveness.isSuspect { state.pipeline.monitor.listeningPaused(at: now) }
        }
    }

    /// Handles that the source has ended: the beacons of the last part of a second are ranged.
    package func endRanging(at now: Instant) {
        state.withLock { publish($0.pipeline.monitor.rangingEnded(at: now), at: now, &$0) }
    }

    package func scannerDidChoose(_ mode: ScanMode, at time: Int64) {
        state.withLock { $0.mode = mode }
    }

    package var wantsContinuousScan: Bool { state.withLock(\.pipeline.monitor.hasLateBeacon) }

    package func scannerDidDrop(total: UInt64) {
        state.withLock { $0.dropped = total }
    }

    package var silenceLimit: Duration? { state.withLock(\.liveness.silenceLimit) }

    package var nextDeadline: Int64? { state.withLock(\.pipeline.monitor.nextDeadline)?.nanoseconds }

    func publish(_ actions: [RegionMonitor.Action], at now: Instant, _ state: inout State) {
        guard !actions.isEmpty else { return }
        let time = time(of: now)
        for action in actions {
            if case .didDetermineState(let region, let determined) = action {
                state.determined(determined, region: region, at: time.wall)
                state.liveness.determined(determined, region: region, at: now)
            }
            publish(.action(action, bluetooth: state.bluetooth), time)
        }
    }

    private func time(of instant: Instant) -> Moment {
        Moment(instant: instant.nanoseconds, wall: clock.wallTime(of: instant))
    }
}

extension MonitoredRegion {
    fileprivate var identities: Set<RegionSign.Identity> { Set(signs.map(\.identity)) }
}

extension RegionMonitor {
    fileprivate func isKnown(_ identifier: String) -> Bool {
        stateRequested(region: identifier) != [.didDetermineState(region: identifier, .unknown)]
    }
}
