import HCI
import IBeacon
import OkaeriBluetooth
package import OkaeriPlumbing
import RegionMonitoring
import Synchronization

/// The receptions of a capture, in order. A thread of its own reads ahead, in pieces of a bounded number.
package final class CapturedReceptions: Sendable {
    private static let piece = 1024
    private static let most = 4

    private struct Guarded: Sendable {
        var pieces: [[Reception]] = []
        var end: Result<Void, CaptureFileError>?
        var isStopped = false
    }

    private let source: CaptureSource
    private let guarded = Mutex(Guarded())
    private let (filled, emptied) = (BinarySemaphore(), BinarySemaphore())

    /// - Throws: An error if no thread can be started.
    package init(_ source: CaptureSource) throws(BlockingThread.StartError) {
        self.source = source
        try BlockingThread.start { [self] in
            let reader = Reader(self)
            let end = Result { () throws(CaptureFileError) in try source.replayed(to: reader) }
            reader.flush()
            guarded.withLock { $0.end = end }
            filled.signal()
        }
    }

    /// Returns the next receptions, one or more; `nil` at the end. Waits for them.
    ///
    /// - Throws: An error if the capture is invalid or damaged, behind the receptions before the damage.
    package func next() throws(CaptureFileError) -> [Reception]? {
        while true {
            let (piece, end) = guarded.withLock { guarded in
                (guarded.pieces.isEmpty ? nil : guarded.pieces.removeFirst(), guarded.end)
            }
            if let piece {
                emptied.signal()
                return piece
            }
            if let end {
                try end.get()
                return nil
            }
            filled.wait()
        }
    }

    /// Ends the reading. ``next()`` is not called any more.
    package func stop() {
        guarded.withLock { $0.isStopped = true }
        source.stop()
        emptied.signal()
    }

    private func add(_ piece: [Reception]) {
        while true {
            let isDone = guarded.withLock { guarded in
                if guarded.isStopped { return true }
                guard guarded.pieces.count < Self.most else { return false }
                guarded.pieces.append(piece)
                return true
            }
            if isDone { return filled.signal() }
            emptied.wait()
        }
    }

    /// Parses the events of a capture, on its thread.
    private final class Reader: ScannerDelegate {
        private struct Parsed: Sendable {
            var assembler = ExtendedReportAssembler()
            var receptions: [Reception] = []
        }

        private let parsed = Mutex(Parsed())
        private let owner: CapturedReceptions

        init(_ owner: CapturedReceptions) { self.owner = owner }

        func scannerDidReceive(_ event: RawSpan, at time: Int64) -> Bool {
            let full = parsed.withLock { parsed -> [Reception]? in
                guard var reports = LEAdvertisingReports(event: event) else { return nil }
                // What comes before a malformed report counts.
                while reports.remaining > 0, let report = try? reports.next() {
                    let (rssi, now) = (report.rssi, Instant(nanoseconds: time))
                    var senders = parsed.assembler.frames(in: report).map {
                        Reception.Sender.beacon($0.identity, measuredPower: $0.measuredPower)
                    }
                    if senders.isEmpty { senders = [.device(report.address, report.addressType)] }
                    parsed.receptions += senders.map { Reception($0, rssi: rssi, at: now) }
                }
                guard parsed.receptions.count >= CapturedReceptions.piece else { return nil }
                defer { parsed.receptions = [] }
                return parsed.receptions
            }
            if let full { owner.add(full) }
            return true
        }

        func flush() {
            let rest = parsed.withLock(\.receptions)
            if !rest.isEmpty { owner.add(rest) }
        }

        func scannerDidUpdate(_ update: AdapterUpdate, at time: Int64) {}

        func scannerDidChangeListening(_ timing: ScanTiming?, at time: Int64) {}

        func scannerDidFinishTurn(at time: Int64) -> Int64? { nil }

        var nextDeadline: Int64? { nil }
    }
}
