public import IBeacon
import Plumbing

extension RegionMonitor {
    /// A monitor's memory: ``restored(_:)`` gives it to the next one, which announces no event twice and misses none.
    public struct Memory: Hashable, Sendable {
        /// A region whose state was once known.
        public struct Region: Hashable, Sendable {
            /// Its name and its beacons: with other beacons it is another region.
            public var region: BeaconRegion
            /// The last known state.
            public var lastKnown: RegionState
            /// The learned exit time, if there is one.
            public var learnedExitTime: Duration?

            /// A region, its last known state, and its learned exit time.
            public init(region: BeaconRegion, lastKnown: RegionState, learnedExitTime: Duration?) {
                self.region = region
                self.lastKnown = lastKnown
                self.learnedExitTime = learnedExitTime
            }
        }

        /// A beacon that belongs to a region.
        public struct Beacon: Hashable, Sendable {
            /// The beacon's identity.
            public var identity: BeaconIdentity
            /// Its learned silences.
            public var silences: LearnedSilences

            /// A beacon and its learned silences.
            public init(identity: BeaconIdentity, silences: LearnedSilences) {
                self.identity = identity
                self.silences = silences
            }
        }

        /// The regions whose state was once known.
        public var regions: [Region]
        /// The beacons with learned silences, at most ``RegionMonitor/memoryCapacity``: those in range, then the
        /// others.
        public var beacons: [Beacon]

        /// A memory; without arguments an empty one.
        public init(regions: [Region] = [], beacons: [Beacon] = []) {
            self.regions = regions
            self.beacons = beacons
        }
    }

    /// The maximum number of beacons in a memory: any device can invent beacons, and a household has a few.
    public static let memoryCapacity = 64

    /// Returns the memory to store for the next start, with what was learned of beacons that are away.
    public func memory(at now: Instant) -> Memory {
        let awaited = awaitedTimes(at: now)
        let regions = trackers.indices.filter { trackers[$0].lastKnown != .unknown }.map { index in
            Memory.Region(
                region: trackers[index].region.region, lastKnown: trackers[index].lastKnown,
                learnedExitTime: awaited[index].map { .nanoseconds($0) })
        }
        let heard = beacons.tracks.filter { !$0.regions.isEmpty && $0.silences.isTaught }
            .sorted { $0.lastHeard > $1.lastHeard }
            .map { Memory.Beacon(identity: $0.identity, silences: $0.silences.silences) }
        let away = remembered.filter { beacons.slot(of: $0.key) == nil }
            .sorted { $0.key < $1.key }
            .map { Memory.Beacon(identity: $0.key, silences: $0.value.silences) }
        return Memory(regions: regions, beacons: Array((heard + away).prefix(Self.memoryCapacity)))
    }

    /// Continues from the memory of an earlier monitor. Call it before any other event.
    ///
    /// The state is still unknown. A region that was inside becomes inside without an enter event when its beacon is
    /// received. If the beacon is not received, the region is left after the exit time, counted from the start of the
    /// scan. A region with other beacons is another one.
    public mutating func restored(_ memory: Memory) {
        for known in memory.regions {
            for index in trackers.indices where trackers[index].region.region == known.region {
                trackers[index].remembered(known.lastKnown, awaiting: known.learnedExitTime)
            }
        }
        for beacon in memory.beacons.prefix(Self.memoryCapacity) {
            remembered[beacon.identity] = SilenceModel(beacon.silences)
        }
    }

    /// Returns the time that each region's beacons would be waited for if the scan began anew now, in nanoseconds;
    /// `nil` if the region is not inside or its time is not learned.
    func awaitedTimes(at now: Instant) -> [Int64?] {
        var times = trackers.map { $0.state == .unknown ? $0.awaited : nil }
        let listened = clock.reading(at: now)
        for track in beacons.tracks {
            for index in track.regions where trackers[index].learns && trackers[index].holds(track.signal.value) {
                let time = trackers[index].exitTime(of: track)
                guard listened.listened < trackers[index].deadline(of: track, at: listened) else { continue }
                times[index] = max(times[index] ?? .min, time)
            }
        }
        return times
    }
}
