public import Bluetooth
public import HCI
public import IBeacon
package import Presence
public import RegionMonitoring

/// Watches beacon regions and ranges beacons, as CoreLocation's `CLLocationManager` does; see <doc:BeaconLocation>.
///
/// The manager does not use the radio before the program requests it: ``authorize(within:)`` and
/// ``bluetoothStates()`` read the state of the adapter, and the adapter scans only while a region is watched or
/// beacons are ranged. ``events`` publishes what happens; when the last iteration of them is cancelled, or the
/// manager is deallocated, it disables the scan.
///
/// All methods may be called from any thread and any task.
public final class LocationManager: Sendable {
    private let bluetooth: BluetoothManager
    private let driver: LocationDriver
    private let clock: any WallClock
    let broadcast: EventBroadcast

    /// The number of events that are stored for a slow program; then the oldest are dropped. Ranging publishes one a
    /// second.
    public static let backlog = 1024

    /// - Parameters:
    ///   - adapter: The name of the adapter, such as `hci0`; `nil` for the first that is switched on.
    ///   - timing: The scan interval and window; `nil`: half of the time, since Wi-Fi may share the antenna, all of the time with
    ///     a stick that has an antenna of its own, and for a while if a beacon is late.
    ///   - memory: An earlier manager's ``memory``; `nil`: none.
    public convenience init(adapter: String? = nil, timing: ScanTiming? = nil, memory: LocationMemory? = nil) {
        self.init(adapter: adapter, timing: timing, memory: memory, kernel: LinuxKernel())
    }

    /// The same with another kernel's adapters.
    package init(
        adapter: String? = nil, timing: ScanTiming? = nil, memory: LocationMemory? = nil,
        kernel: some BluetoothKernel, clock: some WallClock = SystemClock()
    ) {
        let broadcast = EventBroadcast(backlog: Self.backlog)
        self.broadcast = broadcast
        self.clock = clock
        driver = LocationDriver(kernel: kernel, clock: clock, memory: memory?.memory(at: clock.now) ?? .init()) {
            broadcast.send($0)
        }
        var parameters = ScannerParameters()
        parameters.scan = timing.map { .fixed($0) } ?? .automatic()
        parameters.quietPeriod = LocationDriver.quietPeriod
        bluetooth = BluetoothManager(
            adapter: adapter, parameters: parameters, delegate: driver.driver, kernel: kernel)
    }

    deinit {
        broadcast.close()
    }

    /// The events, in order. Each task gets everything from its beginning on; the first also what happened before.
    public var events: LocationEvents { LocationEvents(manager: self) }

    /// The memory of the watched regions for the next manager: to be stored at intervals, and at the end.
    public var memory: LocationMemory { LocationMemory(driver.memory, at: clock.now) }

    /// Waits until the manager knows whether there is Bluetooth, and whether this process may use it; returns at once
    /// if it knows.
    ///
    /// - Parameter limit: The time to wait for an adapter that is being reset, or does not answer.
    /// - Returns: The state with its reason.
    public func authorize(within limit: Duration = .seconds(10)) async -> AdapterUpdate {
        await bluetooth.authorize(within: limit)
    }

    /// The state of Bluetooth: the present one first, as soon as it is known, then each change.
    public func bluetoothStates() -> HeldStream<AdapterUpdate> { bluetooth.states() }

    /// The regions that are watched.
    public var monitoredRegions: [MonitoredRegion] { driver.monitoredRegions }

    /// The constraints whose beacons are ranged.
    public var rangedBeaconConstraints: [BeaconConstraint] { driver.rangedConstraints }

    /// Watches a region: any of its beacons enters it, their silence leaves it. It replaces a region with the same
    /// identifier.
    public func startMonitoring(for region: BeaconRegion) {
        startMonitoring(MonitoredRegion(region))
    }

    /// Watches a region with thresholds and times of its own. Its `ranging` is ignored here.
    public func startMonitoring(_ region: MonitoredRegion) {
        driver.startMonitoring(region)
        bluetooth.startScan()
    }

    /// Stops watching a region, by its identifier.
    public func stopMonitoring(for region: BeaconRegion) {
        driver.stopMonitoring(region.identifier)
        rest()
    }

    /// Ranges beacons once a second, whatever regions are watched.
    public func startRangingBeacons(satisfying constraint: BeaconConstraint) {
        driver.startRanging(constraint)
        bluetooth.startScan()
    }

    /// Stops ranging these beacons.
    public func stopRangingBeacons(satisfying constraint: BeaconConstraint) {
        driver.stopRanging(constraint)
        rest()
    }

    /// Publishes the present state of a watched region by ``LocationEvent/Kind/didDetermineState(_:_:)``.
    public func requestState(for region: BeaconRegion) {
        driver.requestState(region.identifier)
    }

    /// Disables the scan, and returns afterwards: for a program that ends. The iterations end, and the manager
    /// publishes no further event.
    public func stop() async {
        broadcast.close()
        await bluetooth.stop()
    }

    /// Handles the end of the last iteration.
    func end() {
        broadcast.close()
        bluetooth.end()
    }

    private func rest() {
        if driver.isIdle { bluetooth.endScan() } else { bluetooth.deadlineDidChange() }
    }
}

/// The meaning of the driver's regions: a region that is watched, or beacons that are ranged.
enum Subject: Hashable, Sendable {
    case region(BeaconRegion)
    case ranging(BeaconConstraint)

    /// The driver's name of it. The name of a ranged constraint differs from the names of all regions.
    var name: String {
        switch self {
        case .region(let region): Self.name(ofRegion: region.identifier)
        case .ranging(let constraint): "ranging \(constraint)"
        }
    }

    /// Returns the driver's name of a region with this identifier.
    static func name(ofRegion identifier: String) -> String { "region \(identifier)" }
}
