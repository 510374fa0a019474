package import HCI
package import OkaeriBluetooth
import OkaeriPlumbing
package import RegionMonitoring
import Synchronization

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
    func deadlineDidChange()

    /// Tries again now what waits for a later time, and reads the delegate's deadline again.
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

/// Converts instants to the wall clock: a monotonic clock drives the decisions, and people read the wall clock.
package protocol WallClock: Sendable {
    /// Nanoseconds since the Unix epoch at `instant`.
    func wallTime(of instant: Instant) -> Int64

    /// Nanoseconds since the Unix epoch, now.
    var now: Int64 { get }
}

package struct SystemClock: WallClock {
    package init() {}

    /// The kernel's monotonic clock. It stands still during suspend, in which the adapter receives nothing.
    package static var monotonic: Instant { Instant(nanoseconds: KernelClock.monotonic) }

    package var now: Int64 { KernelClock.realtime }

    package func wallTime(of instant: Instant) -> Int64 {
        now &- (Self.monotonic.nanoseconds &- instant.nanoseconds)
    }
}

package final class AdapterSource: PresenceSource {
    private let scanner: Scanner
    private let settings: Mutex<(adapter: String?, parameters: ScannerParameters)>

    /// - Parameters:
    ///   - adapter: its name, such as `hci0`; nil: the first that is up.
    ///   - quietPeriod: The length of a silence from which on the controller is asked whether it works.
    ///   - powerCyclePeriod: the shortest time between two power cycles of a deaf controller; `nil` for no power cycle.
    /// - Throws: An error if the process has no file descriptor left.
    package init(
        adapter: String?, scan: ScanSetting, quietPeriod: Duration, powerCyclePeriod: Duration? = nil,
        kernel: some BluetoothKernel = LinuxKernel()
    ) throws(KernelError) {
        var parameters = ScannerParameters()
        parameters.quietPeriod = quietPeriod
        parameters.scan = scan
        parameters.powerCyclePeriod = powerCyclePeriod
        scanner = try Scanner(adapter: adapter, parameters: parameters, kernel: kernel)
        settings = Mutex((adapter, parameters))
    }

    package var name: String { settings.withLock { $0.adapter } ?? "the first adapter that is up" }

    /// Scans with another adapter, or with another choice of the interval and window, from now on.
    package func reconfigure(adapter: String?, scan: ScanSetting, quietPeriod: Duration) {
        let parameters = settings.withLock { settings in
            settings.adapter = adapter
            settings.parameters.scan = scan
            settings.parameters.quietPeriod = quietPeriod
            return settings.parameters
        }
        scanner.reconfigure(adapter: adapter, parameters: parameters)
    }

    package var instant: Instant { SystemClock.monotonic }

    package func run(_ delegate: some ScannerDelegate) throws -> Bool {
        try scanner.run(delegate)
        return false
    }

    package func stop() { scanner.stop() }

    package func hold(_ isHeld: Bool) { isHeld ? scanner.hold() : scanner.release() }

    package func wifiChanged(isUsed: Bool?) { scanner.wifiChanged(isUsed: isUsed) }

    package func deadlineDidChange() { scanner.deadlineDidChange() }

    package func wake() { scanner.wake() }

    package func perform(_ work: @escaping @Sendable () -> Void) { scanner.perform(work) }

    package func wallTime(of instant: Instant) -> Int64 { SystemClock().wallTime(of: instant) }

    package var now: Int64 { SystemClock().now }
}
