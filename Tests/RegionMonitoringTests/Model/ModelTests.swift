import IBeacon
import OkaeriTestSupport
import RegionMonitoring
import Testing

/// ``RegionMonitor`` does what ``NaiveMonitor`` does, whatever happens in whatever order.
@Suite(.computes) struct ModelTests {
    @Test(arguments: 0..<8 as Range<UInt64>)
    func `regions with a fixed exit time are announced as the rules have it`(part: UInt64) {
        for seed in part * 20..<(part + 1) * 20 {
            var run = ModelRun(seed: seed)
            for _ in 0..<120 {
                run.step()
                if let difference = run.difference {
                    Issue.record("seed \(seed): \(difference)\nafter \(run.log.suffix(12).joined(separator: "\n"))")
                    return
                }
            }
        }
    }
}

/// Both monitors on one road.
private struct ModelRun {
    var world: ModelWorld
    var now = at(1000)
    var monitor: RegionMonitor
    var naive: NaiveMonitor
    var log: [String] = []
    /// The first difference of the two.
    var difference: String?

    init(seed: UInt64) {
        world = ModelWorld(seed: seed)
        let regions = world.regions()
        (monitor, naive) = (RegionMonitor(regions, at: now), NaiveMonitor(regions, at: now))
        compare(monitor.monitoringStarted(at: now), naive.monitoringStarted())
    }

    /// Lets some time pass, in one of five cases without a look at the clock, and applies an event.
    mutating func step() {
        let next = now.advanced(by: world.pause())
        if Int.random(in: 0..<5, using: &world.random) > 0 { runTimer(until: next) }
        now = next
        happen(world.event())
        compareKnowledge()
    }

    private mutating func runTimer(until end: Instant) {
        while difference == nil {
            let (deadline, due) = (monitor.nextDeadline, naive.nextAnnouncement(from: now))
            if let due, deadline.map({ $0 > due }) ?? true {
                difference = "the next deadline is \(deadline as Instant?), and \(due) something is due"
            }
            guard let deadline, deadline <= end else { return }
            now = max(now, deadline)
            happen(.advanced)
            if let next = monitor.nextDeadline, next <= now { difference = "the deadline \(next) is past at \(now)" }
        }
    }

    private mutating func happen(_ event: ModelEvent) {
        log.append("\(now.nanoseconds): \(event)")
        switch event {
        case .sighted(let sighting):
            compare(monitor.sighted(sighting, at: now), naive.sighted(sighting, at: now))
        case .advertisement(let address):
            monitor.advertisementHeard(from: address, at: now)
        case .advanced:
            compare(monitor.advanced(to: now), naive.advanced(to: now))
        case .adapterLost:
            compare(monitor.adapterLost(at: now), naive.adapterLost(at: now))
        case .adapterRecovered:
            naive.adapterRecovered(at: now)
            compare(monitor.adapterRecovered(at: now), [])
        case .paused:
            monitor.listeningPaused(at: now)
            naive.listeningPaused(at: now)
        case .resumed:
            monitor.listeningResumed(at: now)
            naive.listeningResumed(at: now)
        case .replaced(let regions):
            compare(monitor.regionsReplaced(with: regions, at: now), naive.regionsReplaced(with: regions, at: now))
        case .restarted:
            let memory = monitor.memory(at: now)
            monitor = RegionMonitor(naive.regions.map(\.region), at: now)
            monitor.restored(memory)
            naive = naive.restarted(at: now)
            compare(monitor.monitoringStarted(at: now), naive.monitoringStarted())
        }
    }

    /// - Parameter actions: the monitor's. The ends of silences follow only from the learned values.
    private mutating func compare(_ actions: [RegionMonitor.Action], _ expected: [RegionMonitor.Action]) {
        let announced = actions.filter { if case .silenceDidEnd = $0 { false } else { true } }
        if announced != expected { difference = "announced \(announced),\nand it should be \(expected)" }
    }

    private mutating func compareKnowledge() {
        for (snapshot, region) in zip(monitor.regionSnapshots, naive.regions) {
            let last = region.holder.flatMap(naive.last)
            let signal = region.holder.flatMap(naive.signal)
            let isSame =
                snapshot.region == region.region && snapshot.state == region.state
                && snapshot.lastKnown == region.lastKnown && snapshot.exitTime == region.region.exitAfter
                && snapshot.beacon?.identity == region.holder && snapshot.beacon?.lastHeard == last?.at
                && snapshot.beacon?.rssi == last?.sighting.rssi && snapshot.beacon?.signal == signal
            if !isSame { difference = "\(snapshot) should be \(region), last heard \(last as Any), \(signal as Any)" }
            let requested = monitor.stateRequested(region: region.name)
            if requested != [.didDetermineState(region: region.name, region.state)] { difference = "\(requested)" }
        }
        if monitor.regionSnapshots.count != naive.regions.count { difference = "not as many regions" }
    }
}
