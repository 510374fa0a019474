import Bluetooth
import HCI
import Logging
import NIOConcurrencyHelpers
import RegionMonitoring
import Synchronization

/// A capture in place of an adapter: the same road, at the capture's own clock.
final class CaptureSource: Sendable {
    private let file: CaptureFile

    /// How many times faster than it was recorded; nil: as fast as it goes.
    private let speed: Double?
    private let progress: Progress
    private let logger: Logger

    /// The clock as others see it: where the source has come, and how far that is ahead of the stamps, in nanoseconds.
    /// Written by the source's thread for each packet, so it must cost nothing.
    private let latest = Atomic<Int64>(0)
    private let ahead = Atomic<Int64>(0)

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
    @inline(__always)
    private func advance(
        _ receiver: some PacketReceiver, _ deadline: inout Instant?, to now: Instant, _ pace: Pace?
    ) -> Bool {
        var turns = 0
        while let due = deadline, due <= now, turns < Self.maximumTurns {
            guard wait(until: due, pace) else { return false }
            deadline = receiver.turnFinished(at: due)
            turns += 1
        }
        return wait(until: now, pace)
    }

    /// Lets others see where the source has come.
    private func show(_ now: Instant, _ timeline: CaptureTimeline) {
        latest.store(now.nanoseconds, ordering: .relaxed)
        ahead.store(timeline.ahead, ordering: .relaxed)
    }

    /// Waits for an instant of the capture. Returns false if the source was stopped.
    private func wait(until instant: Instant, _ pace: Pace?) -> Bool {
        latest.store(instant.nanoseconds, ordering: .relaxed)
        guard let real = pace?.real(instant) else { return true }
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

    var instant: Instant { Instant(nanoseconds: latest.load(ordering: .relaxed)) }

    func run(_ receiver: some PacketReceiver) throws -> Bool {
        var timeline = CaptureTimeline()
        var pace: Pace?
        var deadline: Instant?
        let today = SystemClock().now
        try file.forEachPiece(
            { bytes, reader, position throws(CaptureError) in
                /// The next packet, where its event lies if it is one, and when it came.
                func next() throws(CaptureError) -> (event: Range<Int>?, now: Instant)? {
                    guard case .packet(let packet) = try reader.next(in: bytes, at: &position) else { return nil }
                    let now = timeline.instant(ofStamp: packet.time, today: today)
                    return (packet.kind == .event ? packet.payload : nil, now)
                }
                var found = try next()
                while let first = found {
                    show(first.now, timeline)
                    if pace == nil { (pace, deadline) = begin(receiver, at: first.now, timeline) }
                    guard advance(receiver, &deadline, to: first.now, pace) else { return false }
                    try receiver.received { each throws(CaptureError) in
                        // This one, and those that have neither a turn before them nor a time to wait for.
                        while let (event, now) = found {
                            show(now, timeline)
                            if let event { deadline = each(bytes.extracting(event), now) }
                            found = try next()
                            guard let found, speed == nil, deadline.map({ found.now < $0 }) ?? true else { return }
                        }
                    }
                }
                return true
            }, progress: progress)
        return !requests.withLock(\.shouldStop)
    }

    /// The first packet tells when the capture begins.
    private func begin(
        _ receiver: some PacketReceiver, at now: Instant, _ timeline: CaptureTimeline
    ) -> (Pace, deadline: Instant?) {
        if timeline.isThirtyYearsLate {
            logger.warning(
                "the time stamps of \(name) lie in the future: whoever wrote it took btsnoop's epoch of 2000 for that of 1970; they are read as thirty years earlier"
            )
        }
        receiver.adapterUpdated(.replaying(name), at: now)
        receiver.begin(at: now)
        receiver.listeningChanged(true, at: now)
        return (Pace(start: now, speed: speed), receiver.turnFinished(at: now))
    }

    func stop() { request { $0.shouldStop = true } }

    func perform(_ work: @escaping @Sendable () -> Void) { request { $0.work.append(work) } }

    // A recording has no antenna, and its next packet has its time whatever the receiver wants.
    func hold(_ isHeld: Bool) {}

    func wake() {}

    func wallTime(of instant: Instant) -> Int64 { instant.nanoseconds &- ahead.load(ordering: .relaxed) }

    var now: Int64 { wallTime(of: instant) }
}

extension AdapterUpdate {
    /// A capture stands in for an adapter that is well.
    static func replaying(_ capture: String) -> AdapterUpdate {
        AdapterUpdate(state: .poweredOn, adapter: nil, reason: "the capture \(capture) stands in for an adapter")
    }

    /// Nothing was asked of the adapter yet.
    static let starting = AdapterUpdate(state: .unknown, adapter: nil, reason: "the adapter has not answered yet")
}
