import IBeacon
import OkaeriPlumbing

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

    var regions: [RegionTracker] = []

    /// The signs of all regions, region by region.
    var signs: [SignTracker] = []
    var beacons = BeaconTable()
    var radios: Radios
    var matcher = RegionMatcher([])
    let startedAt: Instant

    /// The phones of all signs, each once.
    var phones: [Phone] = []

    /// The learned values of beacons that are not in the table: by an earlier monitor, or before they were replaced.
    var remembered: [BeaconIdentity: BeaconMemory] = [:]

    /// The earliest end of any sign; `nil` while no radio scans. May be early, is never late.
    @usableFromInline private(set) var nextExit: Instant?

    /// The time at which the next beacon may be late, and the signs whose beacons are late; see ``hasLateBeacon``.
    @usableFromInline var nextLateness: Instant?
    var lateSigns: [Int] = []

    /// The times at which signs are judged next, of those that may end one day: all that are not outside, and until their time some
    /// that are. Of thousands of signs few are inside.
    private(set) var deadlines = DeadlineHeap()

    /// The signs whose time has come, during a judgement. Kept, so that a judgement allocates nothing.
    private var due: [Int] = []

    /// The time at which the next radio that a sign waits for is not waited for any longer, in nanoseconds.
    private var nextWait = Int64.max

    /// The time of the next ranging callbacks, and the round that they close.
    @usableFromInline var nextRanging: Instant?
    var round: UInt64 = 0

    /// - Parameter now: The start of monitoring. An earlier sighting is ignored.
    public init(_ regions: [MonitoredRegion], at now: Instant) {
        startedAt = now
        radios = Radios(pausedAt: now)
        for region in regions { add(region, listeningSince: radios.start(at: now)) }
        matcher = RegionMatcher(signs.map(\.sign.constraint))
        deadlines.removeAll(signs: signs.count)
        collectPhones()
    }

    /// The time at which ``advanced(to:)`` is next needed; `nil` without a deadline.
    ///
    /// Inlinable, because it is called after each report: a call would copy the whole monitor.
    public var nextDeadline: Instant? {
        @inlinable @inline(__always)
        get {
            var earliest = nextExit
            if let nextRanging { earliest = min(earliest ?? nextRanging, nextRanging) }
            if let nextLateness { earliest = min(earliest ?? nextLateness, nextLateness) }
            return earliest
        }
    }

    /// Starts monitoring, with or without an adapter.
    public mutating func monitoringStarted(at now: Instant) -> [Action] {
        regions.flatMap { Self.started($0) }
    }

    /// Records an advertisement that is not a beacon's: other devices in the air distinguish an absent beacon from a deaf receiver.
    /// Beacons go to ``sighted(_:at:)`` alone.
    ///
    /// - Parameters:
    ///   - address: the advertiser's, or any number that distinguishes it from the others.
    ///   - radio: The radio that received it.
    public mutating func advertisementHeard(from address: UInt64, by radio: RadioID = .own, at now: Instant) {
        if radios.heard(from: address, by: radio.position, at: now).wasDeaf { deafnessEnded(at: now) }
    }

    /// Handles the reception of a beacon.
    public mutating func sighted(_ sighting: BeaconSighting, at now: Instant) -> [Action] {
        var sighting = sighting
        return sighted(normalizing: &sighting, at: now)
    }

    /// Handles the reception of a beacon, and replaces its identity by the one that stands for it in the regions.
    @usableFromInline
    package mutating func sighted(normalizing sighting: inout BeaconSighting, at now: Instant) -> [Action] {
        sighting.identity = matcher.normalized(sighting.identity)
        guard !radios.isLost(sighting.radio.position), now >= startedAt else { return [] }
        guard let slot = slot(for: sighting, at: now) else { return [] }
        return sighted(sighting, in: slot, at: now)
    }

    /// Handles the reception of the beacon or phone in a slot.
    @inline(__always)
    mutating func sighted(_ sighting: BeaconSighting, in slot: Int, at now: Instant) -> [Action] {
        let radio = sighting.radio.position
        // A beacon of a region is not evidence: a household leaves together.
        let isEvidence = beacons[slot].regions.isEmpty
        let (wasDeaf, listened) = radios.heard(
            from: isEvidence ? sighting.identity.key : nil, by: radio, at: now)
        if wasDeaf { deafnessEnded(at: now) }
        var actions: [Action] = []
        // No empty array: it would cost a reference count for each report.
        var silences: [(index: Int, silence: EndedSilence)]?
        for position in beacons[slot].signs.indices
        where signs[beacons[slot].signs[position]].isSilent(at: now) {
            silences = silencesEnded(slot: slot, by: sighting, at: now)
            break
        }
        if beacons[slot].isHeardOnly(by: radio) {
            beacons[slot].heard(sighting, at: now, listened: listened, round: round)
        } else {
            let longest = beacons[slot].signs.reduce(0) { max($0, signs[$1].exitAfter ?? .max) }
            beacons[slot].heard(
                sighting, at: now, listened: listened, among: radios, exitAfter: longest < .max ? longest : nil,
                round: round)
        }
        // By position, because a reference to the array would cost more than the access.
        for position in beacons[slot].signs.indices {
            let index = beacons[slot].signs[position]
            switch signs[index].sighted(
                slot: slot, rssi: sighting.rssi, signal: beacons[slot].signal.value, at: beacons[slot].silence)
            {
            case .nothing: break
            case .entered: actions += entered(index, slot: slot, at: now)
            case .holderWeakened: actions += holderWeakened(index, slot: slot, at: now)
            }
            if signs[index].isJudgedByLearnedEnd { learnedEndChanged(of: index, at: now) }
            if radios.areSeveral { radioChanged(of: index, at: now) }
        }
        if hasLateBeacon { latenessEnded(at: now) }
        // A signal that is too weak to keep a region or to enter it does not end its silence.
        if let silences {
            for (index, silence) in silences where !signs[index].isSilent(at: now) {
                actions.append(.silenceDidEnd(region: regions[signs[index].region].identifier, silence))
            }
        }
        return actions
    }

    /// Handles that time has passed. It decides exits by the clock, and not at the next advertisement.
    public mutating func advanced(to now: Instant) -> [Action] {
        var actions: [Action] = []
        if let nextRanging, nextRanging <= now { actions = ranged(at: now) }
        if let nextLateness, nextLateness <= now { latenessJudged(at: now) }
        if let nextExit, nextExit <= now {
            let exits = silenceJudged(at: now)
            if !exits.isEmpty { actions += exits }
        }
        return actions
    }

    /// Requests a region's state: CoreLocation's `requestState(for:)`.
    public func stateRequested(region identifier: String) -> [Action] {
        regions.filter { $0.identifier == identifier }.map { .didDetermineState(region: identifier, $0.state) }
    }

    static func started(_ tracker: RegionTracker) -> [Action] {
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
        return inserted(sighting, signs: matcher.matches(sighting.identity), isPhone: false, at: now)
    }

    /// Makes a place in the table for a beacon or a phone that is received for the first time.
    mutating func inserted(_ sighting: BeaconSighting, signs: [Int], isPhone: Bool, at now: Instant) -> Int? {
        let radio = sighting.radio.position
        let silence = SilenceStart(at: now, radio: radio, reading: radios.reading(of: radio, at: now))
        var track = BeaconTrack(sighting, signs: signs, silence: silence)
        track.regions = regions(of: signs)
        if let memory = remembered[sighting.identity] {
            (track.silences, track.earlier) = (memory.silences, memory.radios)
        }
        track.isPhone = isPhone
        let place = beacons.insert(
            track,
            capacity: Self.beaconCapacity + self.signs.count,
            isHolder: { slot, track in track.signs.contains { self.signs[$0].phase == .inside(holder: slot) } })
        guard let place else { return nil }
        if let replaced = place.replaced { left(replaced, slot: place.slot, at: now) }
        for index in signs { self.signs[index].add(place.slot) }
        return place.slot
    }

    /// Handles that a beacon of a region has lost its place in the table.
    private mutating func left(_ track: BeaconTrack, slot: Int, at now: Instant) {
        for index in track.signs {
            signs[index].remove(slot)
            if signs[index].isJudgedByLearnedEnd { learnedEndChanged(of: index, at: now) }
        }
        if track.silences.isTaught, remembered.count < Self.memoryCapacity || remembered[track.identity] != nil {
            remembered[track.identity] = track.memory(radios)
        }
    }

    private mutating func entered(_ index: Int, slot: Int, at now: Instant) -> [Action] {
        scheduleExit(of: index, at: now)
        signs[index].becameKnownInside()
        let actions = stateDetermined(of: signs[index].region)
        startRangingIfNeeded(at: now, heardFrom: slot)
        return actions
    }

    private mutating func left(_ index: Int, bySilenceAt silence: Instant? = nil) -> [Action] {
        signs[index].left(bySilenceAt: silence)
        return stateDetermined(of: signs[index].region)
    }

    /// Determines a region's state from those of its signs, and returns the events if it has changed.
    mutating func stateDetermined(of index: Int) -> [Action] {
        let state = RegionState(ofAny: signs[regions[index].signs].lazy.map(\.state))
        return state == regions[index].state ? [] : became(state, index)
    }

    /// Returns the events of a region's state.
    mutating func became(_ state: RegionState, _ index: Int) -> [Action] {
        let (region, signs) = (regions[index].region, signs[regions[index].signs])
        let isNews = regions[index].became(state)
        var actions: [Action] = []
        switch state {
        case .inside:
            guard isNews, region.notifyOnEntry, let sign = signs.first(where: { $0.state == .inside }),
                case .inside(let holder) = sign.phase
            else { break }
            actions = [.didEnterRegion(region: region.identifier, beacons[holder].entered(sign.sign))]
        case .outside:
            if isNews, region.notifyOnExit { actions = [.didExitRegion(region: region.identifier)] }
        case .unknown: break
        }
        return actions + [.didDetermineState(region: region.identifier, state)]
    }

    private mutating func holderWeakened(_ index: Int, slot: Int, at now: Instant) -> [Action] {
        let sign = signs[index]
        let others = sign.slots.filter { candidate in
            candidate != slot && sign.holds(beacons[candidate].signal.value)
                && remaining(of: beacons[candidate], by: index, at: now) > 0
        }
        // The beacon received last: its silence is the sign's.
        guard let other = others.max(by: { beacons.tracks[$0].lastHeard < beacons.tracks[$1].lastHeard }) else {
            return left(index)
        }
        signs[index].holderReplaced(by: other, silentSince: beacons.tracks[other].silence)
        scheduleExit(of: index, at: now)
        return []
    }

    private mutating func silenceJudged(at now: Instant) -> [Action] {
        if nextWait <= now.nanoseconds {
            waitsEnded(at: now)
            scheduleExits(at: now)
        }
        var actions: [Action] = []
        var shared: SharedRemaining?
        if let only = deadlines.onlyDue(at: now) {
            // Mostly one: no list, and one change of the heap.
            if isEndJudged(of: only, at: now, &shared) { actions = left(only, bySilenceAt: now) }
        } else {
            while let index = deadlines.popped(at: now) { due.append(index) }
            // Signs that end together do so in the order of the configuration.
            due.sort()
            for position in due.indices where isEndJudged(of: due[position], at: now, &shared) {
                actions += left(due[position], bySilenceAt: now)
            }
            due.removeAll(keepingCapacity: true)
        }
        nextExit = deadlines.earliest
        if hasLateBeacon { latenessEnded(at: now) }
        return actions
    }

    /// Judges the silence of a sign whose time has come, and sets its next time. Returns whether it has ended.
    private mutating func isEndJudged(of index: Int, at now: Instant, _ shared: inout SharedRemaining?) -> Bool {
        guard let earliest = signs[index].earliestEnd else {
            deadlines.remove(index)
            return false
        }
        var left = remaining(of: index, until: earliest, at: now, isJudged: true, &shared)
        signs[index].isJudgedByLearnedEnd = false
        if left <= 0, signs[index].learns, let learned = learnedRemaining(of: index, at: now), learned > left {
            left = learned
            signs[index].isJudgedByLearnedEnd = true
        }
        guard left > 0 else {
            deadlines.remove(index)
            return true
        }
        deadlines.set(index, to: now.nanoseconds.addingClamped(left))
        return false
    }

    /// Returns the time until the learned end of a sign's silence, by those of its beacons that are strong enough; `nil` without one.
    /// It is needed only after the shortest silence that is ever learned.
    ///
    /// Mutating, as those below are: a monitor that must not change would be copied for the call.
    private mutating func learnedRemaining(of index: Int, at now: Instant) -> Int64? {
        var longest: Int64?
        for slot in signs[index].slots where signs[index].holds(beacons[slot].signal.value) {
            let remaining =
                beacons[slot].silence.isOwn
                ? radios.remaining(
                    since: beacons[slot].silence, at: now, isJudged: true, limit: signs[index].end(of: beacons[slot]))
                : radios.remaining(since: beacons[slot].silence, at: now, isJudged: true) {
                    signs[index].end(of: beacons[slot], at: $0)
                }
            longest = max(longest ?? .min, remaining)
        }
        return longest
    }

    /// Handles that another radio may have received a sign's beacon: one that listens for more of the time ends the silence sooner.
    private mutating func radioChanged(of index: Int, at now: Instant) {
        guard let end = signs[index].earliestEnd, let time = deadlines.time(of: index) else { return }
        let soonest = now.nanoseconds.addingClamped(end.length)
        guard soonest < time else { return }
        deadlines.set(index, to: soonest)
        nextExit = deadlines.earliest
    }

    /// Handles that a beacon of a sign was received, or left the table, after the sign's learned end was determined: the end may come
    /// sooner now.
    private mutating func learnedEndChanged(of index: Int, at now: Instant) {
        signs[index].isJudgedByLearnedEnd = false
        var shared: SharedRemaining?
        scheduleEnd(of: index, at: now, notBefore: now, &shared)
        nextExit = deadlines.earliest
    }

    /// Returns the time until the silence of a sign reaches a limit; the maximum while none of its radios listens.
    private mutating func remaining(of index: Int, until limit: SilenceLimit, at now: Instant, isJudged: Bool = false)
        -> Int64
    {
        guard radios.isAnyListening(to: signs[index].silentSince) else {
            return signs[index].awaitsRadios ? radios.wait(for: signs[index].silentSince, at: now) : .max
        }
        return radios.remaining(since: signs[index].silentSince, at: now, isJudged: isJudged, limit: limit)
    }

    /// The time until the silence of a long list of radios reaches a limit, which is the same for all signs that share it.
    private struct SharedRemaining {
        var start: SilenceStart
        var limit: SilenceLimit
        var remaining: Int64
    }

    /// Returns the same for the next of several signs.
    private mutating func remaining(
        of index: Int, until limit: SilenceLimit, at now: Instant, isJudged: Bool, _ shared: inout SharedRemaining?
    ) -> Int64 {
        if let shared, shared.limit == limit, !signs[index].awaitsRadios,
            signs[index].silentSince.isShared(with: shared.start)
        {
            return shared.remaining
        }
        let remaining = remaining(of: index, until: limit, at: now, isJudged: isJudged)
        if signs[index].silentSince.others.count > RadioReception.most, !signs[index].awaitsRadios {
            shared = SharedRemaining(start: signs[index].silentSince, limit: limit, remaining: remaining)
        }
        return remaining
    }

    /// Returns the time until the silence of a beacon ends its presence by a sign. It stands still while no radio of the beacon listens.
    func remaining(of track: BeaconTrack, by index: Int, at now: Instant, isJudged: Bool = false) -> Int64 {
        radios.remaining(since: track.silence, at: now, isJudged: isJudged) { signs[index].end(of: track, at: $0) }
    }

    /// Judges every silence again: the last judgement assumed that the receiver remains deaf.
    private mutating func deafnessEnded(at now: Instant) { scheduleExits(at: now, notBefore: now) }

    /// Determines the end of each sign anew: the clocks of the scan run differently from now on, or the signs are other ones.
    mutating func scheduleExits(at now: Instant, notBefore earliest: Instant = Instant(nanoseconds: .min)) {
        deadlines.removeAll(signs: signs.count)
        nextWait = .max
        var shared: SharedRemaining?
        for index in signs.indices {
            signs[index].isJudgedByLearnedEnd = false
            scheduleEnd(of: index, at: now, notBefore: earliest, &shared)
            guard signs[index].awaitsRadios else { continue }
            let wait = radios.wait(for: signs[index].silentSince, at: now)
            nextWait = min(nextWait, now.nanoseconds.addingClamped(wait))
        }
        nextExit = deadlines.earliest
        scheduleLateness(at: now)
    }

    private mutating func scheduleExit(of index: Int, at now: Instant) {
        guard signs[index].earliestEnd != nil else { return }
        var shared: SharedRemaining?
        scheduleEnd(of: index, at: now, notBefore: Instant(nanoseconds: .min), &shared)
        nextExit = deadlines.earliest
        scheduleLateness(at: now)
    }

    /// Sets the time at which a sign is judged next. May be early, is never late.
    private mutating func scheduleEnd(
        of index: Int, at now: Instant, notBefore earliest: Instant, _ shared: inout SharedRemaining?
    ) {
        guard let end = signs[index].earliestEnd else { return }
        let remaining = remaining(of: index, until: end, at: now, isJudged: false, &shared)
        let time = remaining < .max ? now.nanoseconds.addingClamped(remaining) : .max
        deadlines.set(index, to: max(time, earliest.nanoseconds))
    }
}
