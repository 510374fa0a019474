import HCI
import IBeacon
import OkaeriBluetooth
import OkaeriPresence
import RegionMonitoring
import Testing

@testable import BeaconLocation

/// A request in the middle of a scan, without a scanner.
@Suite struct LocationScanTests {
    private let bench = LocationBench()
    private let scan: LocationScan
    private let constraint = BeaconConstraint.uuid(LocationBench.beacon.uuid)

    init() {
        scan = LocationScan(bench.driver.driver)
    }

    private func locator(_ constraint: BeaconConstraint) -> Locator {
        Locator(
            [MonitoredRegion(BeaconRegion(identifier: "here", constraint: constraint))], within: .seconds(10),
            quietPeriod: .seconds(2), updated: { _, _ in }, finished: {})
    }

    private func listen() {
        scan.scannerDidUpdate(.well, at: bench.now)
        scan.scannerDidChangeListening(.continuous, at: bench.now)
    }

    private func hear() {
        scan.scannerDidReceive { each in
            let packet = bench.packet(-59)
            _ = each(packet.span.bytes, bench.now)
        }
        _ = scan.scannerDidFinishTurn(at: bench.now)
    }

    private func pass(_ seconds: Int) {
        for _ in 0..<seconds {
            bench.advance(1)
            scan.scannerDidHearController(at: bench.now)
            _ = scan.scannerDidFinishTurn(at: bench.now)
        }
    }

    private func answer(_ locator: Locator) -> LocationAnswer {
        LocationAnswer(locator.answer(at: Instant(nanoseconds: bench.now)), LocationBench.Wall())
    }

    @Test func `a request in the middle of a scan finds its beacon, and the watched regions receive it too`() {
        let home = BeaconRegion(identifier: "home", constraint: constraint)
        bench.driver.startMonitoring(MonitoredRegion(home))
        listen()
        pass(5)
        let locator = locator(constraint)
        scan.add(locator, at: bench.now)
        #expect(scan.wantsContinuousScan)
        pass(2)
        hear()
        pass(1)
        let answer = answer(locator)
        guard case .inside(let beacon) = answer.result else {
            Issue.record("\(answer)")
            return
        }
        #expect(beacon.identity == LocationBench.beacon)
        let received = Instant(nanoseconds: bench.now - 1_000_000_000)
        #expect(beacon.timestamp == received)
        #expect(answer.instant == received, "the time of the answer is not that of the question for it")
        #expect(answer.nanosecondsSince1970 == received.nanoseconds + LocationBench.Wall.ahead)
        #expect(bench.publishedKinds().contains { if case .didEnterRegion(home, _) = $0 { true } else { false } })
    }

    @Test func `a beacon that was received before the request is outside after the whole time`() {
        listen()
        hear()
        let locator = locator(constraint)
        bench.advance(1)
        scan.add(locator, at: bench.now)
        #expect(scan.nextDeadline == bench.now + 10_000_000_000)
        pass(10)
        #expect(answer(locator).result == .outside)
        #expect(answer(locator).listened == .seconds(10))
        #expect(scan.nextDeadline == nil, "the answer is known")
        scan.remove(locator)
        #expect(scan.isIdle)
        #expect(!scan.wantsContinuousScan)
    }

    @Test func `a request while the scan is off is not answered outside`() {
        scan.scannerDidUpdate(.well, at: bench.now)
        let locator = locator(constraint)
        scan.add(locator, at: bench.now)
        pass(5)
        listen()
        pass(5)
        #expect(answer(locator).result == .unknown(.notListened(.seconds(5), of: .seconds(10), because: nil)))
    }

    @Test func `A request after the end of a scan counts no time until the next scan begins`() {
        listen()
        pass(5)
        scan.scannerDidChangeListening(nil, at: bench.now)
        let locator = locator(constraint)
        scan.add(locator, at: bench.now)
        pass(5)
        listen()
        pass(5)
        #expect(answer(locator).result == .unknown(.notListened(.seconds(5), of: .seconds(10), because: nil)))
    }

    @Test func `A request counts no time of a scan that has ended without a report`() {
        listen()
        pass(5)
        scan.scannerWillStart(at: bench.now)
        let locator = locator(constraint)
        scan.add(locator, at: bench.now)
        scan.scannerDidUpdate(.well, at: bench.now)
        pass(10)
        #expect(answer(locator).listened == .zero)
        #expect(answer(locator).result == .unknown(.notListened(.zero, of: .seconds(10), because: nil)))
    }

    @Test func `an adapter that is lost during a request is the obstacle`() {
        listen()
        let locator = locator(constraint)
        scan.add(locator, at: bench.now)
        pass(5)
        scan.scannerDidChangeListening(nil, at: bench.now)
        scan.scannerDidUpdate(.off, at: bench.now)
        pass(5)
        #expect(answer(locator).result == .unknown(.bluetooth(.off)))
    }
}
