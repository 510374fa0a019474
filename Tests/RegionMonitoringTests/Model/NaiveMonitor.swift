import IBeacon
import RegionMonitoring

/// The announcements of ``RegionMonitor`` for regions with a fixed exit time, by the rules as they are written down: no
/// index, no schedule, no filter with a memory. Everything is looked up again in all that was ever received.
struct NaiveMonitor {
    struct Region {
        var region: MonitoredRegion
        var state = RegionState.unknown
        var lastKnown = RegionState.unknown
        /// The beacon that keeps it inside.
        var holder: BeaconIdentity?
        /// Since when it is silent, or listened to while it is unknown; on the listening clock.
        var silentSince: Duration
        /// The weak sightings since the exit, each within half a minute of the one before, and the number of entries by such
        /// sightings alone since the last strong one.
        var weak: [Duration] = []
        var weakEntries = 0
    }

    struct Heard {
        var sighting: BeaconSighting
        var at: Instant
        var listened: Duration
    }

    let startedAt: Instant
    var regions: [Region] = []
    var clock: NaiveClock
    var hasAdapter = false
    /// All sightings, the oldest first.
    var heard: [Heard] = []
    /// The time of the next ranging, and the first of ``heard`` that counts for it.
    var nextRanging: Instant?
    var firstRanged = 0

    init(_ regions: [MonitoredRegion], at now: Instant) {
        startedAt = now
        clock = NaiveClock(start: now)
        self.regions = regions.map { Region(region: $0, silentSince: clock.listened(at: now)) }
    }

    // MARK: Events

    func monitoringStarted() -> [RegionMonitor.Action] { regions.flatMap(Self.started) }

    mutating func adapterRecovered(at now: Instant) {
        clock.resume(at: now)
        guard !hasAdapter else { return }
        hasAdapter = true
        for index in regions.indices { regions[index].silentSince = clock.listened(at: now) }
        startRanging(at: now, from: heard.count)
    }

    mutating func adapterLost(at now: Instant) -> [RegionMonitor.Action] {
        clock.pause(at: now)
        guard hasAdapter else { return [] }
        hasAdapter = false
        nextRanging = nil
        var actions: [RegionMonitor.Action] = []
        for index in regions.indices {
            if regions[index].isRanging { actions.append(.rangingBeaconsDidFail(region: regions[index].name)) }
            if regions[index].state != .unknown {
                actions.append(.didDetermineState(region: regions[index].name, .unknown))
            }
            (regions[index].state, regions[index].holder) = (.unknown, nil)
        }
        return actions
    }

    mutating func listeningPaused(at now: Instant) { clock.pause(at: now) }

    mutating func listeningResumed(at now: Instant) {
        if hasAdapter { clock.resume(at: now) }
    }

    mutating func sighted(_ sighting: BeaconSighting, at now: Instant) -> [RegionMonitor.Action] {
        guard hasAdapter, now >= startedAt else { return [] }
        let listened = clock.listened(at: now)
        heard.append(Heard(sighting: sighting, at: now, listened: listened))
        let signal = signal(of: sighting.identity)
        var actions: [RegionMonitor.Action] = []
        let matching = regions.indices.filter { regions[$0].matches(sighting.identity) }
        for index in matching.sorted(by: { (regions[$0].breadth, $0) < (regions[$1].breadth, $1) }) {
            let isKept = regions[index].isKept(by: signal)
            if regions[index].state != .inside, isKept, regions[index].isEntered(by: signal) {
                guard isConfirmed(index, by: sighting.rssi, at: listened) else { continue }
                (regions[index].holder, regions[index].silentSince) = (sighting.identity, listened)
                actions += entered(index, sighting, at: now)
            } else if regions[index].state == .inside, isKept {
                if isStrong(sighting.rssi) { regions[index].weakEntries = 0 }
                (regions[index].holder, regions[index].silentSince) = (sighting.identity, listened)
            } else if regions[index].state == .inside, regions[index].holder == sighting.identity {
                actions += weakened(index, at: listened)
            }
        }
        return actions
    }

    mutating func advanced(to now: Instant) -> [RegionMonitor.Action] {
        var actions: [RegionMonitor.Action] = []
        if let due = nextRanging, due <= now { actions += ranged(due, at: now) }
        guard !clock.isPaused else { return actions }
        for index in regions.indices {
            if let end = regions[index].end, end <= clock.listened(at: now) { actions += left(index) }
        }
        return actions
    }

    mutating func regionsReplaced(with monitored: [MonitoredRegion], at now: Instant) -> [RegionMonitor.Action] {
        var actions: [RegionMonitor.Action] = []
        regions = monitored.map { region in
            if var known = regions.first(where: {
                $0.region.identifier == region.identifier && $0.region.constraint == region.constraint
            }) {
                known.region = region
                return known
            }
            let new = Region(region: region, silentSince: clock.listened(at: now))
            actions += Self.started(new)
            return new
        }
        startRanging(at: now, from: heard.count)
        return actions
    }

    /// The program ended, and another one goes on from its memory.
    func restarted(at now: Instant) -> NaiveMonitor {
        var next = NaiveMonitor(regions.map(\.region), at: now)
        for index in regions.indices { next.regions[index].lastKnown = regions[index].lastKnown }
        return next
    }
}
