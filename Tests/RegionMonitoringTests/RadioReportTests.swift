import IBeacon
import OkaeriTestSupport
import RegionMonitoring
import Testing

/// Radios that report once a second what they received: the reports may be late, or not come.
@Suite struct RadioReportTests {
    private var monitor: RegionMonitor
    private let hall: RadioID
    private let attic: RadioID
    /// The ends of the reported times.
    private var horizons: [RadioID: Double] = [:]

    init() {
        monitor = RegionMonitor([region(after: 10)], at: at(0))
        _ = monitor.monitoringStarted(at: at(0))
        hall = monitor.radio(named: "hall", at: at(0))
        attic = monitor.radio(named: "attic", at: at(0))
    }

    /// The radio reports of the second before `end`. Returns the events.
    ///
    /// - Parameters:
    ///   - start: The begin of the reported time; the end of the last report if `nil`.
    ///   - isReceived: Whether it received the beacon at the end of that time.
    private mutating func report(
        _ radio: RadioID, until end: Double, from start: Double? = nil, share: Double = 1, _ isReceived: Bool
    ) -> [String] {
        let begin = start ?? horizons[radio] ?? end - 1
        var labels = monitor.reportBegan(radio, from: at(begin), share: share).labels
        monitor.reported(radio, until: at(end))
        if isReceived {
            var sighting = beacon(rssi: -60)
            sighting.radio = radio
            labels += monitor.sighted(sighting, at: at(end)).labels
        }
        horizons[radio] = end
        return labels.filter { $0 != "silence" }
    }

    private mutating func run(to end: Double) -> [String] {
        monitor.run(to: end).map { $0.action.label }.filter { $0 != "silence" }
    }

    /// The radio reports each second. Returns the events and the time of the last.
    private mutating func play(_ seconds: ClosedRange<Int>, _ radio: RadioID, _ isReceived: Bool) -> [(Int, String)] {
        seconds.flatMap { second in
            let labels = run(to: Double(second)) + report(radio, until: Double(second), isReceived)
            return labels.map { (second, $0) }
        }
    }

    @Test mutating func `a silence that is reported ends a presence`() {
        #expect(play(1...20, hall, true).map(\.1) == ["enter", "inside"])
        let log = play(21...60, hall, false)
        #expect(log.map(\.1) == ["exit", "outside"])
        #expect(log.first.map { 30...31 ~= $0.0 } == true)
    }

    @Test mutating func `a reception before the exit that is reported behind it is not an enter`() {
        _ = play(1...20, hall, true)
        _ = play(1...20, attic, true)
        _ = monitor.adapterLost(attic, at: at(21))
        #expect(play(21...40, hall, false).map(\.1) == ["exit", "outside"])
        #expect(report(attic, until: 22, from: 20, true).isEmpty, "it is older than the exit")
        #expect(report(attic, until: 42, true) == ["enter", "inside"])
    }

    @Test mutating func `a radio that was silent for the exit time before does not decide when another one is lost`() {
        _ = play(1...20, hall, true)
        for second in 21...35 {
            _ = report(hall, until: Double(second), false)
            _ = run(to: Double(second)) + report(attic, until: Double(second), true)
        }
        #expect(monitor.adapterLost(attic, at: at(36)).labels.filter { $0 != "silence" } == ["unknown"])
        #expect(play(36...90, hall, false).isEmpty)
    }

    @Test mutating func `without reports a silence does not grow, and the timer rests`() {
        _ = play(1...20, hall, true)
        var turns = 0
        while let deadline = monitor.nextDeadline, deadline <= at(620) {
            #expect(monitor.advanced(to: deadline).isEmpty)
            turns += 1
        }
        #expect(turns < 3000, "four times a second at most")
        #expect(play(620...640, hall, true).isEmpty)
    }

    /// The own radio receives the beacon twice a second until a time, with what it receives in between.
    private mutating func receive(until end: Int, from start: Int = 0) -> [String] {
        (2 * start..<2 * end).flatMap { step in
            run(to: Double(step) / 2) + monitor.sighted(beacon(rssi: -60), at: at(Double(step) / 2)).labels
        }
    }

    @Test mutating func `a radio whose reports are missing delays no exit that another one decides`() {
        _ = monitor.adapterRecovered(at: at(0))
        _ = receive(until: 15)
        _ = report(attic, until: 15, from: 14, true)
        _ = receive(until: 20, from: 15)
        _ = report(attic, until: 20, true)
        // The attic is not lost, and reports nothing.
        let log = monitor.run(to: 300).filter { $0.action.label == "exit" }
        #expect(log.map { ($0.time * 10).rounded() / 10 } == [30])
    }

    @Test mutating func `one report more delays an exit by ten seconds at most`() {
        _ = monitor.adapterRecovered(at: at(0))
        _ = receive(until: 20)
        _ = report(attic, until: 20, from: 19, true)
        _ = run(to: 28)
        _ = report(attic, until: 28, false)
        let log = monitor.run(to: 300).filter { $0.action.label == "exit" }
        #expect(log.count == 1 && log.allSatisfy { 38...38.3 ~= $0.time }, "\(log)")
    }

    @Test mutating func `the other radio's reports may be missing as long as the beacon is received`() {
        _ = monitor.adapterRecovered(at: at(0))
        _ = receive(until: 20)
        _ = report(attic, until: 20, from: 19, true)
        #expect(receive(until: 400, from: 20).filter { $0 != "silence" }.isEmpty)
        // What it did not report is not silence either, and it listens again.
        #expect(report(attic, until: 400, from: 399, false).isEmpty && run(to: 405).isEmpty)
    }

    @Test mutating func `the union learns while the reports of one of its radios are missing`() throws {
        monitor = RegionMonitor(
            [MonitoredRegion(BeaconRegion(identifier: "home", constraint: .major(uuid, 100)))], at: at(0))
        _ = monitor.monitoringStarted(at: at(0))
        _ = monitor.adapterRecovered(at: at(0))
        let attic = monitor.radio(named: "attic", at: at(0))
        _ = receive(until: 5)
        _ = report(attic, until: 5, from: 4, true)
        _ = receive(until: 70, from: 5)
        let exit = try #require(monitor.run(to: 400).first { $0.action.label == "exit" })
        #expect(exit.time < 86, "the initial time is 35 s, and the learned one of the own radio 14 s")
    }

    @Test mutating func `the time of lost reports is not silence`() {
        _ = play(1...20, hall, true)
        // Of each five reports four are lost.
        var exit: Double?
        for second in stride(from: 25.0, through: 200, by: 5) where exit == nil {
            var labels = run(to: second)
            labels += report(hall, until: second, from: second - 1, false)
            if labels.contains("exit") { exit = second }
        }
        // Ten reported seconds are ten reports.
        #expect(exit.map { 65...75 ~= $0 } == true, "\(String(describing: exit))")
    }

    @Test mutating func `a report that comes late ends no presence, and the exit comes as much later`() {
        for second in 1...20 { _ = report(hall, until: Double(second), true) }
        var exit: Int?
        // The beacon is received until 100 s, and each report comes 4 s late.
        for second in 21...200 {
            var labels = run(to: Double(second))
            if second >= 24 { labels += report(hall, until: Double(second - 4), second - 4 <= 100) }
            if labels.contains("exit") { exit = exit ?? second }
        }
        #expect(exit.map { 114...115 ~= $0 } == true, "\(String(describing: exit))")
    }

    @Test mutating func `a radio that does not listen is silent for no time`() {
        _ = play(1...20, hall, true)
        for second in 21...100 { #expect(report(hall, until: Double(second), share: 0, false).isEmpty) }
        #expect(run(to: 100).isEmpty)
        #expect(play(101...105, hall, false).isEmpty)
    }

    @Test mutating func `after a restart a region waits for the radios that received its beacon`() {
        _ = play(1...20, hall, true)
        let memory = monitor.memory(at: at(20))
        #expect(memory.regions.map { $0.signs.map(\.radios) } == [[["hall"]]])
        var next = RegionMonitor([region(after: 10)], at: at(100))
        next.restored(memory)
        _ = next.monitoringStarted(at: at(100))
        _ = next.adapterRecovered(at: at(100))
        // The own adapter never received it.
        #expect(next.run(to: 2000).isEmpty)
        #expect(next.regionSnapshots.map(\.waiting) == [["hall"]])
        let found = next.radio(named: "hall", at: at(2000))
        _ = next.reportBegan(found, from: at(2000), share: 1)
        for second in 2001...2030 { next.reported(found, until: at(Double(second))) }
        #expect(next.run(to: 2030).map { $0.action.label } == ["exit", "outside"])
    }

    @Test(arguments: [90.0, 94.5, 100])
    mutating func `an idle radio's report from before a restart shortens no silence`(begin: Double) {
        _ = monitor.adapterRecovered(at: at(0))
        for second in 1...20 { _ = monitor.sighted(beacon(rssi: -60), at: at(Double(second))) }
        let memory = monitor.memory(at: at(20))
        var next = RegionMonitor([region(after: 10)], at: at(100))
        next.restored(memory)
        _ = next.monitoringStarted(at: at(100))
        _ = next.adapterRecovered(at: at(100))
        let idle = next.radio(named: "attic", at: at(100))
        _ = next.reportBegan(idle, from: at(begin), share: 1)
        for second in 101...120 {
            next.reported(idle, until: at(Double(second)))
            let labels = next.run(to: Double(second)).map { $0.action.label }
            #expect(labels == (second == 110 ? ["exit", "outside"] : []), "at \(second) s")
        }
    }

    @Test mutating func `a radio is waited for for a day`() {
        _ = play(1...20, hall, true)
        _ = monitor.adapterRecovered(at: at(20))
        #expect(monitor.adapterLost(hall, at: at(25)).labels == ["unknown"])
        #expect(run(to: 86_000).isEmpty)
        #expect(run(to: 87_000) == ["exit", "outside"])
    }

    @Test mutating func `the place of a radio that does not come back is another one's, without its receptions`() {
        _ = play(1...20, hall, true)
        let places = (0..<3000).map { number in
            let radio = monitor.radio(named: "radio \(number)", at: at(20))
            _ = monitor.radioRemoved(radio, at: at(20))
            return radio
        }
        #expect(Set(places).count == 1)
        _ = monitor.radioRemoved(hall, at: at(21))
        #expect(monitor.knownRadio(named: "hall") == nil)
        let next = monitor.radio(named: "cellar", at: at(21))
        // The cellar listens, and receives nothing: the silence is its own from its first report on.
        for second in 22...30 { #expect(report(next, until: Double(second), from: Double(second - 1), false).isEmpty) }
        #expect(monitor.judgements(at: at(30), limit: 1).first?.first?.radios.isEmpty == true)
        #expect(run(to: 30).isEmpty)
        _ = play(31...40, next, false)
        #expect(monitor.regionSnapshots.map(\.state) == [.outside])
    }

    /// Two radios with a delay of two seconds, 30 % of whose reports are lost; the beacon is received at one of them at least.
    @Test(arguments: 0..<10)
    func `slow radios with losses cause no exit of a beacon that is there`(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var tests = RadioReportTests()
        let radios = [tests.hall, tests.attic]
        var last = [0.0, 0.0]
        for second in 1...3600 {
            var labels = tests.run(to: Double(second))
            for (place, radio) in radios.enumerated() where second > 2 {
                guard Int.random(in: 0..<10, using: &generator) >= 3 else { continue }
                let end = Double(second - 2)
                // The report of one second alone.
                let isNext = last[place] == end - 1
                last[place] = end
                labels += tests.report(
                    radio, until: end, from: isNext ? nil : end - 1, (second / 600) % 2 == place || second % 4 == 0)
            }
            #expect(!labels.contains("exit"), "at \(second) s")
        }
    }
}
