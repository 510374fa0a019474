import IBeacon
import OkaeriTestSupport
import RegionMonitoring
import Testing

/// Several radios: their union decides while all of them listen, the others while one is away.
@Suite struct RadiosTests {
    private var monitor: RegionMonitor
    private let hall: RadioID
    private let attic: RadioID

    /// A house whose own adapter is missing, with two receivers that listen from 0 s on.
    init() {
        (monitor, hall, attic) = Self.house(region(after: 10))
    }

    private static func house(_ regions: MonitoredRegion...) -> (RegionMonitor, RadioID, RadioID) {
        var monitor = RegionMonitor(regions, at: at(0))
        _ = monitor.monitoringStarted(at: at(0))
        let radios = ["hall", "attic"].map { monitor.radio(named: $0, at: at(0)) }
        for radio in radios { _ = monitor.adapterRecovered(radio, at: at(0)) }
        return (monitor, radios[0], radios[1])
    }

    private func sighting(_ radio: RadioID, rssi: Int8 = -60) -> BeaconSighting {
        var sighting = beacon(rssi: rssi)
        sighting.radio = radio
        return sighting
    }

    /// The radio receives the beacon at each of these seconds. Returns what happened, with the seconds.
    private mutating func receive(_ seconds: ClosedRange<Int>, _ radio: RadioID, rssi: Int8 = -60) -> [(Double, String)]
    {
        seconds.flatMap { second in
            run(to: Double(second))
                + monitor.sighted(sighting(radio, rssi: rssi), at: at(Double(second))).labels.map {
                    (Double(second), $0)
                }
        }
    }

    private mutating func run(to end: Double) -> [(Double, String)] {
        let log = monitor.run(to: end)
        return log.map { ($0.time, $0.action.label) }.filter { $0.1 != "silence" }
    }

    private func expect(
        _ log: [(Double, String)], _ labels: [String], sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(log.map(\.1) == labels, sourceLocation: sourceLocation)
    }

    @Test mutating func `a name is one radio`() {
        let again = monitor.radio(named: "hall", at: at(1))
        #expect(again == hall)
        #expect(hall != attic)
        #expect(hall != .own)
    }

    @Test mutating func `silence at all of its radios ends a presence`() {
        expect(receive(1...20, hall), ["enter", "inside"])
        expect(receive(15...25, attic), [])
        let log = run(to: 60)
        expect(log, ["exit", "outside"])
        #expect(log.first?.0 == 35)
    }

    @Test mutating func `a region whose radio is lost is unknown, and inside again without an event`() {
        _ = receive(1...20, hall)
        let lost = monitor.adapterLost(hall, at: at(22))
        #expect(lost.labels == ["unknown"])
        expect(run(to: 500), [])
        let found = monitor.adapterRecovered(hall, at: at(500))
        #expect(found.isEmpty)
        expect(receive(505...510, hall), ["inside"])
        let log = run(to: 600)
        #expect(log.first?.0 == 520)
    }

    @Test mutating func `a beacon that left while its radio was lost is left after the return`() {
        _ = receive(1...20, hall)
        _ = monitor.adapterLost(hall, at: at(22))
        expect(run(to: 500), [])
        _ = monitor.adapterRecovered(hall, at: at(500))
        let log = run(to: 600)
        expect(log, ["exit", "outside"])
        #expect(log.first?.0 == 510)
    }

    @Test mutating func `another radio finds a beacon whose radio is lost`() {
        _ = receive(1...20, hall)
        _ = monitor.adapterLost(hall, at: at(22))
        expect(receive(30...40, attic), ["inside"])
        let log = run(to: 100)
        expect(log, ["exit", "outside"])
        #expect(log.first?.0 == 50)
    }

    @Test mutating func `the loss and the return of a radio that never received the beacon change nothing`() {
        _ = receive(1...20, hall)
        let lost = monitor.adapterLost(attic, at: at(21))
        #expect(lost.isEmpty)
        expect(receive(21...30, hall), [])
        let found = monitor.adapterRecovered(attic, at: at(31))
        #expect(found.isEmpty)
        expect(run(to: 39.9), [])
        expect(run(to: 40), ["exit", "outside"])
    }

    @Test mutating func `a radio that pauses does not end a presence, the others do`() {
        _ = receive(1...20, hall)
        _ = receive(18...20, attic)
        monitor.listeningPaused(hall, at: at(21))
        expect(run(to: 29.9), [])
        expect(run(to: 30), ["exit", "outside"])
    }

    @Test mutating func `while all radios of a beacon pause its silence stands still`() {
        _ = receive(1...20, hall)
        monitor.listeningPaused(hall, at: at(25))
        expect(run(to: 300), [])
        monitor.listeningResumed(hall, at: at(300))
        let log = run(to: 400)
        #expect(log.first?.0 == 305)
    }

    @Test mutating func `a radio that does not come back is forgotten`() {
        _ = receive(1...20, hall)
        _ = monitor.adapterLost(hall, at: at(22))
        expect(run(to: 500), [])
        let actions = monitor.radioRemoved(hall, at: at(500))
        #expect(actions.isEmpty)
        let log = run(to: 600)
        expect(log, ["exit", "outside"])
        #expect(log.first?.0 == 510)
    }

    @Test mutating func `without any radio every region is unknown`() {
        expect(run(to: 20), ["outside"])
        let first = monitor.adapterLost(hall, at: at(21))
        #expect(first.isEmpty)
        let last = monitor.adapterLost(attic, at: at(22))
        #expect(last.labels == ["unknown"])
    }

    @Test func `the strongest radio decides at a boundary`() {
        var (monitor, hall, attic) = Self.house(region(enter: -70, exit: -75, after: 60))
        var labels: [String] = []
        for second in 1...60 {
            let time = at(Double(second))
            let rssi: Int8 = second < 30 ? -60 : -90
            labels += monitor.sighted(sighting(hall, rssi: rssi), at: time).labels
            // The attic never receives it well.
            labels += monitor.sighted(sighting(attic, rssi: -85), at: time).labels
            if second == 28 { #expect(labels == ["enter", "inside"]) }
        }
        #expect(labels == ["enter", "inside", "exit", "outside"])
    }

    /// A beacon that is always there, with a radio that is away, and one behind a wall: made-up days.
    @Test(arguments: 0..<20)
    func `radios that come and go cause no exit of a beacon that one of them receives`(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var (monitor, hall, attic) = Self.house(region(after: 15))
        let radios = [hall, attic]
        // What is true of each radio: it listens, pauses or is lost.
        var states = [0, 0]
        var exits = 0
        func note(_ labels: [String]) { exits += labels.count { $0 == "exit" } }
        for second in 1...7200 {
            let time = at(Double(second))
            note(monitor.run(to: Double(second)).map { $0.action.label })
            for radio in radios.indices where Int.random(in: 0..<60, using: &generator) == 0 {
                states[radio] = Int.random(in: 0...2, using: &generator)
                switch states[radio] {
                case 0:
                    note(monitor.adapterRecovered(radios[radio], at: time).labels)
                    note(monitor.sighted(sighting(radios[radio]), at: time).labels)
                case 1: monitor.listeningPaused(radios[radio], at: time)
                default: note(monitor.adapterLost(radios[radio], at: time).labels)
                }
            }
            // Each radio that listens receives the beacon at once, and then at least every ten seconds.
            for radio in radios.indices where states[radio] == 0 && (second + radio * 3) % 10 == 0 {
                note(monitor.sighted(sighting(radios[radio]), at: time).labels)
            }
        }
        #expect(exits == 0)
        // It leaves: the radios that are there decide.
        for radio in radios { note(monitor.adapterRecovered(radio, at: at(7201)).labels) }
        note(monitor.sighted(sighting(hall), at: at(7201)).labels)
        note(monitor.run(to: 7300).map { $0.action.label })
        #expect(exits == 1)
    }

    /// Regions that are unknown share the long list of the radios that listen.
    @Test func `at a large site a region is outside when all radios have listened for its own time`() {
        var monitor = RegionMonitor(
            [
                region("a", after: 10), region("b", .minor(uuid, 100, 7), after: 10),
                region("c", .minor(uuid, 100, 8), after: 20),
            ], at: at(0))
        _ = monitor.monitoringStarted(at: at(0))
        let radios = (0..<20).map { monitor.radio(named: "radio \($0)", at: at(0)) }
        for (second, radio) in radios.enumerated() {
            _ = monitor.run(to: Double(second) / 4)
            _ = monitor.adapterRecovered(radio, at: at(Double(second) / 4))
        }
        // The last one begins at 4.75 s, pauses for two seconds, and the first does not come back.
        _ = monitor.run(to: 6)
        monitor.listeningPaused(radios[19], at: at(6))
        _ = monitor.radioRemoved(radios[0], at: at(7))
        _ = monitor.run(to: 8)
        monitor.listeningResumed(radios[19], at: at(8))
        let log = monitor.run(to: 100)
        #expect(log.map(\.action.label) == ["outside", "outside", "outside"])
        #expect(log.map(\.time) == [16.75, 16.75, 26.75])
    }

    /// Two radios with shadows of their own: each alone would need a longer exit time than both together.
    @Test func `two radios are left sooner than one`() {
        var generator = SeededGenerator(seed: 7)
        let learned = MonitoredRegion(
            BeaconRegion(identifier: "home", constraint: .major(uuid, 100)), exitAfter: nil)
        var (both, hall, attic) = Self.house(learned)
        var (one, single, _) = Self.house(learned)
        var shadows = [0, 0]
        for second in 1...40_000 {
            let time = at(Double(second))
            _ = both.run(to: Double(second))
            _ = one.run(to: Double(second))
            for (place, radio) in [hall, attic].enumerated() {
                if Int.random(in: 0..<1200, using: &generator) == 0 {
                    shadows[place] = second + Int.random(in: 10...60, using: &generator)
                }
                guard second >= shadows[place], Int.random(in: 0..<10, using: &generator) < 7 else { continue }
                _ = both.sighted(sighting(radio), at: time)
                if place == 0 { _ = one.sighted(sighting(single), at: time) }
            }
        }
        let exits = [both.run(to: 41_000), one.run(to: 41_000)].map { log -> Double? in
            log.first { $0.action.label == "exit" }.map { $0.time - 40_000 }
        }
        let delays: [Double] = exits.compactMap(\.self)
        #expect(delays.count == 2)
        #expect(delays.first ?? .infinity < (delays.last ?? 0) * 0.7, "\(delays)")
    }

    /// The hall receives the beacon each second, the attic's receptions are 25 s apart. The attic alone would be judged too early by
    /// the hall's gaps or by none.
    @Test func `a restart keeps what each radio has learned`() throws {
        let learned = MonitoredRegion(
            BeaconRegion(identifier: "home", constraint: .major(uuid, 100)), exitAfter: nil)
        var (first, hall, attic) = Self.house(learned)
        for second in 1...3000 {
            _ = first.run(to: Double(second))
            _ = first.sighted(sighting(hall), at: at(Double(second)))
            if second % 25 == 0 { _ = first.sighted(sighting(attic), at: at(Double(second))) }
        }
        let memory = first.memory(at: at(3000))
        #expect(memory.beacons.first?.radios.keys.sorted() == ["attic", "hall"])

        var next = RegionMonitor([learned], at: at(3010))
        next.restored(memory)
        _ = next.monitoringStarted(at: at(3010))
        #expect(next.memory(at: at(3010)).beacons == memory.beacons)
        (hall, attic) = (next.radio(named: "hall", at: at(3010)), next.radio(named: "attic", at: at(3010)))
        for radio in [hall, attic] { _ = next.adapterRecovered(radio, at: at(3010)) }
        _ = next.sighted(sighting(hall), at: at(3011))
        #expect(next.memory(at: at(3011)).beacons.first?.radios.keys.sorted() == ["attic", "hall"])
        _ = next.sighted(sighting(attic), at: at(3012))
        let exits = try #require(next.judgements(at: at(3012), limit: 1).first?.first?.radios.map(\.exitTime))
        #expect(exits.count == 2 && exits.max() ?? .zero > .seconds(25), "\(exits)")
        _ = next.adapterLost(hall, at: at(3013))
        var log = next.run(to: 3036)
        _ = next.sighted(sighting(attic), at: at(3037))
        log += next.run(to: 3061)
        #expect(log.map(\.action.label).filter { $0 != "silence" }.isEmpty, "\(log)")

        // A radio that does not come back is not remembered.
        _ = next.radioRemoved(hall, at: at(3062))
        #expect(next.memory(at: at(3062)).beacons.first?.radios.keys.sorted() == ["attic"])
    }
}
