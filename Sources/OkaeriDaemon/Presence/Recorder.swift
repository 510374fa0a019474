import Bluetooth
import HCI
import RegionMonitoring
import Synchronization
import SystemPackage

/// Writes what comes in to a btsnoop capture.
final class Recorder: PacketReceiver {
    private struct State: Sendable {
        var waiting: [UInt8] = []
        var count: UInt64 = 0
        var failure: Errno?
    }

    private let file: FileDescriptor
    private let writer = BtsnoopWriter()
    private let wallClock: any WallClock
    private let tell: @Sendable (AdapterUpdate) -> Void
    private let failed: @Sendable () -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - file: where the capture goes; it is the caller's to close.
    ///   - tell: is given what becomes of the adapter.
    ///   - failed: is called once when the file cannot be written any more.
    init(
        to file: FileDescriptor, wallClock: any WallClock,
        tell: @escaping @Sendable (AdapterUpdate) -> Void,
        failed: @escaping @Sendable () -> Void
    ) {
        self.file = file
        self.wallClock = wallClock
        self.tell = tell
        self.failed = failed
        state.withLock { writer.appendHeader(to: &$0.waiting) }
    }

    /// How many events were recorded, and why no more are, if so.
    var result: (count: UInt64, failure: Errno?) { state.withLock { ($0.count, $0.failure) } }

    func begin(at now: Instant) { flush() }

    @discardableResult
    func received(event: RawSpan, at now: Instant) -> Instant? {
        let hasFailed = state.withLock { state in
            writer.append(.event, event, time: wallClock.wallTime(of: now), to: &state.waiting)
            state.count += 1
            return state.waiting.count >= Self.chunk && write(&state)
        }
        if hasFailed { failed() }
        return nil
    }

    /// A source that never pauses must not fill the memory.
    private static let chunk = 1 << 16

    /// Writes what has come: a capture that is cut by a power failure lacks one turn at most.
    func turnFinished(at now: Instant) -> Instant? {
        flush()
        return nil
    }

    /// Writes what has come.
    func flush() {
        let hasFailed = state.withLock { write(&$0) }
        if hasFailed { failed() }
    }

    /// Returns whether the file cannot be written any more, the first time that it cannot.
    private func write(_ state: inout State) -> Bool {
        defer { state.waiting.removeAll(keepingCapacity: true) }
        guard !state.waiting.isEmpty, state.failure == nil else { return false }
        do {
            try file.writeAll(state.waiting)
            return false
        } catch {
            state.failure = (error as? Errno) ?? .ioError
            return true
        }
    }

    func adapterUpdated(_ update: AdapterUpdate, at now: Instant) { tell(update) }

    func controllerHeard(at now: Instant) {}

    // A pause leaves a gap in the time stamps, and drops are the kernel's: a capture has no place for either.
    func listeningChanged(_ isListening: Bool, at now: Instant) {}

    func dropped(total: UInt64) {}
}
