import IBeacon
import OkaeriTestSupport
import RegionMonitoring
import Testing

/// Watches a monitor from outside, whatever it has learned, and reports what it must never do.
struct ModelWitness {
    struct Region {
        var state = RegionState.unknown
        var lastKnown = RegionState.unknown
    }

    var world: ModelWorld
    /// Whether the clock leaps, and whether it ever leapt to the ends of time.
    let leaps: Bool
    private(set) var isAstray = false

    private(set) var now = at(1000)
    private(set) var monitor: RegionMonitor
    private(set) var clock: NaiveClock
    private(set) var hasAdapter = false
    private(set) var watched: [MonitoredRegion]
    var regions: [String: Region] = [:]
    /// The last reception of each of our beacons, and the number of all.
    private(set) var heard: [BeaconIdentity: Instant] = [:]
    private(set) var count: UInt64 = 0
    /// Since when each region was listened to or silent at the latest, when silence was asked about last.
    private(set) var silences: [Instant] = []
    private var listeningSince: [String: Instant] = [:]
    private var startedAt: Instant
    private(set) var log: [String] = []
    /// The forbidden action, if there was one.
    var fault: String?

    init(_ world: ModelWorld, leaps: Bool = false) {
        (self.world, self.leaps, startedAt) = (world, leaps, now)
        watched = self.world.regions()
        monitor = RegionMonitor(watched, at: now)
        clock = NaiveClock(start: now)
        take(monitor.monitoringStarted(at: now), after: .replaced([]))
    }

    mutating func step() {
        let isLeap = leaps && Int.random(in: 0..<10, using: &world.random) == 0
        let next = isLeap ? leap() : now.advanced(by: world.pause())
        if !leaps, Int.random(in: 0..<5, using: &world.random) > 0 {
            while fault == nil, let deadline = monitor.nextDeadline, deadline <= next {
                now = max(now, deadline)
                happen(.advanced)
            }
        }
        now = next
        happen(world.event())
        if fault == nil { fault = judgementOfBeacons() }
    }

    private mutating func leap() -> Instant {
        if Int.random(in: 0..<3, using: &world.random) == 0 {
            isAstray = true
            let ends: [Int64] = [.min, .min + 1, .min / 2, -1, 0, .max / 2, .max - 1, .max]
            return Instant(nanoseconds: ends[Int.random(in: ends.indices, using: &world.random)])
        }
        return now.advanced(by: .seconds(.random(in: -3600...3600, using: &world.random)))
    }

    private mutating func happen(_ event: ModelEvent) {
        log.append("\(now.nanoseconds): \(event)")
        silences = monitor.regionSnapshots.map { snapshot in
            snapshot.beacon?.lastHeard ?? listeningSince[snapshot.region.identifier] ?? startedAt
        }
        switch event {
        case .sighted(let sighting):
            if hasAdapter, now >= startedAt, sighting.identity.uuid == uuid {
                (heard[sighting.identity], count) = (now, count + 1)
            }
            take(monitor.sighted(sighting, at: now), after: event)
        case .advertisement(let address): monitor.advertisementHeard(from: address, at: now)
        case .advanced: take(monitor.advanced(to: now), after: event)
        case .adapterLost:
            clock.pause(at: now)
            take(monitor.adapterLost(at: now), after: event)
            hasAdapter = false
        case .adapterRecovered:
            clock.resume(at: now)
            take(monitor.adapterRecovered(at: now), after: event)
            if !hasAdapter { for region in watched { listeningSince[region.identifier] = now } }
            hasAdapter = true
        case .paused:
            clock.pause(at: now)
            monitor.listeningPaused(at: now)
        case .resumed:
            if hasAdapter { clock.resume(at: now) }
            monitor.listeningResumed(at: now)
        case .replaced(let next):
            let names = next.map(\.identifier)
            regions = regions.filter { names.contains($0.key) }
            for name in names where regions[name] == nil { listeningSince[name] = now }
            watched = next
            take(monitor.regionsReplaced(with: next, at: now), after: event)
        case .restarted: restart()
        }
        if fault == nil { fault = judgement(after: event) }
    }

    /// The program ended, and another one goes on from its memory, which is handed on once more as it is.
    private mutating func restart() {
        let memory = monitor.memory(at: now)
        (monitor, clock, startedAt, hasAdapter) = (RegionMonitor(watched, at: now), NaiveClock(start: now), now, false)
        monitor.restored(memory)
        (heard, count, listeningSince) = ([:], 0, [:])
        for name in regions.keys { regions[name]?.state = .unknown }
        let again = monitor.memory(at: now)
        // Near the end of time an exit time is cut, and does not count any more.
        if !isAstray, again.regions != memory.regions || Set(again.beacons) != Set(memory.beacons) {
            fault = "\(memory) became \(again)"
        }
    }

    func report(_ fault: String, seed: UInt64) {
        Issue.record("seed \(seed): \(fault)\nafter \(log.suffix(12).joined(separator: "\n"))")
    }
}
