import IBeacon
import RegionMonitoring
import Testing

/// The memory of one monitor, handed to the next: the restart of a program.
@Suite struct MemoryTests {
    private let learning = MonitoredRegion(BeaconRegion(identifier: "home", constraint: .major(uuid, 100)))

    /// The next monitor, started at `start` on a clock of its own and listening from then on.
    private func restarted(
        _ memory: RegionMonitor.Memory, _ regions: MonitoredRegion..., start: Double = 1000
    ) -> RegionMonitor {
        var monitor = RegionMonitor(regions, at: at(start))
        monitor.restored(memory)
        #expect(monitor.monitoringStarted(at: at(start)).labels == regions.flatMap { _ in ["start", "unknown"] })
        _ = monitor.adapterRecovered(at: at(start))
        return monitor
    }

    private func memory(_ state: RegionState, of region: MonitoredRegion) -> RegionMonitor.Memory {
        .init(regions: [
            .init(
                identifier: region.identifier, lastKnown: state,
                signs: [.init(identity: region.sign.identity, lastKnown: state)])
        ])
    }

    /// A monitor that received the beacon at these gaps, and the time of the last advertisement.
    private func taught(_ gaps: [Double]) -> (monitor: RegionMonitor, last: Double) {
        var monitor = listening(learning)
        var now = 0.0
        for gap in gaps {
            now += gap
            _ = monitor.sighted(beacon(), at: at(now))
        }
        return (monitor, now)
    }

    private let patchy: [Double] = (0..<300).map { step in
        if step % 12 == 0 { return 16 + Double(step % 36) }
        return step % 5 == 0 ? 4 : 1
    }

    @Test(arguments: [true, false])
    func `A state that another monitor announced counts in place of the last known one`(_ isStarted: Bool) {
        let regions = [region(after: 10)]
        let memory = RegionMonitor.Memory(regions: [
            .init(
                identifier: regions[0].identifier, lastKnown: .inside,
                signs: [.init(identity: regions[0].sign.identity, lastKnown: .inside)])
        ])
        var monitor = RegionMonitor(regions, at: at(0))
        if isStarted {
            monitor.restored(memory)
            _ = monitor.monitoringStarted(at: at(0))
            _ = monitor.announced([regions[0].identifier: .outside])
        } else {
            var announced = memory
            announced.announced([regions[0].identifier: .outside], of: regions)
            monitor.restored(announced)
            _ = monitor.monitoringStarted(at: at(0))
        }
        _ = monitor.adapterRecovered(at: at(0))
        #expect(monitor.sighted(beacon(rssi: -60), at: at(1)).labels == ["enter", "inside"])
    }

    @Test func `inside before and still there is silence`() {
        var monitor = listening(region())
        _ = monitor.sighted(beacon(), at: at(1))
        var next = restarted(monitor.memory(at: at(2)), region())
        #expect(next.sighted(beacon(), at: at(1001)).labels == ["inside"], "no second enter")
    }

    @Test func `what was learned of a beacon that had to make room is not lost`() throws {
        let all = region("all", .uuid(uuid))
        var monitor = listening(learning, all)
        var now = 0.0
        for gap in patchy {
            now += gap
            _ = monitor.sighted(beacon(), at: at(now))
        }
        let learned = try #require(monitor.memory(at: at(now)).beacons.first { $0.identity == beacon().identity })
        now += 400
        _ = monitor.run(to: now)
        for number in 0..<10_000 {
            let identity = BeaconIdentity(uuid: uuid, major: 200, minor: UInt16(number))
            _ = monitor.sighted(BeaconSighting(identity: identity, measuredPower: -59, rssi: -60), at: at(now))
        }
        #expect(!monitor.beaconSnapshots(since: at(0)).contains { $0.identity == beacon().identity }, "it made room")
        let kept = monitor.memory(at: at(now)).beacons.first { $0.identity == beacon().identity }
        #expect(kept == learned)
    }

    @Test func `inside before and not heard of is left after its time from the start`() {
        var next = restarted(memory(.inside, of: region(after: 20)), region(after: 20))
        let log = next.run(to: 2000)
        #expect(log.map(\.action.label) == ["exit", "outside"])
        #expect(log.first?.time == 1020)
    }

    @Test func `without an adapter no region that was inside is left`() {
        var next = RegionMonitor([region(after: 20)], at: at(0))
        next.restored(memory(.inside, of: region()))
        #expect(next.run(to: 5000).isEmpty)
        #expect(next.regionSnapshots[0].lastKnown == .inside)
        _ = next.adapterRecovered(at: at(5000))
        #expect(next.run(to: 6000).first?.time == 5020)
    }

    @Test func `outside before and heard is an arrival, and not heard is not a departure`() {
        var next = restarted(memory(.outside, of: region()), region())
        #expect(next.sighted(beacon(), at: at(1001)).labels == ["enter", "inside"])
        var empty = restarted(memory(.outside, of: region()), region())
        #expect(empty.run(to: 2000).map(\.action.label) == ["outside"])
    }

    @Test func `without a memory a received beacon arrives, and another one never leaves`() {
        var next = restarted(.init(), region())
        #expect(next.sighted(beacon(), at: at(1001)).labels == ["enter", "inside"])
        var empty = restarted(.init(), region())
        #expect(empty.run(to: 2000).map(\.action.label) == ["outside"])
    }

    @Test func `a region that names other beacons now is another one`() {
        var next = restarted(memory(.inside, of: region("home", .minor(uuid, 1, 1))), region("home"))
        #expect(next.sighted(beacon(), at: at(1001)).labels == ["enter", "inside"])
    }

    @Test func `what was learned of a beacon goes on`() throws {
        let (monitor, last) = taught(patchy)
        let exitTime = monitor.regionSnapshots[0].exitTime
        var next = restarted(monitor.memory(at: at(last)), learning)
        _ = next.sighted(beacon(), at: at(1001))
        #expect(next.regionSnapshots[0].exitTime == exitTime)
        let exit = try #require(next.run(to: 3000).first { $0.action.label == "exit" })
        #expect(abs(exit.time - 1001 - exitTime / .seconds(1)) < 0.001)
    }

    @Test func `a beacon that is not received after a restart is waited for as long as was learned`() throws {
        let (monitor, last) = taught(patchy)
        let exitTime = monitor.regionSnapshots[0].exitTime / .seconds(1)
        #expect(exitTime > 35, "longer than that of a stranger: \(exitTime)")
        var next = restarted(monitor.memory(at: at(last)), learning)
        let exit = try #require(next.run(to: 3000).first { $0.action.label == "exit" })
        #expect(abs(exit.time - 1000 - exitTime) < 0.001)
    }

    @Test func `a beacon that is not received after the adapter's return is waited for as long as was learned`() throws
    {
        var (monitor, last) = taught(patchy)
        let exitTime = monitor.regionSnapshots[0].exitTime / .seconds(1)
        _ = monitor.adapterLost(at: at(last))
        _ = monitor.adapterRecovered(at: at(last + 100))
        // Lost again before anything was received: what was learned is not lost with it.
        _ = monitor.adapterLost(at: at(last + 101))
        _ = monitor.adapterRecovered(at: at(last + 200))
        let exit = try #require(monitor.run(to: last + 1000).first { $0.action.label == "exit" })
        #expect(abs(exit.time - last - 200 - exitTime) < 0.001)
    }

    /// Half a second, and a quarter more for each bin: the form before the day's memory.
    @Test func `what an earlier version has learned goes on`() throws {
        var (counts, sums) = ([Float](repeating: 0, count: 29), [Float](repeating: 0, count: 29))
        (counts[4], sums[4]) = (500, 510)
        (counts[15], sums[15]) = (20, 220)
        let silences = try #require(LearnedSilences(counts: counts, sums: sums, learned: 15))
        var memory = RegionMonitor.Memory()
        memory.beacons = [.init(identity: beacon().identity, silences: silences)]
        var next = restarted(memory, learning)
        _ = next.sighted(beacon(), at: at(1001))
        let timing = try #require(next.judgements(at: at(1001), limit: 1)[0].first?.exit)
        #expect(timing.basis == .learned)
        #expect(timing.time >= .seconds(14) && timing.time < .seconds(60), "\(timing)")
        #expect(timing.tail?.listened == .seconds(730))
        #expect(LearnedSilences(counts: [1], sums: [], learned: 1) == nil)
        #expect(LearnedSilences(counts: [.nan], sums: [1], learned: 1) == nil)
    }

    @Test func `what was learned of a beacon that is away is handed on once more`() {
        let (monitor, last) = taught(patchy)
        let memory = monitor.memory(at: at(last))
        let next = restarted(memory, learning)
        #expect(next.memory(at: at(1000)) == memory)
    }

    @Test func `a stranger is not remembered, and of a crowd only so many`() {
        var monitor = listening(learning)
        for minor in 0..<UInt16(500) {
            for second in [0.0, 1, 2] { _ = monitor.sighted(beacon(minor), at: at(Double(minor) + second)) }
        }
        let stranger = BeaconIdentity(uuid: BeaconUUID(high: 1, low: 2), major: 1, minor: 1)
        for second in [600.0, 601] {
            _ = monitor.sighted(BeaconSighting(identity: stranger, measuredPower: -59, rssi: -60), at: at(second))
        }
        let memory = monitor.memory(at: at(601))
        #expect(memory.beacons.count == RegionMonitor.memoryCapacity)
        #expect(memory.beacons.first?.identity.minor == 499, "those that were heard last")
    }

    @Test(arguments: [Float.nan, .infinity, -1, 1e30])
    func `impossible learned values are rejected`(number: Float) {
        var memory = taught(patchy).monitor.memory(at: at(0))
        for place in 0..<6 {
            switch place {
            case 4: memory.beacons[0].silences.ages = Array(repeating: 1, count: 37)
            case 0: memory.beacons[0].silences.minutes.counts[3] = number
            case 1: memory.beacons[0].silences.day.listened = number
            case 2: memory.beacons[0].silences.learned = number
            case 3: memory.beacons[0].silences.day.counts.append(1)
            default: memory.beacons[0].silences.day.sums = [number]
            }
            var next = restarted(memory, learning)
            _ = next.sighted(beacon(), at: at(1001))
            #expect(next.regionSnapshots[0].exitTime == Sensitivity.balanced.initialExitAfter)
        }
    }

    @Test func `an absurd exit time neither traps nor causes an early exit`() {
        for time in [Duration.seconds(-5), .seconds(1e15), .seconds(Int64.max)] {
            var memory = memory(.inside, of: learning)
            memory.regions[0].signs[0].learnedExitTime = time
            var next = restarted(memory, learning)
            let exit = next.run(to: 2000).first { $0.action.label == "exit" }
            #expect(exit.map { $0.time >= 1014 && $0.time <= 1300 } ?? false, "\(time)")
        }
    }
}
