import OkaeriPlumbing

/// The addresses from which an identity is sent: whether several devices send it.
///
/// A device with a private address leaves it for ever when it takes the next one, so it sends from one address at a time. Two
/// devices with the same identity send in turns: an address that was left before comes back, again and again. The addresses are
/// those that this machine's own radio received; other radios report identities alone. Two devices with one address are
/// distinguished by the times of their advertisements.
struct SenderAddresses: Sendable {
    private struct Sender: Sendable {
        let address: UInt64
        /// The times of the first and the last reception, as far as they are known, in nanoseconds.
        let firstHeard: Int64
        var lastHeard: Int64
        /// The number of times that it came back after another address.
        var returns = 0

        init(_ address: UInt64, at time: Int64) {
            self.address = address
            (firstHeard, lastHeard) = (time, time)
        }
    }

    /// The number of addresses that are stored. The one that was received last stays.
    private static let capacity = 4

    /// The number of returns of an address, and the time over which it is received, from which on a device of its own sends it.
    private static let enoughReturns = 5
    private static let shortestSpan: Int64 = 30_000_000_000

    /// The age of the last reception up to which a device is there, in nanoseconds.
    private static let retention: Int64 = 60_000_000_000

    /// The silence that ends a series of receptions, in nanoseconds.
    private static let pause: Int64 = 30_000_000_000

    /// The address of the last reception with an address, 0 before one.
    private(set) var current: UInt64 = 0

    /// The beginning of the present series of receptions.
    private(set) var began: Instant

    /// The addresses since a second one was received; none before.
    private var senders: [Sender] = []

    /// The times of the advertisements from the present address.
    private var times = InterleavedAdvertising()

    init(at now: Instant) { began = now }

    /// Handles a reception.
    ///
    /// - Parameters:
    ///   - address: The sender's, 0 if it is unknown.
    ///   - rssi: The signal in dBm.
    ///   - earlier: The time of the reception before it.
    @inline(__always)
    mutating func heard(_ address: UInt64, rssi: Int8?, at now: Instant, after earlier: Instant) {
        if now.nanoseconds &- earlier.nanoseconds > Self.pause { began = now }
        guard address != 0 else { return }
        if address != current { changed(to: address, at: now, after: earlier) }
        times.heard(rssi, at: now.nanoseconds)
    }

    @inline(never)
    private mutating func changed(to address: UInt64, at now: Instant, after earlier: Instant) {
        defer {
            current = address
            times = InterleavedAdvertising()
        }
        guard current != 0 else { return }
        if let last = senders.firstIndex(where: { $0.address == current }) {
            senders[last].lastHeard = earlier.nanoseconds
        } else {
            insert(Sender(current, at: earlier.nanoseconds))
        }
        guard let known = senders.firstIndex(where: { $0.address == address }) else {
            return insert(Sender(address, at: now.nanoseconds))
        }
        senders[known].lastHeard = now.nanoseconds
        senders[known].returns = min(senders[known].returns + 1, Self.enoughReturns)
    }

    private mutating func insert(_ sender: Sender) {
        if senders.count >= Self.capacity,
            let oldest = senders.indices.min(by: { senders[$0].lastHeard < senders[$1].lastHeard })
        {
            senders.remove(at: oldest)
        }
        senders.append(sender)
    }

    /// Returns the number of devices that send the identity, as far as they are proved: 1 or more, ``capacity`` at most.
    ///
    /// - Parameter lastHeard: The time of the last reception.
    func transmitters(at lastHeard: Instant) -> Int {
        let now = lastHeard.nanoseconds
        let proved = senders.filter { sender in
            let last = sender.address == current ? now : sender.lastHeard
            return sender.returns >= Self.enoughReturns
                && last.subtractingClamped(sender.firstHeard) >= Self.shortestSpan
                && now.subtractingClamped(last) <= Self.retention
        }
        return max(times.isProved ? 2 : 1, proved.count)
    }
}
