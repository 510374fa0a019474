import Bluetooth
import HCI
import Logging
import NIOConcurrencyHelpers
import RegionMonitoring
import Synchronization

/// A capture in place of an adapter: the same road, at the capture's own clock.
final class CaptureSource: Sendable {
    private struct Clock: Sendable {
        var timeline = CaptureTimeline()
        var latest = Instant(nanoseconds: 0)
    }

    private let file: CaptureFile

    /// How many times faster than it was recorded; nil: as fast as it goes.
    private let speed: Double?
    private let progress: Progress
    private let logger: Logger
    private let clock = Mutex(Clock())

    /// What other threads want.
    private struct Requests: Sendable {
        var shouldStop = false
        var work: [@Sendable () -> Void] = []
    }

    private let requests = Mutex(Requests())

    /// 1 while there is a request that ``run(_:)`` has not seen.
    private let requested = ConditionLock(value: 0)

    /// Is told from time to time how many bytes have been read, and how many there are if that is known.
    typealias Progress = @Sendable (_ read: UInt64, _ size: UInt64?) -> Void

    /// - Parameters:
    ///   - file: a btsnoop, pcap or pcapng file; `-` for standard input.
    ///   - speed: how many times faster than it was recorded; nil: as fast as it goes.
    init(file: String, speed: Double?, logger: Logger, progress: @escaping Progress = { _, _ in }) {
        self.file = CaptureFile(name: file)
        self.speed = speed
        self.progress = progress
        self.logger = logger
    }

    /// More turns than this between two packets are no recording but a clock that was set.
    private static let maximumTurns = 100_000

    /// Lets the receiver have the turns that are due before a packet at `now`, then waits for the packet's time.
    /// Returns whether to go on.
    private func advance(_ receiver: some PacketReceiver, to now: Instant, _ pace: Pace) -> Bool {
        var turns = 0
        while let deadline = receiver.nextDeadline, deadline <= now, turns < Self.maximumTurns {
            guard wait(until: deadline, pace) else { return false }
            _ = receiver.turnFinished(at: deadline)
            turns += 1
        }
        return wait(until: now, pace)
    }

    /// Waits for an instant of the capture. Returns false if the source was stopped.
    private func wait(until instant: Instant, _ pace: Pace) -> Bool {
        clock.withLock { $0.latest = instant }
        guard let real = pace.real(instant) else { return true }
        while true {
            let seconds = SystemClock.monotonic.duration(to: real) / .seconds(1)
            guard requested.lock(whenValue: 1, timeoutSeconds: max(0, seconds)) else { return true }
            requested.unlock(withValue: 0)
            guard fulfilRequests() else { return false }
        }
    }

    /// Does what was asked for. Returns whether to go on.
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
        requested.lock()
        requested.unlock(withValue: 1)
    }

    /// How the capture's time maps to the time we have.
    private struct Pace {
        var start: Instant
        var began = SystemClock.monotonic
        var speed: Double?

        func real(_ instant: Instant) -> Instant? {
            speed.map { began.advanced(by: start.duration(to: instant) / $0) }
        }
    }
}

extension CaptureSource: PresenceSource {
    var name: String { file.name }

    var instant: Instant { clock.withLock(\.latest) }

    func run(_ receiver: some PacketReceiver) throws -> Bool {
        var pace: Pace?
        let today = SystemClock().now
        try file.forEachPacket(
            { packet, bytes in
                let now = clock.withLock { $0.timeline.instant(ofStamp: packet.time, today: today) }
                let pace = pace ?? begin(receiver, at: now, &pace)
                guard advance(receiver, to: now, pace) else { return false }
                if packet.kind == .event { receiver.received(event: bytes, at: now) }
                return true
            }, progress: progress)
        return !requests.withLock(\.shouldStop)
    }

    /// The first packet tells when the capture begins.
    private func begin(_ receiver: some PacketReceiver, at now: Instant, _ pace: inout Pace?) -> Pace {
        let isLate = clock.withLock { clock in
            clock.latest = now
            return clock.timeline.isThirtyYearsLate
        }
        if isLate {
            logger.warning(
                "the time stamps of \(name) lie in the future: whoever wrote it took btsnoop's epoch of 2000 for that of 1970; they are read as thirty years earlier"
            )
        }
        receiver.adapterUpdated(.replaying(name), at: now)
        receiver.begin(at: now)
        receiver.listeningChanged(true, at: now)
        let first = Pace(start: now, speed: speed)
        pace = first
        return first
    }

    func stop() { request { $0.shouldStop = true } }

    func perform(_ work: @escaping @Sendable () -> Void) { request { $0.work.append(work) } }

    // A recording has no antenna, and its next packet has its time whatever the receiver wants.
    func hold(_ isHeld: Bool) {}

    func wake() {}

    func wallTime(of instant: Instant) -> Int64 { clock.withLock { $0.timeline.stamp(of: instant) } }

    var now: Int64 { clock.withLock { $0.timeline.stamp(of: $0.latest) } }
}

extension AdapterUpdate {
    /// A capture stands in for an adapter that is well.
    static func replaying(_ capture: String) -> AdapterUpdate {
        AdapterUpdate(state: .poweredOn, adapter: nil, reason: "the capture \(capture) stands in for an adapter")
    }

    /// Nothing was asked of the adapter yet.
    static let starting = AdapterUpdate(state: .unknown, adapter: nil, reason: "the adapter has not answered yet")
}
