import OkaeriPlumbing

/// The room of one region, by the receptions of all radios of the house.
///
///     tracker.heard("kitchen", in: "kitchen", from: beacon, rssi: -61, at: now)   // for each reception
///     tracker.advanced(to: now)                                                   // by a timer set to tracker.nextDeadline
///
/// Each radio's signal is the mean of half a second; see ``SignalWindow``. ``RoomEstimator`` decides.
package struct RoomTracker: Sendable {
    private struct Receiver: Sendable {
        let radio: String
        var room: String
        /// Whether it reports means of some seconds.
        var isSmoothed = false
        var window = SignalWindow()
        /// The signal that the estimator received last, and the time at which it receives it again.
        var told: (level: Double, noise: Double)?
        var refreshAt = Int64.max

        var deadline: Int64 {
            min(window.closes ?? .max, window.level == nil ? .max : window.silentAt ?? .max, refreshAt)
        }

        /// The noise of its signal, in dB. The differences of successive means are the motion of the beacon, not noise.
        var noise: Double { isSmoothed ? RoomTracker.noiseOfMeans : window.noise }

        /// Whether the signal has moved by more than its own noise since then, or its noise has changed.
        var isMoved: Bool {
            guard let level = window.level, let told else { return (window.level == nil) != (told == nil) }
            let noise = max(self.noise, 0.5)
            return abs(level - told.level) >= max(RoomTracker.step, self.noise)
                || noise > told.noise * RoomTracker.noiseStep || told.noise > noise * RoomTracker.noiseStep
        }
    }

    /// The smallest change of the signal that counts, in dB; above that the noise decides. A beacon at rest would otherwise seem to move.
    private static let step = 1.0

    /// The noise of a signal from means of some seconds, in dB.
    private static let noiseOfMeans = 1.5

    /// The factor by which the noise must change to count without a change of the signal.
    private static let noiseStep = 1.5

    /// The longest time between two signals of a radio that the estimator receives.
    private static let refresh = 5 * Nanoseconds.second

    private var receivers: [Receiver] = []
    /// The positions of the receivers by their radios.
    private var positions: [String: Int] = [:]
    /// The earliest deadline of a receiver, or the maximum. May be early, is never late.
    private var earliest = Int64.max
    private var rooms = RoomEstimator()

    /// The number of radios that are followed: each is one of the house's.
    private static let limit = 1024

    package init() {}

    var radioCount: Int { receivers.count }

    /// The room; `nil` before it is known.
    package var room: String? { rooms.room }

    /// The room of the strongest signal at this moment.
    package var strongest: String? { rooms.strongest }

    /// The time at which ``advanced(to:)`` is next needed. May be early, is never late.
    package private(set) var nextDeadline: Int64?

    /// Handles the reception of a beacon of the region.
    ///
    /// - Parameters:
    ///   - radio: The name of the radio that received it.
    ///   - room: The room of that radio.
    ///   - beacon: A number that distinguishes the beacon from the region's other beacons: the strongest is followed.
    ///   - rssi: The RSSI in dBm, with the radio's offset.
    ///   - isSmoothed: Whether the radio reports means of some seconds.
    package mutating func heard(
        _ radio: String, in room: String, from beacon: UInt64, rssi: Double, isSmoothed: Bool = false, at now: Int64
    ) {
        let before = rooms.room
        advance(to: now)
        if let position = position(of: radio, in: room) {
            let hadSignal = receivers[position].window.level != nil
            receivers[position].room = room
            receivers[position].isSmoothed = isSmoothed
            receivers[position].window.heard(rssi, from: beacon, isMean: isSmoothed, at: now)
            if !hadSignal { tell(position, at: now) }
            earliest = min(earliest, receivers[position].deadline)
        }
        schedule()
        // The owner learns of a room at a deadline.
        if rooms.room != before { nextDeadline = now }
    }

    /// Returns the position of a radio, a new one at the end; `nil` for one beyond the limit.
    private mutating func position(of radio: String, in room: String) -> Int? {
        if let known = positions[radio] { return known }
        guard receivers.count < Self.limit else { return nil }
        receivers.append(Receiver(radio: radio, room: room))
        positions[radio] = receivers.count - 1
        return receivers.count - 1
    }

    /// Handles that the region was left: the search begins anew.
    package mutating func left() { self = RoomTracker() }

    /// The number of decisions that are made each at its time, when time has passed; the rest are made at once.
    private static let maximumTurns = 1000

    /// Handles that time has passed.
    package mutating func advanced(to now: Int64) {
        advance(to: now)
        schedule()
    }

    private mutating func advance(to now: Int64) {
        var turns = 0
        while earliest <= now, let due = firstDue, receivers[due].deadline <= now {
            let time = turns < Self.maximumTurns ? receivers[due].deadline : now
            turns += 1
            let isSilent = receivers[due].window.level != nil && receivers[due].window.silentAt ?? .max <= time
            if receivers[due].window.closes ?? .max <= time { receivers[due].window.close(at: time) }
            if isSilent { receivers[due].window.fellSilent() }
            if receivers[due].refreshAt <= time || receivers[due].isMoved { tell(due, at: time) }
        }
        if earliest <= now { earliest = receivers.indices.reduce(.max) { min($0, receivers[$1].deadline) } }
        rooms.advance(to: now)
    }

    /// The position of the receiver with the earliest deadline, the first by its name of several.
    private var firstDue: Int? {
        receivers.indices.min {
            let (one, other) = (receivers[$0].deadline, receivers[$1].deadline)
            return one == other ? receivers[$0].radio < receivers[$1].radio : one < other
        }
    }

    private mutating func tell(_ position: Int, at now: Int64) {
        let receiver = receivers[position]
        receivers[position].refreshAt = now.addingClamped(Self.refresh)
        receivers[position].told = receiver.window.level.map { ($0, max(0.5, receiver.noise)) }
        rooms.heard(
            by: receiver.radio, in: receiver.room, signal: receiver.window.level,
            spread: receiver.window.level.map { _ in receiver.noise },
            age: receiver.window.lastHeard.map { Nanoseconds.seconds(max(0, now.subtractingClamped($0))) },
            isSmoothed: receiver.isSmoothed, at: now)
    }

    private mutating func schedule() {
        let next = min(earliest, rooms.nextDeadline ?? .max)
        nextDeadline = next < .max ? next : nil
    }
}
