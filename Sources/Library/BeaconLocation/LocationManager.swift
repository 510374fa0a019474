public import Bluetooth
public import HCI
public import IBeacon
package import Presence
public import RegionMonitoring

/// Watches beacon regions and ranges beacons, as CoreLocation's `CLLocationManager` does; see <doc:BeaconLocation>.
///
/// The radio is not touched before something is asked of it: ``authorize(within:)`` and ``bluetoothStates()`` look at the
/// adapter, and it scans only while a region is watched or beacons are ranged. What happens comes in ``events``; when the
/// last iteration of them is cancelled, or the manager goes, the scan is switched off.
///
/// Everything may be called from any thread and any task.
public final class LocationManager: Sendable {
    private let bluetooth: BluetoothManager
    private let driver: LocationDriver
    private let clock: any WallClock
    let broadcast: EventBroadcast

    /// The number of events that wait for a slow program; then the oldest are dropped. Ranging gives one a second.
    public static let backlog = 1024

    /// - Parameters:
    ///   - adapter: its name, such as `hci0`; nil: the first that is switched on.
    ///   - timing: The scan interval and window; by default half of the time, since Wi-Fi may share the antenna.
    ///   - memory: An earlier manager's ``memory``; `nil`: none.
    public convenience init(adapter: String? = nil, timing: ScanTiming = .shared, memory: LocationMemory? = nil) {
        self.init(adapter: adapter, timing: timing, memory: memory, kernel: LinuxKernel())
    }

    /// The same with another kernel's adapters.
    package init(
        adapter: String? = nil, timing: ScanTiming = .shared, memory: LocationMemory? = nil,
        kernel: some BluetoothKernel, clock: some WallClock = SystemClock()
    ) {
        let broadcast = EventBroadcast(backlog: Self.backlog)
        self.broadcast = broadcast
        self.clock = clock
        driver = LocationDriver(kernel: kernel, clock: clock, memory: memory?.memory(at: clock.now) ?? .init()) {
            broadcast.send($0)
        }
        var parameters = ScannerParameters()
        parameters.timing = timing
        parameters.quietPeriod = LocationDriver.quietPeriod
        bluetooth = BluetoothManager(
            adapter: adapter, parameters: parameters, delegate: driver.driver, kernel: kernel)
    }

    deinit {
        broadcast.close()
    }

    /// The events, in order. Several tasks may iterate, each gets everything from its beginning on; the first one also
    /// what happened before.
    public var events: LocationEvents { LocationEvents(manager: self) }

    /// The memory of this manager for the next one, after a restart of the program: to be stored at intervals, and at
    /// the end. Only regions that are watched are in it.
    public var memory: LocationMemory { LocationMemory(driver.memory, at: clock.now) }

    /// Waits until it is decided whether there is Bluetooth, and whether this process may use it; at once when it is.
    ///
    /// - Parameter limit: The time to wait for an adapter that is being reset, or does not answer.
    /// - Returns: the state with its reason.
    public func authorize(within limit: Duration = .seconds(10)) async -> AdapterUpdate {
        await bluetooth.authorize(within: limit)
    }

    /// The state of Bluetooth: the present one first, as soon as it is known, then each change.
    public func bluetoothStates() -> HeldStream<AdapterUpdate> { bluetooth.states() }

    /// The regions that are watched.
    public var monitoredRegions: [MonitoredRegion] { driver.monitoredRegions }

    /// The constraints whose beacons are ranged.
    public var rangedBeaconConstraints: [BeaconConstraint] { driver.rangedConstraints }

    /// Watches a region: any of its beacons enters, their silence leaves. It takes the place of one of the same identifier.
    public func startMonitoring(for region: BeaconRegion) {
        startMonitoring(MonitoredRegion(region))
    }

    /// Watches a region by thresholds and times of its own. Its `ranging` does not matter here.
    public func startMonitoring(_ region: MonitoredRegion) {
        driver.startMonitoring(region)
        bluetooth.startScan()
    }

    /// Watches a region no more, by its identifier.
    public func stopMonitoring(for region: BeaconRegion) {
        driver.stopMonitoring(region.identifier)
        rest()
    }

    /// Ranges beacons once a second, whatever regions are watched.
    public func startRangingBeacons(satisfying constraint: BeaconConstraint) {
        driver.startRanging(constraint)
        bluetooth.startScan()
    }

    /// Ranges these beacons no more.
    public func stopRangingBeacons(satisfying constraint: BeaconConstraint) {
        driver.stopRanging(constraint)
        rest()
    }

    /// Has the state of a region that is watched published as it is now, by
    /// ``LocationEvent/Kind/didDetermineState(_:_:)``.
    public func requestState(for region: BeaconRegion) {
        driver.requestState(region.identifier)
    }

    /// Switches the scan off, and returns when it is: for a program that ends. The events end, and nothing more is to be had
    /// of this manager.
    public func stop() async {
        broadcast.close()
        await bluetooth.stop()
    }

    /// Handles that the events have no reader any more.
    func end() {
        broadcast.close()
        bluetooth.end()
    }

    private func rest() {
        if driver.isIdle { bluetooth.endScan() } else { bluetooth.giveTurn() }
    }
}
