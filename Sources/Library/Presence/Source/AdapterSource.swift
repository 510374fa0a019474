package import Bluetooth
package import HCI
package import RegionMonitoring
import Synchronization

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

    package func wake() { scanner.wake() }

    package func perform(_ work: @escaping @Sendable () -> Void) { scanner.perform(work) }

    package func wallTime(of instant: Instant) -> Int64 { SystemClock().wallTime(of: instant) }

    package var now: Int64 { SystemClock().now }
}
