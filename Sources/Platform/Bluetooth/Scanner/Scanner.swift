package import HCI
package import OkaeriPlumbing
import Synchronization

/// Scans for LE advertisements, for as long as it runs: over stolen scans, adapters that come and go, and faults.
///
/// `run` wants a thread of its own. All else may be called from any thread.
package final class Scanner: Sendable {
    /// The requests of other threads, until the scanner's thread handles them.
    struct Requests: Sendable {
        var shouldStop = false
        var wantsScan: Bool
        var isHeld = false
        var wasWoken = false
        var usesWiFi: Bool?
        var settings: (adapter: String?, parameters: ScannerParameters)?
        var work: [@Sendable () -> Void] = []
    }

    let adapter: String?
    let parameters: ScannerParameters
    let kernel: any BluetoothKernel
    let wakeUp: WakeUp
    let updates: Broadcast<AdapterUpdate>?
    private let requests: Mutex<Requests>

    /// A scanner for an adapter by name (`hci0`), or for the first switched on. Throws without a free descriptor.
    ///
    /// - Parameters:
    ///   - wantsScan: Whether it scans from the start; otherwise it reports changes until ``startScan()``.
    ///   - updates: Receives the states of Bluetooth, before the delegate does.
    package init(
        adapter: String? = nil, parameters: ScannerParameters = ScannerParameters(), wantsScan: Bool = true,
        kernel: some BluetoothKernel = LinuxKernel(), updates: Broadcast<AdapterUpdate>? = nil
    ) throws(KernelError) {
        requests = Mutex(Requests(wantsScan: wantsScan, usesWiFi: kernel.hasWiFi ? nil : false))
        self.adapter = adapter
        self.parameters = parameters
        self.kernel = kernel
        self.updates = updates
        wakeUp = try WakeUp()
    }

    /// Scans until `stop`, and blocks the thread until the scan is off. Throws only if waiting is impossible.
    package func run(_ delegate: some ScannerDelegate) throws(KernelError) {
        var loop = ScannerLoop(self, delegate)
        try loop.run()
    }

    /// Ends `run`, which switches the scan off first.
    package func stop() {
        request { $0.shouldStop = true }
    }

    /// Scans from now on.
    package func startScan() {
        request { $0.wantsScan = true }
    }

    /// Switches the scan off, and closes its socket. Changes of the adapter are still reported.
    package func endScan() {
        request { $0.wantsScan = false }
    }

    /// Disables the scan until `release`, as long as a join needs the antenna.
    package func hold() {
        request { $0.isHeld = true }
    }

    /// Ends `hold`.
    package func release() {
        request { $0.isHeld = false }
    }

    /// Passes on whether 2.4 GHz Wi-Fi is in use, which may share the antenna; `nil`: unknown, as at the start. Without a Wi-Fi
    /// device it is not in use.
    package func wifiChanged(isUsed: Bool?) {
        let isUsed = isUsed ?? (kernel.hasWiFi ? nil : false)
        request { $0.usesWiFi = isUsed }
    }

    /// Scans with another adapter, or with other parameters, from now on.
    package func reconfigure(adapter: String?, parameters: ScannerParameters) {
        request { $0.settings = (adapter, parameters) }
    }

    /// Gives the delegate a turn, whose deadline may have changed.
    package func deadlineDidChange() { request { _ in } }

    /// Tries again now what waits for a later time, and gives the delegate a turn.
    package func wake() {
        request { $0.wasWoken = true }
    }

    /// Has `work` done on the thread of `run`, at its next turn: only a loop that turns does it.
    package func perform(_ work: @escaping @Sendable () -> Void) {
        request { $0.work.append(work) }
    }

    /// Returns the requests since the last call; `shouldStop`, `wantsScan`, `isHeld` and `usesWiFi` stay.
    func takeRequests() -> Requests {
        requests.withLock { requests in
            defer {
                requests.wasWoken = false
                requests.settings = nil
                requests.work = []
            }
            return requests
        }
    }

    var wantsScan: Bool { requests.withLock(\.wantsScan) }

    private func request(_ change: (inout Requests) -> Void) {
        requests.withLock { change(&$0) }
        wakeUp.signal()
    }
}
