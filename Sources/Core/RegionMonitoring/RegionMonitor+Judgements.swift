import IBeacon
import Plumbing

extension RegionMonitor {
    /// The present judgement of a region's beacon, and its reasons.
    public struct Judgement: Hashable, Sendable {
        /// The beacon, its distance by the region's own calibration.
        public var beacon: BeaconSnapshot
        /// Whether it keeps the region inside.
        public var keepsInside: Bool
        /// The length of its silence, without the time in which the scan was off.
        public var silence: Duration
        /// The silence after which it counts as gone, and the reason.
        public var exit: ExitTiming
        /// The exit times by each sensitivity, if the region's time is learned.
        public var exitTimes: EndedSilence.ExitTimes
        /// Its advertising pattern; `nil` before enough is learned.
        public var advertising: AdvertisingPattern?
    }

    /// Returns the judgements of each region's beacons at `now`, the latest received first; in configuration order.
    ///
    /// - Parameter limit: The maximum number of beacons of a region: any device can invent more.
    public func judgements(at now: Instant, limit: Int) -> [[Judgement]] {
        var slots = [[Int]](repeating: [], count: trackers.count)
        for (slot, track) in beacons.tracks.enumerated() {
            for index in track.regions { slots[index].append(slot) }
        }
        let listened = clock.reading(at: now)
        return slots.enumerated().map { index, slots in
            slots.sorted { beacons[$0].lastListened.listened > beacons[$1].lastListened.listened }.prefix(limit).map {
                slot in
                let track = beacons[slot]
                let silence = max(
                    0,
                    listened.silence(
                        since: track.lastListened, tolerance: trackers[index].tolerance(of: track)))
                let configured = trackers[index].region.exitAfter.map { ExitTiming(time: $0, basis: .configured) }
                return Judgement(
                    beacon: snapshot(track, of: trackers[index].region),
                    keepsInside: trackers[index].phase == .inside(holder: slot), silence: .nanoseconds(silence),
                    exit: configured ?? track.silences.timing(trackers[index].region.sensitivity),
                    exitTimes: track.silences.exitTimes,
                    advertising: track.silences.advertising)
            }
        }
    }
}
