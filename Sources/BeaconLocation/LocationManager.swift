public import Bluetooth
public import HCI
public import IBeacon
public import RegionMonitoring

/// Watches beacon regions and ranges beacons, as CoreLocation's `CLLocationManager` does; see <doc:BeaconLocation>.
///
/// The radio is not touched before something is asked of it: ``authorize(within:)`` and ``bluetoothStates()`` look at the
/// adapter, and it scans only while a region is watched or beacons are ranged. What happens is told by ``events``; when
/// their iteration is cancelled, or the manager goes, the scan is switched off.
///
/// Everything may be called from any thread and any task.
public final class LocationManager: Sendable {
    private let bluetooth: BluetoothManager
    private let core: LocationCore
    private let stream: AsyncStream<LocationEvent>
    private let continuation: AsyncStream<LocationEvent>.Continuation

    /// How many events wait for a program that is slow; then the oldest are dropped. Ranging tells one a second.
    public static let backlog = 1024

    /// - Parameters:
    ///   - adapter: its name, such as `hci0`; nil: the first that is switched on.
    ///   - timing: when the controller listens; by default half of the time, for Wi-Fi may share its antenna.
    ///   - kernel: whose adapters they are.
    public init(
        adapter: String? = nil, timing: ScanTiming = .shared, kernel: some BluetoothKernel = LinuxKernel()
    ) {
        let (stream, continuation) = AsyncStream.makeStream(
            of: LocationEvent.self, bufferingPolicy: .bufferingNewest(Self.backlog))
        let core = LocationCore(kernel: kernel) { continuation.yield($0) }
        var parameters = ScannerParameters()
        parameters.timing = timing
        parameters.quietPeriod = LocationCore.patience
        let bluetooth = BluetoothManager(adapter: adapter, parameters: parameters, listener: core, kernel: kernel)
        (self.stream, self.continuation, self.core, self.bluetooth) = (stream, continuation, core, bluetooth)
        continuation.onTermination = { [weak bluetooth] _ in bluetooth?.end() }
    }

    deinit {
        continuation.finish()
    }

    /// What happens, in order, from the manager's beginning on. One task may iterate it; who iterates it keeps the manager.
    public var events: HeldStream<LocationEvent> { HeldStream(stream, holding: self) }

    /// Waits until it is decided whether there is Bluetooth, and whether this process may use it; at once when it is.
    ///
    /// - Parameter limit: how long to wait for an adapter that is being reset, or does not answer.
    /// - Returns: the state with its reason.
    public func authorize(within limit: Duration = .seconds(10)) async -> AdapterUpdate {
        await bluetooth.authorize(within: limit)
    }

    /// The state of Bluetooth: the present one first, as soon as it is known, then each change.
    public func bluetoothStates() -> HeldStream<AdapterUpdate> { bluetooth.states() }

    /// The regions that are watched.
    public var monitoredRegions: [MonitoredRegion] { core.monitoredRegions }

    /// The constraints whose beacons are ranged.
    public var rangedBeaconConstraints: [BeaconConstraint] { core.rangedConstraints }

    /// Watches a region: any of its beacons enters, their silence leaves. It takes the place of one of the same identifier.
    public func startMonitoring(for region: BeaconRegion) {
        startMonitoring(MonitoredRegion(region))
    }

    /// Watches a region by thresholds and times of its own. Its `ranging` does not matter here.
    public func startMonitoring(_ region: MonitoredRegion) {
        core.startMonitoring(region)
        bluetooth.startScan()
    }

    /// Watches a region no more, by its identifier.
    public func stopMonitoring(for region: BeaconRegion) {
        core.stopMonitoring(region.identifier)
        rest()
    }

    /// Ranges beacons once a second, whatever regions are watched.
    public func startRangingBeacons(satisfying constraint: BeaconConstraint) {
        core.startRanging(constraint)
        bluetooth.startScan()
    }

    /// Ranges these beacons no more.
    public func stopRangingBeacons(satisfying constraint: BeaconConstraint) {
        core.stopRanging(constraint)
        rest()
    }

    /// Has ``LocationEvent/didDetermineState(_:_:)`` tell the state of a region that is watched, as it is now.
    public func requestState(for region: BeaconRegion) {
        core.requestState(region.identifier)
    }

    /// Switches the scan off, and returns when it is: for a program that ends. The events end, and nothing more is to be had
    /// of this manager.
    public func stop() async {
        continuation.finish()
        await bluetooth.stop()
    }

    private func rest() {
        if core.isIdle { bluetooth.endScan() } else { bluetooth.giveTurn() }
    }
}
