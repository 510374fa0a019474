import Glibc
import HCI
import OkaeriBluetooth
import OkaeriTestSupport
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct ScannerTests {
    private func report(_ rssi: Int8) throws -> AdvertisingReport {
        AdvertisingReport(
            address: try #require(BluetoothAddress("C0:FF:EE:12:34:56")), rssi: rssi, data: [0x02, 0x01, 0x06])
    }

    @Test func `a legacy controller is scanned`() throws {
        let bench = try ScannerBench()
        let controller = try bench.scanning()
        try controller.send(.advertisingReports([report(-50)]))
        try bench.expect(.reports([report(-50)]))
        try bench.stop(controller)
    }

    @Test func `answers prove that the controller works`() throws {
        let bench = try ScannerBench()
        let controller = try bench.scanning()
        try controller.send(.advertisingReports([report(-50)]))
        try bench.expect(.reports([report(-50)]))
        // Each turn that brought an answer, and not only the last one with its advert.
        #expect(bench.signsOfLife > 1)
        try bench.stop(controller)
    }

    @Test func `an extended controller is scanned`() throws {
        let bench = try ScannerBench()
        let controller = try bench.kernel.scanSockets.next()
        try controller.identify(.extended)
        try controller.expect(.extendedDisable, answer: .commandDisallowed)
        try controller.expect(.extendedParameters, answer: .success)
        try controller.expect(.extendedEnable, answer: .success)
        try bench.expect(.state(.poweredOn))
        try bench.expect(.listening(.shared))
        try controller.send(.extendedAdvertisingReports([report(-50)]))
        try bench.expect(.reports([report(-50)]))
        bench.scanner.stop()
        try controller.expect(.extendedDisable, answer: .success)
        try bench.expect(.listening(nil))
        try bench.expect(.ended)
    }

    @Test func `a controller that disallows extended scanning is scanned in the legacy way`() throws {
        let bench = try ScannerBench()
        let controller = try bench.kernel.scanSockets.next()
        try controller.identify(.extended)
        try controller.expect(.extendedDisable, answer: .commandDisallowed)
        try controller.expect(.extendedParameters, answer: .commandDisallowed)
        try controller.arm(.commandDisallowed)
        try bench.expect(.state(.poweredOn))
        try bench.expect(.listening(.shared))
        try bench.stop(controller)
    }

    @Test func `a discovery that runs when the scanner starts keeps its scan`() throws {
        let kernel = FakeKernel()
        kernel.set(isDiscovering: true)
        let bench = try ScannerBench(kernel: kernel)
        let controller = try kernel.scanSockets.next()
        try controller.identify()
        try controller.expect(.parameters, answer: .commandDisallowed)
        try controller.expect(.enable, answer: .success)
        try bench.expect(.state(.poweredOn))
        try bench.expect(.listening(.shared))
        try controller.send(.advertisingReports([report(-50)]))
        try bench.expect(.reports([report(-50)]))
        bench.scanner.stop()
        controller.expectClosed()
        try bench.expect(.listening(nil))
        try bench.expect(.ended)
    }

    @Test func `several reports of an event are delivered`() throws {
        let bench = try ScannerBench()
        let controller = try bench.scanning()
        let reports = try (1...4).map { try report(Int8(-$0)) }
        try controller.send(.advertisingReports(reports))
        try bench.expect(.reports(reports))
        // A report that is cut: those before it arrive.
        try controller.send(Array(HCIEvent.advertisingReports(reports).packet().dropLast()))
        try bench.expect(.reports(Array(reports.prefix(3))))
        try bench.stop(controller)
    }

    @Test func `a burst arrives whole and in order`() throws {
        let bench = try ScannerBench()
        let controller = try bench.scanning()
        let count = 1000
        let reports = try (0..<count).map { try report(Int8(-1 - $0 % 127)) }
        for report in reports { try controller.send(.advertisingReports([report])) }
        for report in reports { try bench.expect(.reports([report])) }
        try bench.stop(controller)
    }

    @Test func `garbage disturbs nothing`() throws {
        let bench = try ScannerBench()
        let controller = try bench.scanning()
        var random = SeededGenerator(seed: 7)
        for _ in 0..<200 {
            var bytes = random.bytes(Int.random(in: 1...300, using: &random))
            // Of the type of an event, but of none that is for the scanner.
            if bytes.count > 1 { bytes[1] = 0xFF }
            bytes[0] = 0x04
            try controller.send(bytes)
        }
        try controller.send([0x01])
        try controller.send([0x04, 0x0E, 0x01, 0x01])
        try controller.send(.advertisingReports([report(-1)]))
        try bench.expect(.reports([report(-1)]))
        try bench.stop(controller)
    }

    @Test func `a stolen scan is rearmed`() throws {
        let bench = try ScannerBench()
        let controller = try bench.scanning()
        try controller.send(HCICommand.disable.packet)
        try controller.send(.commandComplete(CommandComplete(opcode: .leSetScanEnable, status: .success)))
        try bench.expect(.listening(nil))
        try controller.arm()
        try bench.expect(.listening(.shared))
        try bench.stop(controller)
    }

    @Test func `a command that is not answered is sent again, and then the adapter is lost`() throws {
        var parameters = ScannerParameters.unhurried
        parameters.commandTimeout = .milliseconds(500)
        let bench = try ScannerBench(parameters: parameters)
        let controller = try bench.kernel.scanSockets.next()
        try controller.expect(.identify)
        try controller.expect(.identify)
        try bench.expect(.state(.resetting))
        try controller.obey(until: .enable)
        try bench.expect(.state(.poweredOn))
        try bench.expect(.listening(.shared))
        try bench.stop(controller)
    }

    @Test func `a mute adapter does not keep the scan from one that works`() throws {
        let adapters = [0, 1].map { Adapter(index: $0, name: "hci\($0)", isUp: true) }
        var parameters = ScannerParameters.unhurried
        parameters.commandTimeout = .milliseconds(500)
        let bench = try ScannerBench(kernel: FakeKernel(adapters), parameters: parameters)
        let mute = try bench.kernel.scanSockets.next()
        for _ in 0..<6 { try mute.expect(.identify) }
        mute.expectClosed()
        try bench.expect(.state(.resetting))
        let working = try bench.kernel.scanSockets.next()
        try working.obey(until: .enable)
        try bench.expect(.state(.poweredOn))
        try bench.expect(.listening(.shared))
        try working.send(.advertisingReports([report(-50)]))
        try bench.expect(.reports([report(-50)]))
        try bench.stop(working)
    }

    @Test func `a quiet radio is probed`() throws {
        var parameters = ScannerParameters.unhurried
        parameters.quietPeriod = .milliseconds(20)
        let bench = try ScannerBench(parameters: parameters)
        let controller = try bench.scanning()
        try controller.arm()
        try controller.arm()
        bench.scanner.stop()
        // A probe may be under way.
        try? controller.obey(until: nil)
        try bench.expect(.listening(nil))
        try bench.expect(.ended)
    }

    @Test func `an adapter that is unplugged and comes back is scanned again`() throws {
        let bench = try ScannerBench()
        let hotPlug = try bench.kernel.hotPlugSockets.next()
        let controller = try bench.scanning()
        bench.kernel.set(adapters: [])
        try hotPlug.send(.device(DeviceEvent(.unregistered, index: 0)))
        try bench.expect(.listening(nil))
        try bench.expect(.state(.unsupported))
        controller.expectClosed()
        bench.kernel.set(adapters: [Adapter(index: 0, name: "hci0", isUp: false)])
        try hotPlug.send(.device(DeviceEvent(.registered, index: 0)))
        try bench.expect(.state(.poweredOff))
        bench.kernel.set(adapters: [Adapter(index: 0, name: "hci0", isUp: true)])
        try hotPlug.send(.device(DeviceEvent(.up, index: 0)))
        try bench.stop(bench.scanning())
    }

    @Test func `a broken socket is opened again`() throws {
        let bench = try ScannerBench()
        try bench.scanning().hangUp()
        try bench.expect(.listening(nil))
        try bench.expect(.state(.resetting))
        try bench.stop(bench.scanning())
    }

    @Test func `a broken hot-plug socket is opened again`() throws {
        let bench = try ScannerBench()
        try bench.kernel.hotPlugSockets.next().hangUp()
        let controller = try bench.scanning()
        let again = try bench.kernel.hotPlugSockets.next()
        bench.kernel.set(adapters: [])
        try again.send(.device(DeviceEvent(.unregistered, index: 0)))
        try bench.expect(.listening(nil))
        try bench.expect(.state(.unsupported))
        controller.expectClosed()
        bench.scanner.stop()
        try bench.expect(.ended)
    }

    @Test func `without permission the state is unauthorized`() throws {
        let kernel = FakeKernel()
        kernel.set(scanError: KernelError(.openSocket, code: EPERM))
        let bench = try ScannerBench(kernel: kernel)
        try bench.expect(.state(.unauthorized))
        kernel.set(scanError: nil)
        bench.scanner.wake()
        try bench.stop(bench.scanning())
    }

    @Test func `without Bluetooth the state is unsupported`() throws {
        let kernel = FakeKernel()
        kernel.set(hotPlugError: KernelError(.openSocket, code: EAFNOSUPPORT))
        let bench = try ScannerBench(kernel: kernel)
        try bench.expect(.state(.unsupported))
        kernel.set(hotPlugError: nil)
        bench.scanner.wake()
        try bench.stop(bench.scanning())
    }

    @Test func `a hardware error restarts the scan`() throws {
        let bench = try ScannerBench()
        let hotPlug = try bench.kernel.hotPlugSockets.next()
        let controller = try bench.scanning()
        try controller.send(.hardwareError(code: 1))
        try bench.expect(.listening(nil))
        try bench.expect(.state(.resetting))
        try controller.expect(.disable)
        try hotPlug.send(.device(DeviceEvent(.down, index: 0)))
        controller.expectClosed()
        try bench.stop(bench.scanning())
    }

    @Test func `a hold ends the scan, and a release resumes it`() throws {
        let bench = try ScannerBench()
        let controller = try bench.scanning()
        bench.scanner.hold()
        try controller.expect(.disable, answer: .success)
        try bench.expect(.listening(nil))
        bench.scanner.release()
        // The answer to the first disable may come before or after the release.
        try controller.obey(until: .enable)
        try bench.expect(.listening(.shared))
        try bench.stop(controller)
    }

    @Test func `a scanner that is stopped before it runs ends at once`() throws {
        let scanner = try Scanner(kernel: FakeKernel([]))
        scanner.stop()
        let delegate = CountingDelegate(scanner)
        try scanner.run(delegate)
        #expect(delegate.turns == 0)
    }

    @Test func `the delegate is called at the time that it requests`() throws {
        let scanner = try Scanner(kernel: FakeKernel([]))
        let delegate = CountingDelegate(scanner)
        try scanner.run(delegate)
        // The delegate requests a turn in a millisecond three times, then none, and stops the scanner.
        #expect(delegate.turns == 4)
        #expect(delegate.times == delegate.times.sorted())
    }

    @Test func `the scanner ends on this machine when it is stopped`() throws {
        let scanner = try Scanner(adapter: "hci99")
        let delegate = CountingDelegate(scanner)
        try scanner.run(delegate)
        #expect(delegate.turns == 4)
        #expect(delegate.updates.count == 1)
    }
}

extension ScannerTests {
    /// Expects a restart of the scan with another timing.
    private func expectRestart(_ bench: ScannerBench, _ controller: FakeController, _ timing: ScanTiming) throws {
        try bench.expect(.listening(nil))
        try controller.expect(.disable, answer: .success)
        try controller.expect(HCICommand(LESetScanParameters(timing: timing)), answer: .success)
        try controller.expect(.enable, answer: .success)
        try bench.expect(.listening(timing))
    }

    @Test func `the scan is continuous while the delegate wants it`() throws {
        let bench = try ScannerBench()
        let controller = try bench.scanning()
        bench.setWantsContinuousScan(true)
        try expectRestart(bench, controller, .continuous)
        bench.setWantsContinuousScan(false)
        // After two seconds.
        try expectRestart(bench, controller, .shared)
        try bench.stop(controller)
    }

    @Test func `the scan is continuous while no 2.4 GHz Wi-Fi is in use`() throws {
        let bench = try ScannerBench()
        let controller = try bench.scanning()
        bench.scanner.wifiChanged(isUsed: false)
        try expectRestart(bench, controller, .continuous)
        bench.scanner.wifiChanged(isUsed: true)
        try expectRestart(bench, controller, .shared)
        try bench.stop(controller)
    }
}

extension ScannerTests {
    @Test func `a process that did not run is reported before what waited meanwhile`() throws {
        let kernel = FakeKernel([])
        let scanner = try Scanner(kernel: kernel)
        let delegate = StalledDelegate(scanner) { kernel.stall(for: 60) }
        try scanner.run(delegate)
        let stalls = delegate.stalls
        try #require(stalls.count == 1)
        #expect((59...60).contains((stalls[0].until - stalls[0].from) / 1_000_000_000))
    }
}

/// It has turns, and stops the scanner behind a stall.
private final class StalledDelegate: ScannerDelegate {
    private struct Calls: Sendable {
        var turns = 0
        var stalls: [(from: Int64, until: Int64)] = []
    }

    private let scanner: Scanner
    private let stall: @Sendable () -> Void
    private let calls = Mutex(Calls())

    var stalls: [(from: Int64, until: Int64)] { calls.withLock(\.stalls) }

    init(_ scanner: Scanner, stall: @escaping @Sendable () -> Void) { (self.scanner, self.stall) = (scanner, stall) }

    func scannerDidReceive(_ event: RawSpan, at time: Int64) -> Bool { false }
    func scannerDidUpdate(_ update: AdapterUpdate, at time: Int64) {}
    func scannerDidChangeListening(_ timing: ScanTiming?, at time: Int64) {}
    var nextDeadline: Int64? { nil }

    func scannerDidStall(from: Int64, until: Int64) {
        calls.withLock { $0.stalls.append((from, until)) }
        scanner.stop()
    }

    func scannerDidFinishTurn(at time: Int64) -> Int64? {
        let turns = calls.withLock { calls in
            calls.turns += 1
            return calls.turns
        }
        if turns == 3 { stall() }
        if turns > 1000 { scanner.stop() }
        return time + 1_000_000
    }
}

private final class CountingDelegate: ScannerDelegate {
    private struct Calls: Sendable {
        var times: [Int64] = []
        var updates: [AdapterUpdate] = []
    }

    private let scanner: Scanner
    private let calls = Mutex(Calls())

    var turns: Int { times.count }
    var times: [Int64] { calls.withLock(\.times) }
    var updates: [AdapterUpdate] { calls.withLock(\.updates) }

    init(_ scanner: Scanner) {
        self.scanner = scanner
    }

    func scannerDidReceive(_ event: RawSpan, at time: Int64) -> Bool { false }
    func scannerDidUpdate(_ update: AdapterUpdate, at time: Int64) { calls.withLock { $0.updates.append(update) } }
    func scannerDidChangeListening(_ timing: ScanTiming?, at time: Int64) {}
    var nextDeadline: Int64? { nil }

    func scannerDidFinishTurn(at time: Int64) -> Int64? {
        calls.withLock { $0.times.append(time) }
        if turns < 4 { return time + 1_000_000 }
        scanner.stop()
        return nil
    }
}
