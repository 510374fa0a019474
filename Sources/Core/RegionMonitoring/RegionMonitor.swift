import IBeacon

/// Decides which regions are inside. A value without clocks, files or sockets: each event is passed by a function in
/// the past tense with its time, which returns the events to announce.
///
///     var monitor = RegionMonitor(regions, at: start)
///     announce(monitor.monitoringStarted(at: start))
///     announce(monitor.adapterRecovered(at: start))
///     announce(monitor.sighted(sighting, at: now))         // for each advertisement
///     announce(monitor.advanced(to: now))                  // by a timer set to monitor.nextDeadline
///
/// If packets and the timer wait at the same time, pass the packets first: they were received during the stall.
public struct RegionMonitor: Sendable {
    /// The events to announce, with the terms of CoreLocation. Regions are named by their identifier.
    public enum Action: Hashable, Sendable {
        /// Monitoring has begun. The first of each region.
        case didStartMonitoring(region: String)

        /// The present state: after a change, behind the enter or exit if there is one, and on request.
        case didDetermineState(region: String, RegionState)

        /// A region that was not known to be inside is inside with this beacon; if the region announces entries.
        case didEnterRegion(region: String, RangedBeacon)

        /// A region that was known to be inside is outside; if the region announces exits.
        case didExitRegion(region: String)

        /// The region's beacons of the last ``rangingMemory``, the nearest first; once in ``rangingInterval``.
        case didRangeBeacons(region: String, [RangedBeacon])

        /// The adapter is lost, and nothing can be ranged.
        case rangingBeaconsDidFail(region: String)
        /// No event of a region, but a measure of the quality of the exit times.
        case silenceDidEnd(region: String, EndedSilence)
    }

    /// The minimum number of stored beacons. There is room for every region's own beacons beside.
    public static let beaconCapacity = 2048

    /// The time for which a beacon stays in the ranging list after its last reception, as observed of CoreLocation.
    public static let rangingMemory = Duration.seconds(5)

    /// The time between two ranging callbacks.
    public static let rangingInterval = Duration.seconds(1)

    var trackers: [RegionTracker] = []
    var beacons = BeaconTable()
    @usableFromInline var clock: ListeningClock
    private(set) var matcher: RegionMatcher
    private let startedAt: Instant

    /// The learned values of beacons that are not in the table: by an earlier monitor, or before they were replaced.
    var remembered: [BeaconIdentity: SilenceModel] = [:]

    /// False from ``adapterLost(at:)`` until ``adapterRecovered(at:)``, and before the adapter is first there.
    private(set) var hasAdapter = false

    /// The earliest exit of any region, on the listening clock. May be early, is never late.
    @usableFromInline private(set) var nextExit: Int64?

    /// The regions that may be left one day, in order: all that are not outside, and until they are judged next those
    /// that have just been left. Of thousands of regions few are inside.
    private var timed: [Int] = []

    /// The time of the next ranging callbacks, and the round that they close.
    @usableFromInline var nextRanging: Instant?
    var round: UInt64 = 0

    /// - Parameter now: The start of monitoring. An earlier sighting is ignored.
    public init(_ regions: [MonitoredRegion], at now: Instant) {
        startedAt = now
        clock = ListeningClock(pausedAt: now)
        matcher = RegionMatcher(regions.map(\.region.constraint))
        trackers = regions.map { RegionTracker($0, listeningSince: clock.reading(at: now)) }
    }

    /// The time at which ``advanced(to:)`` is next needed; `nil` without a deadline.
    ///
    /// Inlinable, because it is called after each report: a call would copy the whole monitor.
    public var nextDeadline: Instant? {
        @inlinable @inline(__always)
        get {
            let exit = nextExit.flatMap { clock.instant(ofListened: $0) }
            guard let nextRanging else { return exit }
            return min(exit ?? nextRanging, nextRanging)
        }
    }

    /// Starts monitoring, with or without an adapter.
    public mutating func monitoringStarted(at now: Instant) -> [Action] {
        trackers.flatMap { Self.started($0) }
    }

    /// Handles that the adapter scans.
    public mutating func adapterRecovered(at now: Instant) -> [Action] {
        clock.resume(at: now)
        guard !hasAdapter else { return [] }
        hasAdapter = true
        let listened = clock.reading(at: now)
        for index in trackers.indices { trackers[index].listeningBegan(at: listened) }
        scheduleExits()
        startRangingIfNeeded(at: now)
        return []
    }

    /// Handles that the adapter is gone, off or does not answer. No region is left because of that.
    public mutating func adapterLost(at now: Instant) -> [Action] {
        clock.pause(at: now)
        guard hasAdapter else { return [] }
        hasAdapter = false
        (nextExit, nextRanging) = (nil, nil)
        let awaited = awaitedTimes(at: now)
        var actions: [Action] = []
        for index in trackers.indices {
            if trackers[index].isRanging { actions.append(.rangingBeaconsDidFail(region: trackers[index].identifier)) }
            if trackers[index].adapterLost(awaiting: awaited[index]) {
                actions.append(.didDetermineState(region: trackers[index].identifier, .unknown))
            }
        }
        return actions
    }

    /// Handles that the adapter works but does not scan: another program stopped it, or a join has the antenna.
    public mutating func listeningPaused(at now: Instant) {
        clock.pause(at: now)
    }

    /// Handles that the scan continues after ``listeningPaused(at:)``.
    public mutating func listeningResumed(at now: Instant) {
        if hasAdapter { clock.resume(at: now) }
    }

    /// Records an advertisement that is no beacon's: other devices in the air distinguish an absent beacon from a deaf receiver.
    /// Beacons go to ``sighted(_:at:)`` alone.
    ///
    /// - Parameter address: the advertiser's, or any number that distinguishes it from the others.
    public mutating func advertisementHeard(from address: UInt64, at now: Instant) {
        if clock.heard(from: address, at: now) { deafnessEnded(at: now) }
    }

    /// Handles the reception of a beacon.
    public mutating func sighted(_ sighting: BeaconSighting, at now: Instant) -> [Action] {
        guard hasAdapter, now >= startedAt else { return [] }
        guard let slot = slot(for: sighting, at: now) else { return [] }
        // A beacon of a region is no evidence: a household leaves together.
        let isEvidence = beacons[slot].regions.isEmpty
        let wasDeaf = isEvidence ? clock.heard(from: sighting.identity.key, at: now) : clock.heard(at: now)
        if wasDeaf { deafnessEnded(at: now) }
        let listened = clock.reading(at: now)
        var actions: [Action] = []
        var silences: [(index: Int, silence: EndedSilence)] = []
        for position in beacons[slot].regions.indices
        where trackers[beacons[slot].regions[position]].isSilent(at: listened) {
            silences = silencesEnded(slot: slot, by: sighting, at: now, listened: listened)
            break
        }
        beacons[slot].heard(sighting, at: now, listened: listened, round: round)
        // By position, because a reference to the array would cost more than the access.
        for position in beacons[slot].regions.indices {
            let index = beacons[slot].regions[position]
            switch trackers[index].sighted(slot: slot, signal: beacons[slot].signal.value, at: listened) {
            case .nothing: break
            case .entered: actions += entered(index, slot: slot, at: now)
            case .holderWeakened: actions += holderWeakened(index, slot: slot, at: listened)
            }
        }
        // A signal that is too weak to keep a region or to enter it does not end its silence.
        for (index, silence) in silences where !trackers[index].isSilent(at: listened) {
            actions.append(.silenceDidEnd(region: trackers[index].identifier, silence))
        }
        return actions
    }

    /// Handles that time has passed. It decides exits by the clock, and not at the next advertisement.
    public mutating func advanced(to now: Instant) -> [Action] {
        var actions: [Action] = []
        if let nextRanging, nextRanging <= now { actions += ranged(at: now) }
        if clock.pausedAt == nil, let nextExit {
            let listened = clock.readingForJudgement(at: now)
            if nextExit <= listened.listened { actions += silenceJudged(at: listened, now) }
        }
        return actions
    }

    /// Requests a region's state: CoreLocation's `requestState(for:)`.
    public func stateRequested(region identifier: String) -> [Action] {
        trackers.filter { $0.identifier == identifier }.map { .didDetermineState(region: identifier, $0.state) }
    }

    /// Replaces the regions. One with the same beacons keeps its state; a new one with an old identifier starts anew.
    ///
    /// - Parameters:
    ///   - memory: The memory of the regions that are new here, as in ``restored(_:)``.
    ///   - formerNames: The former identifiers of regions that have another one now, by the new one. With the same beacons, such a
    ///     region keeps its state too.
    public mutating func regionsReplaced(
        with regions: [MonitoredRegion], knowing memory: Memory = Memory(), formerNames: [String: String] = [:],
        at now: Instant
    ) -> [Action] {
        let known = Dictionary(trackers.map { ($0.region.region, $0) }, uniquingKeysWith: { first, _ in first })
        let listened = clock.reading(at: now)
        var actions: [Action] = []
        trackers = regions.map { region in
            guard var tracker = known[region.region] else {
                let former = formerNames[region.region.identifier]
                    .map { BeaconRegion(identifier: $0, constraint: region.region.constraint) }
                if let former, var tracker = known[former] {
                    tracker.region = region
                    actions += Self.started(tracker)
                    return tracker
                }
                var tracker = RegionTracker(region, listeningSince: listened)
                if let known = memory.regions.first(where: { $0.region == region.region }) {
                    tracker.remembered(known.lastKnown, awaiting: known.learnedExitTime)
                }
                actions += Self.started(tracker)
                return tracker
            }
            tracker.region = region
            return tracker
        }
        matcher = RegionMatcher(regions.map(\.region.constraint))
        beacons.rematch(matcher)
        if hasAdapter { scheduleExits() }
        startRangingIfNeeded(at: now)
        return actions
    }

    private static func started(_ tracker: RegionTracker) -> [Action] {
        [
            .didStartMonitoring(region: tracker.identifier),
            .didDetermineState(region: tracker.identifier, tracker.state),
        ]
    }
}

// MARK: Transitions

extension RegionMonitor {
    @inline(__always)
    private mutating func slot(for sighting: BeaconSighting, at now: Instant) -> Int? {
        if let slot = beacons.slot(of: sighting.identity) { return slot }
        let regions = matcher.matches(sighting.identity)
        var track = BeaconTrack(sighting, regions: regions, at: now, listened: clock.reading(at: now))
        if let silences = remembered[sighting.identity] { track.silences = silences }
        let place = beacons.insert(
            track,
            capacity: Self.beaconCapacity + trackers.count,
            isHolder: { slot, track in track.regions.contains { trackers[$0].phase == .inside(holder: slot) } })
        if let (identity, silences) = place?.evicted,
            remembered.count < Self.memoryCapacity || remembered[identity] != nil
        {
            remembered[identity] = silences
        }
        return place?.slot
    }

    private mutating func entered(_ index: Int, slot: Int, at now: Instant) -> [Action] {
        scheduleExit(of: index)
        startRangingIfNeeded(at: now, heardFrom: slot)
        let region = trackers[index].region
        let identifier = region.region.identifier
        let isNews = trackers[index].becameKnownInside()
        let track = beacons[slot]
        let beacon = RangedBeacon(
            identity: track.identity, rssi: Int(track.lastRSSI ?? 0), accuracy: track.accuracy(in: region))
        return (isNews && region.notifyOnEntry ? [.didEnterRegion(region: identifier, beacon)] : [])
            + [.didDetermineState(region: identifier, .inside)]
    }

    private mutating func left(_ index: Int, bySilenceAt silence: Instant? = nil) -> [Action] {
        let region = trackers[index].region
        let identifier = region.region.identifier
        let isNews = trackers[index].left(bySilenceAt: silence)
        return (isNews && region.notifyOnExit ? [.didExitRegion(region: identifier)] : [])
            + [.didDetermineState(region: identifier, .outside)]
    }

    private mutating func holderWeakened(_ index: Int, slot: Int, at listened: ListeningClock.Reading) -> [Action] {
        let tracker = trackers[index]
        let others = beacons.tracks.indices.filter { candidate in
            let track = beacons.tracks[candidate]
            return candidate != slot && track.regions.contains(index) && tracker.holds(track.signal.value)
                && listened.listened < tracker.deadline(of: track, at: listened)
        }
        // The beacon received last: its silence is the region's.
        let other = others.max { (one, other) in
            let (one, other) = (beacons.tracks[one], beacons.tracks[other])
            return (one.lastListened.listened, one.lastHeard) < (other.lastListened.listened, other.lastHeard)
        }
        guard let other else { return left(index) }
        trackers[index].holderReplaced(by: other, heardAt: beacons.tracks[other].lastListened)
        scheduleExit(of: index)
        return []
    }

    private mutating func silenceJudged(at listened: ListeningClock.Reading, _ now: Instant) -> [Action] {
        let learned = learnedDeadlines(at: listened)
        var actions: [Action] = []
        nextExit = nil
        var position = 0
        while position < timed.count {
            let index = timed[position]
            guard let earliest = trackers[index].deadline(at: listened) else {
                timed.remove(at: position)
                continue
            }
            position += 1
            let deadline = max(earliest, learned[index] ?? earliest)
            if deadline <= listened.listened {
                actions += left(index, bySilenceAt: now)
            } else {
                nextExit = min(nextExit ?? deadline, deadline)
            }
        }
        return actions
    }

    /// Returns the exits of the regions that have been silent for the shortest time that is ever learned; those of
    /// others are not needed yet, and in a house where every beacon is received every second there are none.
    private func learnedDeadlines(at listened: ListeningClock.Reading) -> [Int: Int64] {
        func isSilent(_ index: Int) -> Bool {
            trackers[index].learns && trackers[index].earliestDeadline.map { $0 <= listened.listened } ?? false
        }
        guard timed.contains(where: isSilent) else { return [:] }
        var deadlines: [Int: Int64] = [:]
        for slot in beacons.tracks.indices {
            for index in beacons[slot].regions
            where isSilent(index) && trackers[index].holds(beacons[slot].signal.value) {
                let deadline = trackers[index].deadline(of: beacons[slot], at: listened)
                deadlines[index] = max(deadlines[index] ?? .min, deadline)
            }
        }
        return deadlines
    }

    /// Judges every silence again: the last judgement assumed that the receiver remains deaf.
    private mutating func deafnessEnded(at now: Instant) {
        scheduleExits()
        nextExit = nextExit.map { max($0, clock.reading(at: now).listened) }
    }

    private mutating func scheduleExits() {
        timed = trackers.indices.filter { trackers[$0].earliestDeadline != nil }
        nextExit = timed.compactMap { trackers[$0].earliestDeadline }.min()
    }

    private mutating func scheduleExit(of index: Int) {
        guard let deadline = trackers[index].earliestDeadline else { return }
        let position = timed.firstIndex { $0 >= index } ?? timed.endIndex
        if position == timed.endIndex || timed[position] != index { timed.insert(index, at: position) }
        nextExit = min(nextExit ?? deadline, deadline)
    }
}
