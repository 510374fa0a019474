import IBeacon
import Plumbing

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
    }

    /// Returns the judgements of each region's beacons at `now`, sign by sign, the latest received first; in configuration order.
    ///
    /// - Parameter limit: The maximum number of beacons of a sign: any device can invent more.
    public func judgements(at now: Instant, limit: Int) -> [[Judgement]] {
        var slots = [[Int]](repeating: [], count: signs.count)
        for (slot, track) in beacons.tracks.enumerated() {
            for index in track.signs { slots[index].append(slot) }
        }
        return regions.map { region in
            region.signs.flatMap { index in
                slots[index].sorted { beacons[$0].lastHeard > beacons[$1].lastHeard }
                    .prefix(limit).map { judgement(of: $0, by: index, in: region, at: now) }
            }
        }
    }

    private func judgement(
        of slot: Int, by index: Int, in region: RegionTracker, at now: Instant
    ) -> Judgement {
        let (track, tracker) = (beacons[slot], signs[index])
        let silence = radios.silence(since: track.silence, at: now, by: tracker.end(of: track))
        let configured = tracker.sign.exitAfter.map { ExitTiming(time: $0, basis: .configured) }
        return Judgement(
            beacon: snapshot(track, by: tracker.sign), sign: index - region.signs.lowerBound,
            keepsInside: tracker.phase == .inside(holder: slot), silence: .nanoseconds(max(0, silence)),
            exit: configured ?? track.silences.timing(tracker.sign.sensitivity),
            exitTimes: track.silences.exitTimes, advertising: track.silences.advertising,
            radios: track.receptions.map { radioJudgement($0, of: track, by: tracker.sign) })
    }

    private func radioJudgement(
        _ reception: RadioReception, of track: BeaconTrack, by sign: RegionSign
    ) -> RadioJudgement {
        RadioJudgement(
            name: radios[reception.radio].name, decides: track.silence.part(of: reception.radio) != nil,
            isAway: !radios[reception.radio].isListening,
            exitTime: sign.exitAfter ?? reception.silences.timing(sign.sensitivity).time,
            signal: reception.signal.value)
    }
}
