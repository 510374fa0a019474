import Glibc
package import HCI
import OkaeriBluetooth
import RegionMonitoring
import Synchronization
package import SystemPackage

/// Writes the received advertisements to a btsnoop capture. Other events of the controller, and what a capture in its place
/// contains beside advertisements, are not written.
package final class Recorder: ScannerDelegate {
    private struct State: Sendable {
        var waiting: [UInt8] = []
        var count: UInt64 = 0
        var failure: Errno?
    }

    private let file: FileDescriptor
    private let writer = BtsnoopWriter()
    private let wallClock: any WallClock
    private let updated: @Sendable (AdapterUpdate) -> Void
    private let failed: @Sendable () -> Void
    private let state = Mutex(State())
    private let redaction: AddressRedaction?

    /// The time in milliseconds that the reader of a pipe may stall, after which the recording ends.
    private let patience: Int32

    /// - Parameters:
    ///   - file: The file of the capture; the caller closes it.
    ///   - redaction: Replaces the addresses; damaged events are not recorded then. `nil`: nothing is replaced.
    ///   - failed: is called once when the file cannot be written any more.
    package init(
        to file: FileDescriptor, wallClock: any WallClock, patience: Int32 = 5000,
        redaction: AddressRedaction? = nil,
        updated: @escaping @Sendable (AdapterUpdate) -> Void,
        failed: @escaping @Sendable () -> Void
    ) {
        self.file = file
        self.wallClock = wallClock
        self.patience = patience
        self.redaction = redaction
        self.updated = updated
        self.failed = failed
        state.withLock { writer.appendHeader(to: &$0.waiting) }
    }

    /// The number of recorded events, and the error that ended the recording, if there is one.
    package var result: (count: UInt64, failure: Errno?) { state.withLock { ($0.count, $0.failure) } }

    package func scannerWillStart(at time: Int64) { flush() }

    package func scannerDidReceive(_ event: RawSpan, at time: Int64) -> Bool {
        guard var reports = LEAdvertisingReports(event: event), case .some = try? reports.next() else { return false }
        if let redaction {
            if let redacted = redaction.redacted(event) { record(redacted.span.bytes, at: time) }
        } else {
            record(event, at: time)
        }
        return true
    }

    private func record(_ event: RawSpan, at time: Int64) {
        let isFull = state.withLock { state in
            writer.append(.event, event, time: wallClock.wallTime(of: Instant(nanoseconds: time)), to: &state.waiting)
            state.count += 1
            return state.waiting.count >= Self.chunk
        }
        if isFull { flush() }
    }

    /// A source that never pauses must not fill the memory.
    private static let chunk = 1 << 16

    /// Writes the pending packets: a capture that a power failure cuts lacks one turn at most.
    package func scannerDidFinishTurn(at time: Int64) -> Int64? {
        flush()
        return nil
    }

    /// Writes the pending packets. Only the scanner's thread calls it, and its caller after the scan: the packets stay in order.
    package func flush() {
        let bytes = state.withLock { state in
            defer { state.waiting = [] }
            return state.failure == nil ? state.waiting : []
        }
        do throws(Errno) {
            try writeAll(bytes)
        } catch {
            state.withLock { $0.failure = error }
            failed()
        }
    }

    /// Writes in pieces that fit into a writable pipe (POSIX, PIPE_BUF), so that no write waits for the reader.
    private func writeAll(_ bytes: [UInt8]) throws(Errno) {
        var rest = bytes[...]
        while !rest.isEmpty {
            try awaitWritable()
            do {
                rest = rest.dropFirst(try rest.prefix(Self.piece).withUnsafeBytes { try file.write($0) })
            } catch {
                throw (error as? Errno) ?? .ioError
            }
        }
    }

    private func awaitWritable() throws(Errno) {
        while true {
            var request = pollfd(fd: file.rawValue, events: Int16(POLLOUT), revents: 0)
            let ready = poll(&request, 1, patience)
            if ready > 0 { return }
            guard ready < 0 else { throw .timedOut }
            guard errno == EINTR else { throw Errno(rawValue: errno) }
        }
    }

    private static let piece = 4096

    package func scannerDidUpdate(_ update: AdapterUpdate, at time: Int64) { updated(update) }

    package var nextDeadline: Int64? { nil }

    // A pause leaves a gap in the time stamps: a capture cannot store it otherwise.
    package func scannerDidChangeListening(_ timing: ScanTiming?, at time: Int64) {}
}
