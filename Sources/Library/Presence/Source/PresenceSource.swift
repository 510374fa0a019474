package import Bluetooth
package import RegionMonitoring

/// The source of packets: an adapter, or a capture in its place.
package protocol PresenceSource: WallClock {
    var name: String { get }

    /// The present on the clock that drives the delegate.
    var instant: Instant { get }

    /// Drives the delegate, on the calling thread, until ``stop()`` or the source's end.
    ///
    /// - Returns: Whether the source ended by itself.
    func run(_ delegate: some ScannerDelegate) throws -> Bool

    /// Ends ``run(_:)``, from any thread.
    func stop()

    /// Leaves the antenna to the Wi-Fi while `true`.
    func hold(_ isHeld: Bool)

    /// Passes on whether 2.4 GHz Wi-Fi is in use, which may share the antenna; `nil`: unknown.
    func wifiChanged(isUsed: Bool?)

    /// Handles that the delegate's deadline may have changed: the source reads it again.
    func wake()

    /// Runs `work` on the thread of ``run(_:)``, at its next turn, which proves that the loop runs.
    func perform(_ work: @escaping @Sendable () -> Void)
}

extension PresenceSource {
    /// Returns `true` when the source's loop has turned and the driver has answered, and `false` when the loop has
    /// ended.
    package func turns(_ driver: PresenceDriver) async -> Bool {
        let (turns, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        perform {
            _ = driver.nextDeadline
            continuation.yield()
            continuation.finish()
        }
        for await _ in turns { return true }
        return false
    }
}
