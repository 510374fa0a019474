import Foundation
import HCI
import OkaeriBluetooth
import Synchronization
import Testing

/// A scanner on a thread of its own, a kernel in place of Linux, and the scanner's reports.
final class ScannerBench: Sendable {
    enum Call: Equatable, Sendable {
        case reports([AdvertisingReport])
        case state(BluetoothState)
        case listening(ScanTiming?)
        case ended
    }

    let kernel: FakeKernel
    let scanner: OkaeriBluetooth.Scanner
    let calls: Mailbox<Call>
    private let signs: SignsOfLife

    /// Sets whether the delegate wants a continuous scan, and gives the scanner a turn.
    func setWantsContinuousScan(_ wants: Bool) {
        signs.wantsContinuousScan.store(wants, ordering: .relaxed)
        scanner.perform {}
    }

    /// The number of reports that the controller works.
    var signsOfLife: Int { signs.count.load(ordering: .relaxed) }

    init(
        adapter: String? = nil, kernel: FakeKernel = FakeKernel(), parameters: ScannerParameters = .unhurried
    ) throws {
        self.kernel = kernel
        let scanner = try OkaeriBluetooth.Scanner(adapter: adapter, parameters: parameters, kernel: kernel)
        let calls = Mailbox<Call>()
        let signs = SignsOfLife()
        self.scanner = scanner
        self.calls = calls
        self.signs = signs
        Thread.detachNewThread {
            do {
                try scanner.run(RecordingDelegate(calls, signs))
                calls.post(.ended)
            } catch {
                Issue.record(error)
            }
        }
    }

    deinit {
        scanner.stop()
    }

    /// Expects this report next.
    func expect(_ expected: Call, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let next = try calls.next()
        #expect(next == expected, sourceLocation: sourceLocation)
    }

    /// The controller of the next scan socket, which scans.
    func scanning() throws -> FakeController {
        let controller = try kernel.scanSockets.next()
        try controller.start()
        try expect(.state(.poweredOn))
        try expect(.listening(.shared))
        return controller
    }

    /// Stops, and sees the scan being switched off.
    func stop(_ controller: FakeController) throws {
        scanner.stop()
        try controller.expect(.disable, answer: .success)
        try expect(.listening(nil))
        try expect(.ended)
    }
}

extension ScannerParameters {
    /// Nothing happens by itself while a test runs.
    static let unhurried: ScannerParameters = {
        var parameters = ScannerParameters()
        parameters.commandTimeout = .seconds(30)
        parameters.quietPeriod = .seconds(1000)
        parameters.rearmDelay = .milliseconds(1)
        parameters.faultDelay = .milliseconds(1)
        return parameters
    }()
}

private final class SignsOfLife: Sendable {
    let count = Atomic(0)
    let wantsContinuousScan = Atomic(false)
}

private final class RecordingDelegate: ScannerDelegate {
    private let calls: Mailbox<ScannerBench.Call>
    private let signs: SignsOfLife

    init(_ calls: Mailbox<ScannerBench.Call>, _ signs: SignsOfLife) {
        self.calls = calls
        self.signs = signs
    }

    func scannerDidHearController(at time: Int64) {
        signs.count.add(1, ordering: .relaxed)
    }

    func scannerDidReceive(_ event: RawSpan, at time: Int64) -> Bool {
        guard var reports = LEAdvertisingReports(event: event) else {
            Issue.record("no reports")
            return false
        }
        var values: [AdvertisingReport] = []
        while let report = try? reports.next() {
            values.append(AdvertisingReport(report))
        }
        calls.post(.reports(values))
        return !values.isEmpty
    }

    func scannerDidUpdate(_ update: AdapterUpdate, at time: Int64) {
        calls.post(.state(update.state))
    }

    func scannerDidChangeListening(_ timing: ScanTiming?, at time: Int64) {
        calls.post(.listening(timing))
    }

    func scannerDidFinishTurn(at time: Int64) -> Int64? { nil }

    var nextDeadline: Int64? { nil }

    var wantsContinuousScan: Bool { signs.wantsContinuousScan.load(ordering: .relaxed) }

    func scannerDidDrop(total: UInt64) {
        Issue.record("packets were dropped")
    }
}
