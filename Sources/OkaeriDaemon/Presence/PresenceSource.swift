import RegionMonitoring

/// Where the packets come from: an adapter, or a capture in its place.
protocol PresenceSource: WallClock {
    /// What a person calls it.
    var name: String { get }

    /// The present on the clock that drives the receiver.
    var instant: Instant { get }

    /// Drives the receiver, on the calling thread, until ``stop()`` or the source's end.
    ///
    /// - Returns: whether the source came to an end of its own.
    func run(_ receiver: some PacketReceiver) throws -> Bool

    /// Ends ``run(_:)``, from any thread.
    func stop()

    /// Leaves the antenna to the Wi-Fi while `true`.
    func hold(_ isHeld: Bool)

    /// The receiver has news for its driver: the deadline may have changed.
    func wake()

    /// Has `work` done on the thread of ``run(_:)``, at its next turn: only a loop that turns does it.
    func perform(_ work: @escaping @Sendable () -> Void)
}
