import HCI
import IBeacon
import OkaeriBluetooth
import OkaeriDaemonTestSupport
import OkaeriPresence
import OkaeriTestSupport
import RegionMonitoring
import Synchronization
import Testing

@testable import OkaeriEvents
@testable import OkaeriListening

/// Ten seconds of listening, second by second.
@Suite struct LocatorTests {
    private final class Bench: Sendable {
        let locator: Locator
        let finished: Counter

        final class Counter: Sendable {
            let count = Mutex(0)
        }

        init(_ regions: MonitoredRegion..., quietPeriod: Duration? = .seconds(2.5)) {
            let counter = Counter()
            finished = counter
            locator = Locator(
                regions, within: .seconds(10), quietPeriod: quietPeriod, updated: { _, _ in },
                finished: { counter.count.withLock { $0 += 1 } })
            locator.scannerWillStart(at: at(0))
        }

        /// The adapter is well and listens.
        func listen(_ second: Double) {
            locator.scannerDidUpdate(
                AdapterUpdate(state: .poweredOn, adapter: "hci0", reason: "it works"), at: at(second))
            locator.scannerDidChangeListening(.continuous, at: at(second))
        }

        func lose(_ second: Double) {
            locator.scannerDidChangeListening(nil, at: at(second))
            locator.scannerDidUpdate(
                AdapterUpdate(state: .poweredOff, adapter: "hci0", reason: "hci0 is switched off."), at: at(second))
        }

        func hear(_ second: Double, rssi: Int8 = -70) {
            let bytes = event(rssi: rssi)
            _ = locator.scannerDidReceive(bytes.span.bytes, at: at(second))
        }

        /// Nothing more comes, but the controller answers.
        func wait(until second: Double) {
            locator.scannerDidHearController(at: at(second))
            _ = locator.scannerDidFinishTurn(at: at(second))
        }

        var isFinished: Bool { finished.count.withLock { $0 } > 0 }

        func answer(_ second: Double = 10) -> LocateAnswer {
            locator.answer(at: Instant(nanoseconds: at(second)))
        }
    }

    private func region(_ identifier: String = "home", minor: UInt16 = 100, enterRSSI: Int? = nil) -> MonitoredRegion {
        MonitoredRegion(
            BeaconRegion(identifier: identifier, constraint: .minor(home.uuid, 100, minor)), enterRSSI: enterRSSI)
    }

    @Test func `the first sighting inside ends the search`() throws {
        let bench = Bench(region())
        bench.listen(0.2)
        bench.wait(until: 1)
        #expect(!bench.isFinished)
        bench.hear(1.2, rssi: -60)
        #expect(bench.isFinished)
        let answer = bench.answer()
        #expect(answer.exitStatus == 0)
        let place = try #require(answer.places.first)
        #expect(place.state == .inside)
        #expect(place.beacon?.rssi == -60)
        #expect(place.beacon.map { Proximity(accuracy: $0.accuracy) } == .near)
        #expect(answer.text.hasPrefix("home  inside   major 100 minor 100  -60 dBm"))
    }

    @Test func `the answer outside takes the whole time`() {
        let bench = Bench(region())
        bench.listen(0.2)
        bench.wait(until: 9.9)
        #expect(!bench.isFinished)
        bench.wait(until: 10)
        #expect(bench.isFinished)
        #expect(bench.answer().exitStatus == 1)
        #expect(bench.answer().text == "home  outside  nothing was received from it")
    }

    @Test func `of two regions the locator waits for the silent one`() {
        let bench = Bench(region(), region("office", minor: 7))
        bench.listen(0)
        bench.hear(1)
        #expect(!bench.isFinished)
        bench.wait(until: 10)
        #expect(bench.answer().places.map(\.state) == [.inside, .outside])
        #expect(bench.answer().exitStatus == 0)
    }

    @Test func `what was received before the question does not count`() {
        let bench = Bench(region())
        bench.listen(0)
        bench.hear(-1)
        bench.wait(until: 10)
        #expect(bench.answer().places.map(\.state) == [.outside])
    }

    @Test func `what is received after the time does not count`() {
        let bench = Bench(region())
        bench.listen(0)
        bench.hear(10.1)
        bench.wait(until: 10.2)
        #expect(bench.answer().places.map(\.state) == [.outside])
    }

    @Test func `a beacon that is too weak is outside, with that reason`() {
        let bench = Bench(region(enterRSSI: -70))
        bench.listen(0)
        for second in 1...9 { bench.hear(Double(second), rssi: -90) }
        #expect(!bench.isFinished)
        bench.wait(until: 10)
        #expect(bench.answer().places.first?.state == .outside)
        #expect(bench.answer().places.first?.beacon?.rssi == -90)
        #expect(bench.answer().text.contains("too weakly to be inside"))
    }

    @Test func `a beacon that is received once and then no more is outside`() {
        var brief = region()
        brief.exitAfter = .seconds(3)
        let bench = Bench(brief, region("office", minor: 7))
        bench.listen(0)
        bench.hear(1)
        bench.wait(until: 10)
        #expect(bench.answer().places.map(\.state) == [.outside, .outside])
    }

    @Test func `switched off in the middle no region is outside`() {
        let bench = Bench(region())
        bench.listen(0)
        bench.lose(3)
        bench.listen(6)
        bench.wait(until: 10)
        #expect(bench.isFinished)
        #expect(bench.answer().exitStatus == 2)
        #expect(bench.answer().text.contains("only 7 s of 10 s were scanned: hci0 is switched off."))
    }

    @Test func `a beacon is found by an adapter that was switched off and on`() {
        let bench = Bench(region())
        bench.listen(0)
        bench.lose(3)
        bench.listen(6)
        bench.hear(6.5)
        #expect(bench.isFinished)
        #expect(bench.answer().exitStatus == 0)
    }

    @Test func `an adapter that is off at the end is the reason`() {
        let bench = Bench(region())
        bench.listen(0)
        bench.lose(3)
        _ = bench.locator.scannerDidFinishTurn(at: at(10))
        #expect(bench.answer().exitStatus == 2)
        #expect(bench.answer().text == "home  unknown  hci0 is switched off.")
    }

    @Test func `a controller without reports causes no exit`() {
        let bench = Bench(region())
        bench.listen(0)
        _ = bench.locator.scannerDidFinishTurn(at: at(10))
        #expect(bench.answer().exitStatus == 2)
        #expect(bench.answer().text.contains("hci0 does not answer"))
    }

    @Test func `an adapter that never answered is the reason`() {
        let bench = Bench(region())
        _ = bench.locator.scannerDidFinishTurn(at: at(10))
        #expect(bench.answer().exitStatus == 2)
        #expect(bench.answer().text.contains("the adapter has not answered yet"))
    }

    @Test func `a process that was stopped has not scanned in that time`() {
        let bench = Bench(region())
        bench.listen(0)
        bench.locator.scannerDidStall(from: at(2), until: at(6))
        bench.wait(until: 10)
        #expect(bench.answer().exitStatus == 2)
        #expect(bench.answer().text.contains("only 6 s of 10 s"))
    }

    @Test func `the answer is given once`() {
        let bench = Bench(region())
        bench.listen(0)
        bench.hear(1)
        bench.hear(2)
        bench.wait(until: 10)
        #expect(bench.finished.count.withLock { $0 } == 1)
    }

    @Test func `the answer is printed as JSON`() {
        let bench = Bench(region(), region("office", minor: 7))
        bench.listen(0)
        bench.hear(1, rssi: -60)
        bench.wait(until: 10)
        #expect(
            bench.answer().json(at: "T") == """
                {"time":"T","regions":[{"region":"home","state":"inside","beacon":{"uuid":"\(uuidText)","major":100,\
                "minor":100,"rssi":-60,"accuracy":1.1,"proximity":"near"}},{"region":"office","state":"outside",\
                "reason":"nothing was received from it"}],"listened":10,"bluetooth":{"state":"poweredOn","adapter":"hci0",\
                "reason":"it works"}}
                """)
    }

    @Test(.timeLimit(.minutes(5)))
    func `a capture is located at its own clock`() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("capture", capture([4], until: 20))
        for (minor, status) in [(100, 0), (7, 1)] as [(UInt16, Int32)] {
            let regions = [region(minor: minor)]
            let session = try ListeningSession(
                regions: regions, adapter: nil, capture: file, speed: nil, logger: quiet)
            let answer = try await session.locate(regions, within: .seconds(10), with: [])
            #expect(answer.exitStatus == status)
            #expect(session.time(of: answer.time) < session.time, "the capture goes on after the answer")
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `a capture that ends early causes no exit`() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("capture", capture([4], until: 5))
        let regions = [region(minor: 7)]
        let session = try ListeningSession(regions: regions, adapter: nil, capture: file, speed: nil, logger: quiet)
        let answer = try await session.locate(regions, within: .seconds(10), with: [])
        #expect(answer.exitStatus == 2)
        #expect(answer.text.contains("only 5 s of 10 s"))
    }
}

private func at(_ second: Double) -> Int64 { 1_000_000_000_000 + nanoseconds(second) }
