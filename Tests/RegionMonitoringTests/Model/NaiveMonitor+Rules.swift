import IBeacon
import RegionMonitoring

extension NaiveMonitor.Region {
    var name: String { region.identifier }

    func matches(_ beacon: BeaconIdentity) -> Bool { region.constraint?.matches(beacon) ?? false }

    /// The narrowest region receives a beacon first.
    var breadth: Int {
        guard let constraint = region.constraint else { return 0 }
        return (constraint.major == nil ? 1 : 0) + (constraint.minor == nil ? 1 : 0)
    }

    func isKept(by signal: Double?) -> Bool {
        guard let limit = region.exitRSSI else { return true }
        guard let signal else { return false }
        return signal >= Double(limit)
    }

    func isEntered(by signal: Double?) -> Bool {
        guard let limit = region.enterRSSI else { return true }
        guard let signal else { return false }
        return signal >= Double(limit)
    }

    var isRanging: Bool { region.ranging == .always || region.ranging == .whileInside && state == .inside }

    /// The end of the region without another reception, on the listening clock.
    var end: Duration? { state == .outside ? nil : silentSince + (region.exitAfter ?? .zero) }
}

extension NaiveMonitor {
    /// Returns the latest time of the next announcement if nothing happens before.
    func nextAnnouncement(from now: Instant) -> Instant? {
        let ranging = regions.contains(where: \.isRanging) ? nextRanging : nil
        return
            (regions.compactMap(\.end).compactMap { clock.instant(of: $0, from: now) } + [ranging].compactMap(\.self))
            .min()
    }

    static func started(_ region: Region) -> [RegionMonitor.Action] {
        [.didStartMonitoring(region: region.name), .didDetermineState(region: region.name, region.state)]
    }

    mutating func entered(_ index: Int, _ sighting: BeaconSighting, at now: Instant) -> [RegionMonitor.Action] {
        let isNews = regions[index].lastKnown != .inside && regions[index].region.notifyOnEntry
        (regions[index].state, regions[index].lastKnown) = (.inside, .inside)
        // The sighting that began the ranging belongs to it.
        startRanging(at: now, from: heard.count - 1)
        let beacon = RangedBeacon(
            identity: sighting.identity, rssi: Int(sighting.rssi ?? 0),
            accuracy: accuracy(of: sighting.identity, in: regions[index].region), timestamp: now)
        let name = regions[index].name
        return (isNews ? [.didEnterRegion(region: name, beacon)] : []) + [.didDetermineState(region: name, .inside)]
    }

    func isStrong(_ rssi: Int8?) -> Bool { rssi.map { $0 >= -85 } ?? true }

    /// Whether a sighting outside is enough to enter: a strong one, or enough weak ones in a row.
    mutating func isConfirmed(_ index: Int, by rssi: Int8?, at listened: Duration) -> Bool {
        guard regions[index].lastKnown == .outside, regions[index].region.enterRSSI == nil else { return true }
        if isStrong(rssi) {
            (regions[index].weak, regions[index].weakEntries) = ([], 0)
            return true
        }
        if let last = regions[index].weak.last, listened - last > .seconds(30) { regions[index].weak = [] }
        regions[index].weak.append(listened)
        guard regions[index].weak.count >= min(6, 2 + regions[index].weakEntries) else { return false }
        regions[index].weakEntries += 1
        return true
    }

    mutating func left(_ index: Int) -> [RegionMonitor.Action] {
        regions[index].weak = []
        let isNews = regions[index].lastKnown == .inside && regions[index].region.notifyOnExit
        (regions[index].state, regions[index].lastKnown, regions[index].holder) = (.outside, .outside, nil)
        let name = regions[index].name
        return (isNews ? [.didExitRegion(region: name)] : []) + [.didDetermineState(region: name, .outside)]
    }

    /// Its holder is too weak: of its other beacons the one received last keeps it, if one is strong enough and is not
    /// silent.
    mutating func weakened(_ index: Int, at listened: Duration) -> [RegionMonitor.Action] {
        let region = regions[index]
        let other = heard.last { other in
            let identity = other.sighting.identity
            return identity != region.holder && region.matches(identity) && region.isKept(by: signal(of: identity))
        }
        guard let other, listened < other.listened + (region.region.exitAfter ?? .zero) else { return left(index) }
        (regions[index].holder, regions[index].silentSince) = (other.sighting.identity, other.listened)
        return []
    }

    // MARK: Ranging

    mutating func startRanging(at now: Instant, from first: Int) {
        guard nextRanging == nil, hasAdapter, regions.contains(where: \.isRanging) else { return }
        (nextRanging, firstRanged) = (now.advanced(by: .seconds(1)), first)
    }

    mutating func ranged(_ due: Instant, at now: Instant) -> [RegionMonitor.Action] {
        let since = heard[firstRanged...]
        firstRanged = heard.count
        let ranging = regions.filter(\.isRanging)
        guard !ranging.isEmpty else {
            nextRanging = nil
            return []
        }
        // After a stall, missed callbacks are not repeated.
        let next = due.advanced(by: .seconds(1))
        nextRanging = next > now ? next : now.advanced(by: .seconds(1))
        return ranging.map { region in
            let present = Set(heard.filter { $0.at.duration(to: now) <= .seconds(5) }.map(\.sighting.identity))
            let beacons = present.filter(region.matches).map { identity in
                let signals = since.filter { $0.sighting.identity == identity }.compactMap(\.sighting.rssi).map(
                    Double.init)
                let last = heard.last { $0.sighting.identity == identity }?.at
                guard !signals.isEmpty else {
                    return RangedBeacon(identity: identity, rssi: 0, accuracy: -1, timestamp: last)
                }
                let mean = (signals.reduce(0, +) / Double(signals.count)).rounded()
                return RangedBeacon(
                    identity: identity, rssi: Int(mean), accuracy: accuracy(of: identity, in: region.region),
                    timestamp: last)
            }
            return .didRangeBeacons(region: region.name, beacons.sorted(by: Self.nearestFirst))
        }
    }

    private static func nearestFirst(_ one: RangedBeacon, _ other: RangedBeacon) -> Bool {
        // An unknown distance is -1, and comes last.
        let (near, far) = (one.accuracy < 0 ? .infinity : one.accuracy, other.accuracy < 0 ? .infinity : other.accuracy)
        return near == far ? one.identity < other.identity : near < far
    }

    // MARK: Signals

    func last(_ identity: BeaconIdentity) -> Heard? { heard.last { $0.sighting.identity == identity } }

    func accuracy(of identity: BeaconIdentity, in region: MonitoredRegion) -> Double {
        PathLoss.accuracy(
            signal: signal(of: identity),
            measuredPower: region.measuredPower
                ?? last(identity).flatMap(\.sighting.measuredPower).flatMap { (-100)...(-20) ~= $0 ? $0 : nil },
            exponent: region.pathLossExponent ?? PathLoss.defaultExponent)
    }

    /// The median of the samples of the last 22 eighths of a second (2²⁷ ns), or of the last four if they lie within
    /// sixty; what comes within one eighth is one sample, their mean.
    func signal(of identity: BeaconIdentity) -> Double? {
        var samples: [(eighth: Int64, values: [Int])] = []
        for heard in heard where heard.sighting.identity == identity {
            guard let rssi = heard.sighting.rssi else { continue }
            let eighth = heard.at.nanoseconds >> 27
            if samples.last?.eighth == eighth {
                samples[samples.count - 1].values.append(Int(rssi))
            } else {
                samples.append((eighth, [Int(rssi)]))
            }
        }
        guard let newest = samples.last?.eighth else { return nil }
        let means =
            samples.suffix(4).filter { newest - $0.eighth < 60 }
            + samples.dropLast(4).filter { newest - $0.eighth < 22 }
        let sorted = means.map { $0.values.reduce(0, +) / $0.values.count }.sorted()
        let (low, high) = (sorted[(sorted.count - 1) / 2], sorted[sorted.count / 2])
        return Double(low + high) / 2
    }
}
