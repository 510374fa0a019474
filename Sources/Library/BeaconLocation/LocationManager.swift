public import HCI
public import IBeacon
public import OkaeriBluetooth
import OkaeriPlumbing
package import OkaeriPresence
public import RegionMonitoring
import Synchronization

/// Watches beacon regions and ranges beacons, as CoreLocation's `CLLocationManager` does; see <doc:BeaconLocation>.
///
/// The manager does not touch Bluetooth before the program requests it. ``authorize(within:)`` reads the state of the adapter, and
/// the adapter scans only while a region is watched, beacons are ranged or ``locate(_:within:)`` runs. ``state``, ``states`` and
/// ``events`` request nothing. ``stop()`` disables the scan, and so does the deallocation of the manager.
///
/// All methods may be called from any thread and any task.
public final class LocationManager: Sendable {
    private let bluetooth: BluetoothManager
    private let driver: LocationDriver
    private let clock: any WallClock
    private let scan: LocationScan
    private let now: @Sendable () -> Instant
    let log: EventLog

    /// Held while the demand for the scan is compared with the scan.
    private let demand = Mutex(())

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
        let log = EventLog(backlog: Self.backlog)
        self.log = log
        self.clock = clock
        driver = LocationDriver(kernel: kernel, clock: clock, memory: memory?.memory(at: clock.now) ?? .init()) {
            log.send($0)
        }
        scan = LocationScan(driver.driver)
        now = { Instant(nanoseconds: kernel.now()) }
        var parameters = ScannerParameters()
        parameters.scan = timing.map { .fixed($0) } ?? .automatic()
        parameters.quietPeriod = LocationDriver.quietPeriod
        bluetooth = BluetoothManager(
            adapter: adapter, parameters: parameters, delegate: scan, kernel: kernel)
    }

    /// The events, in order, for several readers: each iteration is independent, and a second one works after the first has ended.
    ///
    /// Reading them does not touch Bluetooth.
    public var events: LocationEvents { LocationEvents(manager: self) }

    /// The present state of Bluetooth; `unknown` before the first request.
    public var state: BluetoothState { bluetooth.latest.state }

    /// Whether this process may use Bluetooth; `notDetermined` before the first request.
    public var authorizationStatus: AuthorizationStatus { bluetooth.latest.authorization }

    /// The states of Bluetooth with their causes and reasons, for several readers: the present one first, then each change.
    ///
    /// Reading them does not touch Bluetooth. They end when the manager has stopped.
    public var states: HeldStream<AdapterUpdate> { bluetooth.observedStates }

    /// The memory of the watched regions for the next manager: to be stored at intervals, and at the end.
    public var memory: LocationMemory { LocationMemory(driver.memory, at: clock.now) }

    /// Waits until the manager knows whether there is Bluetooth, and whether this process may use it; returns at once
    /// if it knows.
    ///
    /// The first call is the first use of Bluetooth. Linux shows no dialog: the rights of the process decide.
    ///
    /// - Parameter limit: The time to wait for an adapter that is being reset, or does not answer.
    /// - Returns: The state with its cause, its reason and the remedy; `AdapterUpdate.authorization` is the kind.
    public func authorize(within limit: Duration = .seconds(10)) async -> AdapterUpdate {
        await bluetooth.authorize(within: limit)
    }

    /// The regions that are watched.
    public var monitoredRegions: [MonitoredRegion] { driver.monitoredRegions }

    /// The constraints whose beacons are ranged.
    public var rangedBeaconConstraints: [BeaconConstraint] { driver.rangedConstraints }

    /// Watches a region: any of its beacons enters it, their silence leaves it. It replaces a region with the same identifier.
    ///
    /// - Parameter region: The beacons with thresholds and times. If its `ranging` is not `off`, the manager also ranges its beacons,
    ///   by ``LocationEvent/Kind/didRangeBeacons(_:_:)``.
    public func startMonitoring(for region: MonitoredRegion) {
        driver.startMonitoring(region)
        startScan()
    }

    /// Stops watching a region, by its identifier.
    public func stopMonitoring(for region: BeaconRegion) {
        stopMonitoring(region.identifier)
    }

    /// Stops watching a region, by its identifier.
    public func stopMonitoring(for region: MonitoredRegion) {
        stopMonitoring(region.identifier)
    }

    /// Ranges beacons once a second, whatever regions are watched.
    public func startRangingBeacons(satisfying constraint: BeaconConstraint) {
        driver.startRanging(constraint)
        startScan()
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

    /// Publishes the present state of a watched region by ``LocationEvent/Kind/didDetermineState(_:_:)``.
    public func requestState(for region: MonitoredRegion) {
        driver.requestState(region.identifier)
    }

    /// The shortest time of ``locate(_:within:)``: many beacons advertise once a second.
    public static let shortestLocation = LocateAnswer.shortest

    /// Determines once whether a beacon is in range, by what is received from now on.
    ///
    /// The answer is `inside` with the first reception, and otherwise comes after the time limit: `outside` if the adapter has scanned
    /// for the whole time, `unknown` with the obstacle if not. It is `unknown` at once if Bluetooth does not work, and if the task is
    /// cancelled.
    ///
    /// - Parameters:
    ///   - constraint: The beacons to look for.
    ///   - limit: The time to scan; ``shortestLocation`` at least. An adapter that has not answered yet is waited for as long again.
    /// - Returns: The answer with its time.
    public func locate(_ constraint: BeaconConstraint, within limit: Duration = .seconds(10)) async -> LocationAnswer {
        let limit = max(limit, Self.shortestLocation)
        let bluetooth = await authorize(within: limit)
        guard bluetooth.state == .poweredOn else { return LocationAnswer(bluetooth, at: now(), clock) }
        let (finished, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let region = MonitoredRegion(BeaconRegion(identifier: "\(constraint)", constraint: constraint))
        let locator = Locator(
            [region], within: limit, quietPeriod: LocationDriver.quietPeriod, updated: { _, _ in },
            finished: { continuation.finish() })
        scan.add(locator, at: now().nanoseconds)
        startScan()
        self.bluetooth.deadlineDidChange()
        await withTaskGroup { group in
            group.addTask { for await _ in finished {} }
            // The scanner answers at the limit. If it has ended, it does not.
            group.addTask { await (limit + LocateAnswer.tolerance).elapsed() }
            await group.next()
            group.cancelAll()
        }
        scan.remove(locator)
        rest()
        return LocationAnswer(locator.answer(at: now()), clock)
    }

    /// Disables the scan, and returns afterwards: for a program that ends. The iterations end, and the manager
    /// publishes no further event.
    public func stop() async {
        log.close()
        await bluetooth.stop()
    }

    private func stopMonitoring(_ identifier: String) {
        driver.stopMonitoring(identifier)
        rest()
    }

    private func startScan() {
        demand.withLock { _ in bluetooth.startScan() }
    }

    private func rest() {
        demand.withLock { _ in
            if driver.isIdle, scan.isIdle { bluetooth.endScan() } else { bluetooth.deadlineDidChange() }
        }
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
