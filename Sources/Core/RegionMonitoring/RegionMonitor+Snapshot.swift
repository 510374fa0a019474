public import IBeacon

extension RegionMonitor {
    /// The present values of one region.
    public struct RegionSnapshot: Hashable, Sendable {
        /// The region's configuration.
        public var region: MonitoredRegion
        /// The present state; unknown while the adapter is lost.
        public var state: RegionState
        /// The last state that was known: kept while the adapter is lost.
        public var lastKnown: RegionState
        /// The exit time: the configured one, or the one learned so far; of several signs the longest that is in force.
        public var exitTime: Duration
        /// The beacon that keeps the region inside; of several signs the one received last.
        public var beacon: BeaconSnapshot?
        /// The present values of its signs, in the order of the configuration.
        public var signs: [SignSnapshot]
        /// The names of the radios that received its beacons last and are away: until one of them is back, the region is unknown.
        public var waiting: [String]
    }

    /// The present values of one sign of a region.
    public struct SignSnapshot: Hashable, Sendable {
        /// The present state; unknown while the adapter is lost.
        public var state: RegionState
        /// The exit time: the configured one, or the one learned so far.
        public var exitTime: Duration
        /// The beacon that keeps the sign inside.
        public var beacon: BeaconSnapshot?
    }

    /// The present values of one beacon in range.
    public struct BeaconSnapshot: Hashable, Sendable {
        /// The beacon's identity.
        public var identity: BeaconIdentity
        /// Its RSSI at one metre in dBm, according to its advertisement; `nil` if that has no such value.
        public var measuredPower: Int8?
        /// The RSSI of the last advertisement in dBm.
        public var rssi: Int8?
        /// The filtered RSSI in dBm.
        public var signal: Double?
        /// The estimated distance in metres, -1 if it is unknown.
        public var accuracy: Double
        /// The time of the last reception.
        public var lastHeard: Instant
        /// The number of received advertisements.
        public var count: UInt64
        /// The identifiers of the regions it belongs to.
        public var regions: [String]
        /// The receptions by each radio of late, of the beacons of a region; eight at most.
        public var receptions: [Reception]
        /// The number of devices that send this identity. More than one was received lately from addresses that took turns.
        public var transmitters: Int
        /// The mask with which one identity would stand for this beacon, because its identity changes; `nil` if it does not change.
        public var proposedMask: BeaconMask?

        /// The reception of a beacon by one radio.
        public struct Reception: Hashable, Sendable {
            /// The radio's name, empty for the own one.
            public var radio: String
            /// The filtered RSSI in dBm.
            public var rssi: Double
            /// The estimated distance in metres, -1 if it is unknown.
            public var accuracy: Double

            package init(radio: String, rssi: Double, accuracy: Double) {
                (self.radio, self.rssi, self.accuracy) = (radio, rssi, accuracy)
            }
        }

        package init(
            identity: BeaconIdentity, measuredPower: Int8? = -59, rssi: Int8?, signal: Double? = nil, accuracy: Double,
            lastHeard: Instant = Instant(nanoseconds: 0), count: UInt64 = 1, regions: [String],
            receptions: [Reception] = [], transmitters: Int = 1
        ) {
            (self.identity, self.measuredPower) = (identity, measuredPower)
            (self.rssi, self.signal, self.accuracy) = (rssi, signal, accuracy)
            (self.lastHeard, self.count, self.regions) = (lastHeard, count, regions)
            (self.receptions, self.transmitters) = (receptions, transmitters)
        }
    }

    /// The other devices in range. They distinguish a silence from a receiver that is deaf.
    public struct Air: Hashable, Sendable {
        /// The number of devices that advertised in the last minutes, without beacons of regions; 64 at most.
        public var devices: Int
        /// Whether enough of them advertise regularly, so that a silence of all is deafness of the receiver.
        public var isRepresentative: Bool
        /// The time for which the receiver was deaf since monitoring began.
        public var deaf: Duration
    }

    /// The other devices in range.
    public var air: Air { clock.air }

    /// All regions, in the order of the configuration.
    public var regionSnapshots: [RegionSnapshot] {
        regions.map { region in
            let signs = signs[region.signs].map(snapshot)
            let inForce = region.state == .inside ? signs.filter { $0.state == .inside } : signs
            return RegionSnapshot(
                region: region.region, state: region.state, lastKnown: region.lastKnown,
                exitTime: inForce.map(\.exitTime).max() ?? .zero,
                beacon: signs.compactMap(\.beacon).max { $0.lastHeard < $1.lastHeard }, signs: signs,
                waiting: region.state == .unknown ? waiting(region) : [])
        }
    }

    private func waiting(_ region: RegionTracker) -> [String] {
        let names = signs[region.signs].filter(\.awaitsRadios).flatMap { radios.names(of: $0) }
        return Set(names).subtracting([""]).sorted()
    }

    private func snapshot(_ tracker: SignTracker) -> SignSnapshot {
        var holder: BeaconTrack?
        if case .inside(let slot) = tracker.phase { holder = beacons[slot] }
        let learned = holder.map { $0.silences.timing(tracker.sign.sensitivity).time }
        return SignSnapshot(
            state: tracker.state,
            exitTime: tracker.sign.exitAfter ?? learned ?? tracker.sign.initialExitAfter,
            beacon: holder.map { snapshot($0, by: tracker.sign) })
    }

    /// The beacons heard since `instant`, in no order.
    public func beaconSnapshots(since instant: Instant) -> [BeaconSnapshot] {
        let masks = proposedMasks
        return beacons.tracks.filter { $0.lastHeard >= instant && !$0.isPhone }.map { track in
            var beacon = snapshot(track)
            if !track.regions.isEmpty { beacon.receptions = receptions(of: track, since: instant) }
            beacon.proposedMask = masks[track.identity]
            return beacon
        }
    }

    private func receptions(of track: BeaconTrack, since instant: Instant) -> [BeaconSnapshot.Reception] {
        let sign = calibration(of: track)
        guard !track.receptions.isEmpty else {
            return track.signal.value.map {
                [.init(radio: radios[track.silence.radio].name, rssi: $0, accuracy: track.accuracy(by: sign))]
            } ?? []
        }
        return track.receptions.filter { $0.lastHeard >= instant }.compactMap { reception in
            reception.signal.value.map {
                .init(
                    radio: radios[reception.radio].name, rssi: $0,
                    accuracy: track.accuracy(of: reception.signal, by: sign))
            }
        }
    }

    private func calibration(of track: BeaconTrack) -> RegionSign? {
        track.signs.lazy.map { signs[$0].sign }.first { $0.isCalibrated }
    }

    /// Returns the beacons heard since `instant` that follow another one, in the order of their identities.
    ///
    /// - Parameters:
    ///   - identity: the beacon before the first; `nil` to begin with the first of all.
    ///   - limit: the maximum number of beacons.
    ///   - masks: ``proposedMasks``, which are determined once for several parts of a list.
    package func beaconSnapshots(
        since instant: Instant, after identity: BeaconIdentity?, limit: Int, masks: [BeaconIdentity: BeaconMask]
    ) -> [BeaconSnapshot] {
        var first: [(identity: BeaconIdentity, slot: Int)] = []
        for (slot, track) in beacons.tracks.enumerated()
        where track.lastHeard >= instant && !track.isPhone {
            if let identity, track.identity <= identity { continue }
            if first.count == limit {
                guard let last = first.last, track.identity < last.identity else { continue }
                first.removeLast()
            }
            let position = first.firstIndex { track.identity < $0.identity } ?? first.endIndex
            first.insert((track.identity, slot), at: position)
        }
        return first.map { identity, slot in
            var beacon = snapshot(beacons[slot])
            beacon.proposedMask = masks[identity]
            return beacon
        }
    }

    package func beaconCount(since instant: Instant) -> (ofRegions: Int, others: Int) {
        beacons.tracks.reduce(into: (0, 0)) { count, track in
            guard track.lastHeard >= instant, !track.isPhone else { return }
            if track.regions.isEmpty { count.1 += 1 } else { count.0 += 1 }
        }
    }

    /// The first of a beacon's signs that is calibrated gives its distance.
    private func snapshot(_ track: BeaconTrack) -> BeaconSnapshot {
        snapshot(track, by: calibration(of: track))
    }

    /// - Parameter sign: The sign whose calibration gives the distance.
    func snapshot(_ track: BeaconTrack, by sign: RegionSign?) -> BeaconSnapshot {
        BeaconSnapshot(
            identity: track.identity, measuredPower: track.measuredPower, rssi: track.lastRSSI,
            signal: track.signal.value, accuracy: track.accuracy(by: sign), lastHeard: track.lastHeard,
            count: track.count,
            regions: track.regions.map { regions[$0].identifier },
            transmitters: track.senders.transmitters(at: track.lastHeard))
    }
}
