import HCI
package import OkaeriBluetooth
import OkaeriPlumbing
package import RegionMonitoring
import Synchronization
import SystemPackage

/// A capture in place of an adapter, with the same path to the driver, at the capture's own clock.
package final class CaptureSource: Sendable {
    private let file: CaptureFile

    /// The factor by which the replay is faster than the recording; `nil`: without pauses.
    private let speed: Double?
    private let progress: Progress
    private let warn: @Sendable (String) -> Void

    /// The clock for other threads: the position of the source, and its lead over the stamps, in nanoseconds. The
    /// source's thread writes it for each packet, so it must cost almost nothing.
    private let latest = Atomic<Int64>(0)
    private let ahead = Atomic<Int64>(0)

    /// Whether this process did not run while it waited for a pipe.
    private let hasStalled = Atomic(false)

    private struct Requests: Sendable {
        var shouldStop = false
        var work: [@Sendable () -> Void] = []
    }

    private let requests = Mutex(Requests())
    private let wakeUp: WakeUp

    /// Receives at intervals the number of bytes that have been read, and the number of all if it is known.
    package typealias Progress = @Sendable (_ read: UInt64, _ size: UInt64?) -> Void

    /// - Parameters:
    ///   - file: A btsnoop, pcap, pcapng or PacketLogger file, or one of them packed by gzip; `-` for standard input.
    ///   - speed: The factor by which the replay is faster than the recording; `nil`: without pauses.
    ///   - warn: Receives warnings about the capture.
    /// - Throws: An error if the process has no file descriptor left.
    package init(
        file: String, speed: Double?, warn: @escaping @Sendable (String) -> Void,
        progress: @escaping Progress = { _, _ in }
    ) throws(CaptureFileError) {
        self.file = CaptureFile(name: file)
        self.speed = speed
        self.progress = progress
        self.warn = warn
        do throws(KernelError) {
            wakeUp = try WakeUp()
        } catch {
            throw .unreadable(file: file, Errno(rawValue: error.code))
        }
    }

    /// The time of one wait for a pipe in milliseconds, and the time from which on the process did not run in between.
    private static let (pipeWait, longestPipeWait): (Int32, Duration) = (1000, .seconds(3))

    /// The longest wait of a wake-up.
    private static let longestWait = Duration.seconds(3600)

    /// More turns than this between two packets are not a recording but a clock that was set.
    static let maximumTurns = 100_000

    /// Gives the delegate its turns before a packet at `now`, then waits for that time. Returns whether to go on.
    ///
    /// The packet precedes a turn at the same time: many stamps have a resolution of one second, and a silence of exactly
    /// the exit time does not end a presence.
    @inline(__always)
    private func advance(
        _ delegate: some ScannerDelegate, _ deadline: inout Int64?, to now: Int64, _ pace: Pace?
    ) -> Bool {
        var turns = 0
        while let due = deadline, due < now, turns < Self.maximumTurns {
            guard wait(until: due, pace) else { return false }
            deadline = delegate.scannerDidFinishTurn(at: due)
            turns += 1
        }
        return wait(until: now, pace)
    }

    private func show(_ now: Int64, _ timeline: CaptureTimeline) {
        latest.store(now, ordering: .relaxed)
        ahead.store(timeline.ahead, ordering: .relaxed)
    }

    /// Waits for an instant of the capture. Returns false if the source was stopped.
    private func wait(until time: Int64, _ pace: Pace?) -> Bool {
        // A turn may be due before the last packet; other threads' clock does not go back for it.
        if time > latest.load(ordering: .relaxed) { latest.store(time, ordering: .relaxed) }
        guard let real = pace?.real(time) else { return true }
        while true {
            let left = SystemClock.monotonic.duration(to: real)
            if wakeUp.wait(for: left) {
                guard fulfilRequests() else { return false }
            } else if left <= Self.longestWait {
                return true
            }
        }
    }

    /// Waits until the capture can be read: a pipe may stay empty. Returns false if the source was stopped.
    private func waitToRead(_ file: FileDescriptor) -> Bool {
        while true {
            let start = SystemClock.monotonic
            let wasSignalled = wakeUp.wait(toRead: file.rawValue, milliseconds: Self.pipeWait)
            if start.duration(to: SystemClock.monotonic) > Self.longestPipeWait {
                hasStalled.store(true, ordering: .relaxed)
            }
            if wasSignalled == false { return true }
            if wasSignalled == true, !fulfilRequests() { return false }
        }
    }

    /// Carries out the requests. Returns whether to continue.
    private func fulfilRequests() -> Bool {
        let (work, shouldStop) = requests.withLock { requests in
            defer { requests.work = [] }
            return (requests.work, requests.shouldStop)
        }
        for work in work { work() }
        return !shouldStop
    }

    private func request(_ change: (inout Requests) -> Void) {
        requests.withLock { change(&$0) }
        wakeUp.signal()
    }

    /// The place of an event's bytes.
    private enum EventPlace {
        case file(Range<Int>)
        /// The reader has made it of a sniffer's packet.
        case reader
    }

    /// The relation of the capture's time to real time.
    private struct Pace {
        var start: Int64
        var began = SystemClock.monotonic
        var speed: Double?

        func real(_ time: Int64) -> Instant? {
            speed.map {
                began.advanced(by: Instant(nanoseconds: start).duration(to: Instant(nanoseconds: time)) / $0)
            }
        }
    }
}

extension CaptureSource: PresenceSource {
    package var name: String { file.name }

    package var instant: Instant { Instant(nanoseconds: latest.load(ordering: .relaxed)) }

    /// The same for the one delegate that must receive a million packets a second: specialized, without an
    /// existential.
    ///
    /// - Throws: An error if the capture is invalid or damaged; the part before the damage was replayed.
    package func replay(_ driver: PresenceDriver) throws(CaptureFileError) {
        _ = try replay(to: driver)
    }

    package func run(_ delegate: some ScannerDelegate) throws -> Bool { try replay(to: delegate) }

    /// The same, with the type of the errors.
    func replayed(to delegate: some ScannerDelegate) throws(CaptureFileError) { _ = try replay(to: delegate) }

    /// - Returns: Whether the capture has come to its end.
    @inline(__always)
    private func replay(to delegate: some ScannerDelegate) throws(CaptureFileError) -> Bool {
        var timeline = CaptureTimeline()
        var pace: Pace?
        var deadline: Int64?
        let today = SystemClock().now
        try file.forEachPiece(
            wait: waitToRead,
            { bytes, reader, position throws(CaptureError) in
                /// The next packet, the place of its event if it has one, and its time.
                func next() throws(CaptureError) -> (event: EventPlace?, now: Int64)? {
                    switch try reader.next(in: bytes, at: &position) {
                    case .packet(let packet):
                        let now = timeline.instant(ofStamp: packet.time, today: today).nanoseconds
                        return (packet.kind == .event ? .file(packet.payload) : nil, now)
                    case .advertisement(let advertisement):
                        return (.reader, timeline.instant(ofStamp: advertisement.time, today: today).nanoseconds)
                    case .needsMore: return nil
                    }
                }
                var found = try next()
                while let first = found {
                    let last = instant.nanoseconds
                    if pace == nil {
                        show(first.now, timeline)
                        hasStalled.store(false, ordering: .relaxed)
                        (pace, deadline) = begin(delegate, at: first.now, timeline)
                    } else if hasStalled.load(ordering: .relaxed) {
                        hasStalled.store(false, ordering: .relaxed)
                        delegate.scannerDidStall(from: last, until: max(last, first.now))
                        deadline = delegate.nextDeadline
                    }
                    guard advance(delegate, &deadline, to: first.now, pace) else { return false }
                    try delegate.scannerDidReceive { each throws(CaptureError) in
                        // This packet, and the following ones that have neither a turn before them nor a time to wait
                        // for.
                        while let (event, now) = found {
                            show(now, timeline)
                            switch event {
                            case .file(let range): deadline = each(bytes.extracting(range), now)
                            case .reader: deadline = each(reader.advertisement.span.bytes, now)
                            case nil: break
                            }
                            found = try next()
                            guard let found, speed == nil, deadline.map({ found.now <= $0 }) ?? true else { return }
                        }
                    }
                }
                return true
            }, progress: progress)
        guard !requests.withLock(\.shouldStop) else { return false }
        // The turn at the time of the last packet.
        if let deadline, deadline == instant.nanoseconds { _ = delegate.scannerDidFinishTurn(at: deadline) }
        return true
    }

    /// The first packet defines the beginning of the capture.
    private func begin(
        _ delegate: some ScannerDelegate, at now: Int64, _ timeline: CaptureTimeline
    ) -> (Pace, deadline: Int64?) {
        if timeline.isThirtyYearsLate {
            warn(
                "the time stamps of \(name) lie in the future: its writer took btsnoop's epoch of 2000 for that of 1970; they are read as thirty years earlier"
            )
        }
        delegate.scannerDidUpdate(.replaying(name), at: now)
        delegate.scannerWillStart(at: now)
        delegate.scannerDidChangeListening(.continuous, at: now)
        return (Pace(start: now, speed: speed), delegate.scannerDidFinishTurn(at: now))
    }

    package func stop() { request { $0.shouldStop = true } }

    package func perform(_ work: @escaping @Sendable () -> Void) { request { $0.work.append(work) } }

    // A recording has no antenna, and its packets keep their times whatever the delegate requests.
    package func hold(_ isHeld: Bool) {}

    package func wifiChanged(isUsed: Bool?) {}

    package func deadlineDidChange() {}

    package func wake() {}

    package func wallTime(of instant: Instant) -> Int64 { instant.nanoseconds &- ahead.load(ordering: .relaxed) }

    package var now: Int64 { wallTime(of: instant) }
}

/// Converts a capture's time stamps into a clock that never runs backwards.
///
/// The stamps come from the wall clock, which may have been set during the recording. A step back must not stop the
/// monitor until the old time is reached again: the clock continues from its last value.
///
/// The clock ends at 2^62 ns before and after 1970, 146 years: so the time between any two packets, of two captures too, has 64 bits.
package struct CaptureTimeline: Sendable {
    /// The seconds from 1970 to 2000: a program that takes btsnoop's constant for 1970's writes stamps 30 years late.
    private static let thirtyYears: Int64 = 946_684_800

    /// The lead of a capture's clock over ours from which on its stamps are wrong.
    private static let tolerance: Int64 = 86_400

    /// The instants of the clock, in nanoseconds since 1970.
    package static let range: ClosedRange<Int64> = -(1 << 62)...(1 << 62 - 1)

    package private(set) var isThirtyYearsLate = false

    /// The present lead of the clock over the stamps, in nanoseconds.
    package private(set) var ahead: Int64 = 0
    private var latest: Int64?

    package init() {}

    /// The instant of the packet with this stamp.
    ///
    /// - Parameter today: The present, in nanoseconds since the Unix epoch: the first stamp cannot be later.
    package mutating func instant(ofStamp stamp: Int64, today: Int64) -> Instant {
        if latest == nil {
            let future = stamp / 1_000_000_000 - today / 1_000_000_000
            isThirtyYearsLate = future > Self.tolerance && future <= Self.thirtyYears
        }
        let stamp = isThirtyYearsLate ? stamp &- Self.thirtyYears * 1_000_000_000 : stamp
        var time = Self.held(Self.held(stamp).addingClamped(ahead))
        if let latest, time < latest {
            ahead = ahead.addingClamped(latest - time)
            time = latest
        }
        latest = time
        return Instant(nanoseconds: time)
    }

    private static func held(_ time: Int64) -> Int64 { min(max(time, range.lowerBound), range.upperBound) }
}
