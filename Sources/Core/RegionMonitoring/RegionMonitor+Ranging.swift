public import IBeacon
import OkaeriPlumbing

// Ranging: one callback a region a second, for all regions at the same time, so that one timer serves them.
extension RegionMonitor {
    mutating func startRangingIfNeeded(at now: Instant, heardFrom slot: Int? = nil) {
        // Also in a pause, because ranging continues in one.
        guard nextRanging == nil, radios.isAnyPresent, regions.contains(where: \.isRanging) else { return }
        nextRanging = now.advanced(by: Self.rangingInterval)
        round += 1
        // The sighting that caused this call came before the round began, and belongs to it.
        if let slot, let rssi = beacons[slot].lastRSSI { beacons[slot].sample(rssi, round: round) }
    }

    /// Handles the end of all receptions. The beacons that were received after the last callback are ranged once more.
    package mutating func rangingEnded(at now: Instant) -> [Action] {
        guard let due = nextRanging else { return [] }
        let start = due.advanced(by: .zero - Self.rangingInterval)
        let isNew = beacons.tracks.contains { track in
            track.regions.contains { regions[$0].isRanging }
                && (track.lastHeard > start || track.isSampled(round: round))
        }
        return isNew ? ranged(at: now) : []
    }

    mutating func ranged(at now: Instant) -> [Action] {
        let ranging = regions.indices.filter { regions[$0].isRanging }
        defer { round += 1 }
        guard let due = nextRanging, !ranging.isEmpty else {
            nextRanging = nil
            return []
        }
        // After a stall, missed callbacks are not repeated.
        let next = due.advanced(by: Self.rangingInterval)
        nextRanging = next > now ? next : now.advanced(by: Self.rangingInterval)

        return ranging.map { index in
            .didRangeBeacons(region: regions[index].identifier, rangedBeacons(of: index, at: now))
        }
    }

    /// Returns the beacons of a region that were received of late, the nearest first.
    private func rangedBeacons(of region: Int, at now: Instant) -> [RangedBeacon] {
        var ranged: [RangedBeacon] = []
        for index in regions[region].signs {
            for slot in signs[index].slots {
                let age = now.nanoseconds.subtractingClamped(beacons[slot].lastHeard.nanoseconds)
                // A beacon of several signs is ranged by its first.
                guard age <= Self.rangingMemory.clampedNanoseconds,
                    beacons[slot].signs.first(where: { signs[$0].region == region }) == index
                else { continue }
                ranged.append(beacons[slot].ranged(by: signs[index].sign, round: round))
            }
        }
        return ranged.count > 1 ? ranged.sorted(by: RangedBeacon.nearestFirst) : ranged
    }
}

extension RegionMonitor {
    /// Replaces the regions. One with the same name and a common sign keeps its state; another one starts anew.
    ///
    /// - Parameters:
    ///   - memory: The memory of the regions that are new here, as in ``restored(_:)``.
    ///   - formerNames: The former identifiers of regions that have another one now, by the new one. With a common sign, such a
    ///     region keeps its state too.
    public mutating func regionsReplaced(
        with new: [MonitoredRegion], knowing memory: Memory = Memory(), formerNames: [String: String] = [:],
        at now: Instant
    ) -> [Action] {
        let earlier = Dictionary(
            regions.map { ($0.identifier, (region: $0, signs: signs[$0.signs])) },
            uniquingKeysWith: { first, _ in first })
        let start = radios.start(at: now)
        var actions: [Action] = []
        (regions, signs, lateSigns) = ([], [], [])
        for region in new {
            let former = earlier[formerNames[region.identifier] ?? region.identifier]
                .flatMap { $0.region.region.hasCommonSign(with: region) ? $0 : nil }
            add(region, continuing: former, listeningSince: start)
            let index = regions.count - 1
            if let former, former.region.identifier == region.identifier {
                actions += stateDetermined(of: index)
            } else {
                if former == nil { remember(memory, of: index) }
                actions += Self.started(regions[index])
            }
        }
        matcher = RegionMatcher(signs.map(\.sign.constraint))
        for slot in beacons.tracks.indices {
            let identity = beacons[slot].identity
            beacons[slot].signs = beacons[slot].isPhone ? signs(ofPhone: identity) : matcher.matches(identity)
            beacons[slot].regions = regions(of: beacons[slot].signs)
            if !beacons[slot].isPhone { normalized(slot) }
            for index in beacons[slot].signs { signs[index].add(slot) }
        }
        collectPhones()
        scheduleExits(at: now)
        startRangingIfNeeded(at: now)
        return actions
    }

    /// Ends the track of a beacon that another identity stands for, as a mask is new. What was learned of it stays with that identity.
    private mutating func normalized(_ slot: Int) {
        let track = beacons[slot]
        let identity = matcher.normalized(track.identity)
        guard identity != track.identity else { return }
        (beacons[slot].signs, beacons[slot].regions) = ([], [])
        if track.silences.isTaught, remembered[identity] == nil, remembered.count < Self.memoryCapacity {
            remembered[identity] = track.memory(radios)
        }
    }

    /// Adds a region with its signs, which continue the states of the same signs of an earlier region.
    mutating func add(
        _ region: MonitoredRegion, continuing former: (region: RegionTracker, signs: ArraySlice<SignTracker>)? = nil,
        listeningSince start: SilenceStart
    ) {
        let first = signs.count
        for sign in region.signs {
            var tracker =
                former?.signs.first { $0.sign.identity == sign.identity }
                ?? SignTracker(sign, of: regions.count, listeningSince: start)
            (tracker.sign, tracker.region) = (sign, regions.count)
            tracker.removeSlots()
            signs.append(tracker)
        }
        var tracker = RegionTracker(region: region, signs: first..<signs.count)
        if let former { tracker.continued(from: former.region) }
        regions.append(tracker)
    }

    /// The positions of the regions that a beacon belongs to, the narrowest first, as determined at its first
    /// reception; none for a beacon that is not stored.
    ///
    /// Not mutating: a monitor that must not change would be copied for the call.
    @usableFromInline package mutating func regions(of identity: BeaconIdentity) -> [Int] {
        guard let slot = beacons.slot(of: identity) else { return [] }
        return beacons[slot].regions
    }

    /// Returns the one identity that stands for all identities of a beacon in the regions.
    package func normalized(_ identity: BeaconIdentity) -> BeaconIdentity { matcher.normalized(identity) }

    /// Returns the positions of the regions that use a beacon's battery level, each once. The beacon need not be stored.
    package func regionsWithBattery(of identity: BeaconIdentity) -> [Int] {
        regions(of: matcher.matches(identity)).filter { regions[$0].region.battery != .off }
    }

    /// Returns the positions of the regions of these signs, each once, in the same order.
    func regions(of signs: [Int]) -> [Int] {
        guard self.signs.count > regions.count else { return signs }
        return signs.reduce(into: []) { regions, sign in
            let region = self.signs[sign].region
            if !regions.contains(region) { regions.append(region) }
        }
    }
}

/// The late beacons. A scanner that shares the antenna listens fully until they are received, or their exit is decided.
extension RegionMonitor {
    /// Whether a beacon that keeps a region inside is late by its own standard, and neither received nor gone yet.
    ///
    /// Determined only while the scan has a share of the time, because a receiver that always listens cannot listen more.
    public var hasLateBeacon: Bool { !lateSigns.isEmpty }

    /// Determines the time at which the next beacon may be late.
    mutating func scheduleLateness(at now: Instant) {
        guard clock.share < 1 || hasLateBeacon else {
            nextLateness = nil
            return
        }
        nextLateness = deadlines.signs.compactMap { index in
            guard !lateSigns.contains(index) else { return nil }
            guard let remaining = remainingUntilLate(index, at: now) else { return nil }
            return clock.instant(after: max(0, remaining), of: .listening, from: now)
        }.min()
    }

    /// Handles that a beacon may be late. It is not if it was received meanwhile.
    mutating func latenessJudged(at now: Instant) {
        for index in deadlines.signs where !lateSigns.contains(index) {
            if let remaining = remainingUntilLate(index, at: now), remaining <= 0 { lateSigns.append(index) }
        }
        scheduleLateness(at: now)
    }

    /// Handles a reception, or an exit: signs with a beacon in time, or without one, are not late any more.
    mutating func latenessEnded(at now: Instant) {
        lateSigns = lateSigns.filter { index in remainingUntilLate(index, at: now).map { $0 <= 0 } ?? false }
        scheduleLateness(at: now)
    }

    /// Returns the listening time of the own radio until the beacon of a sign is late; `nil` for a sign without one, for one that other
    /// radios receive, and for a phone, which is silent because it sleeps.
    private func remainingUntilLate(_ index: Int, at now: Instant) -> Int64? {
        guard case .inside(let holder) = signs[index].phase, !beacons[holder].isPhone,
            let start = signs[index].silentSince.part(of: 0)
        else { return nil }
        let end = signs[index].end(of: beacons[holder])
        // Of a configured time the half, too: its seconds are those of the scan.
        let half = Double(end.length) / 2 * (end.clock == .scanning ? clock.share : 1)
        let late = min(beacons[holder].silences.lateness.clampedNanoseconds, Int64(half))
        return late.subtractingClamped(clock.reading(at: now).silence(since: start.reading, tolerance: end.tolerance))
    }
}

extension RegionMonitor {
    /// The present judgement of a beacon of one of a region's signs, and its reasons.
    public struct Judgement: Hashable, Sendable {
        /// The beacon, its distance by the region's own calibration.
        public var beacon: BeaconSnapshot
        /// The position of its sign in the region.
        public var sign: Int
        /// Whether it keeps the sign inside.
        public var keepsInside: Bool
        /// The length of its silence, without the time in which the scan was off.
        public var silence: Duration
        /// The silence after which it counts as gone, and the reason.
        public var exit: ExitTiming
        /// The exit times by each sensitivity, if the region's time is learned.
        public var exitTimes: EndedSilence.ExitTimes
        /// Its advertising pattern; `nil` before enough is learned.
        public var advertising: AdvertisingPattern?
        /// The radios that have received it, eight at most; none if one alone has.
        public var radios: [RadioJudgement]
    }

    /// The judgement of a beacon by one of several radios.
    public struct RadioJudgement: Hashable, Sendable {
        /// The radio's name, empty for the own one.
        public var name: String
        /// Whether it received the beacon lately, and decides.
        public var decides: Bool
        /// Whether it does not listen.
        public var isAway: Bool
        /// The silence at this radio after which the beacon counts as gone, if others are away.
        public var exitTime: Duration
        /// The filtered RSSI in dBm.
        public var signal: Double?
        /// Whether it received the beacon last: its reception keeps the region inside.
        public var isLatest: Bool
    }

    /// Returns the judgements of each region's beacons at `now`, sign by sign, the latest received first; in configuration order.
    ///
    /// - Parameter limit: The maximum number of beacons of a sign: any device can invent more.
    public func judgements(at now: Instant, limit: Int) -> [[Judgement]] {
        let masks = proposedMasks
        return regions.map { region in
            region.signs.flatMap { index in
                signs[index].slots.sorted { beacons[$0].lastHeard > beacons[$1].lastHeard }
                    .prefix(limit).map {
                        judgement(of: $0, by: index, in: region, masks[beacons[$0].identity], at: now)
                    }
            }
        }
    }

    private func judgement(
        of slot: Int, by index: Int, in region: RegionTracker, _ proposedMask: BeaconMask?, at now: Instant
    ) -> Judgement {
        let (track, tracker) = (beacons[slot], signs[index])
        let silence = radios.silence(since: track.silence, at: now, by: tracker.end(of: track))
        let configured = tracker.sign.exitAfter.map { ExitTiming(time: $0, basis: .configured) }
        var beacon = snapshot(track, by: tracker.sign)
        beacon.proposedMask = proposedMask
        return Judgement(
            beacon: beacon, sign: index - region.signs.lowerBound,
            keepsInside: tracker.phase == .inside(holder: slot), silence: .nanoseconds(max(0, silence)),
            exit: configured ?? track.silences.timing(tracker.sign.sensitivity),
            exitTimes: track.silences.exitTimes, advertising: track.silences.advertising,
            radios: radioJudgements(of: track, by: tracker.sign))
    }

    /// Returns the judgements of the radios that have received a beacon; none if the own one alone has.
    private func radioJudgements(of track: BeaconTrack, by sign: RegionSign) -> [RadioJudgement] {
        guard track.receptions.isEmpty else { return track.receptions.map { radioJudgement($0, of: track, by: sign) } }
        let radio = track.silence.radio
        guard radio != RadioID.own.position, track.lastRSSI != nil else { return [] }
        return [
            RadioJudgement(
                name: radios[radio].name, decides: true, isAway: !radios[radio].isListening,
                exitTime: sign.exitAfter ?? track.silences.timing(sign.sensitivity).time, signal: track.signal.value,
                isLatest: true)
        ]
    }

    private func radioJudgement(
        _ reception: RadioReception, of track: BeaconTrack, by sign: RegionSign
    ) -> RadioJudgement {
        RadioJudgement(
            name: radios[reception.radio].name, decides: track.silence.part(of: reception.radio) != nil,
            isAway: !radios[reception.radio].isListening,
            exitTime: sign.exitAfter ?? reception.silences.timing(sign.sensitivity).time,
            signal: reception.signal.value, isLatest: reception.radio == track.silence.radio)
    }
}
