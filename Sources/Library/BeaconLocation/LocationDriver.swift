import IBeacon
import OkaeriBluetooth
import OkaeriPlumbing
import OkaeriPresence
import RegionMonitoring
import Synchronization

/// A presence driver for regions that the program adds and removes: monitored regions and ranged constraints.
final class LocationDriver: Sendable {
    /// The length of a silence from which on it counts only after an answer of the controller. The daemon would
    /// derive it from its regions, which are not known here when the scanner begins: an exit time below twice this
    /// length is not useful.
    static let quietPeriod = Duration.seconds(2)

    /// Changes only while the driver is locked, so that each event finds its region.
    private final class Subjects: Sendable {
        let byName = Mutex<[String: Subject]>([:])
    }

    let driver: PresenceDriver
    private let kernel: any BluetoothKernel
    private let subjects: Subjects

    /// - Parameters:
    ///   - memory: The memory of an earlier driver.
    ///   - publish: Receives each event in order, while the driver is locked: it must not call back.
    init(
        kernel: some BluetoothKernel, clock: some WallClock = SystemClock(), memory: RegionMonitor.Memory = .init(),
        publish: @escaping @Sendable (LocationEvent) -> Void
    ) {
        self.kernel = kernel
        let subjects = Subjects()
        self.subjects = subjects
        driver = PresenceDriver(regions: [], clock: clock, quietPeriod: Self.quietPeriod) { event, time in
            guard let kind = LocationEvent.Kind(event, subjects.byName.withLock(\.self)) else { return }
            publish(
                LocationEvent(
                    kind: kind, instant: Instant(nanoseconds: time.instant), nanosecondsSince1970: time.wall))
        }
        driver.scannerWillStart(at: kernel.now())
        driver.restore(
            memory.renamingRegions { Subject.name(ofRegion: $0) })
    }

    private var now: Instant { Instant(nanoseconds: kernel.now()) }

    var monitoredRegions: [MonitoredRegion] {
        watched.compactMap { subject, watched in
            guard case .region(let region) = subject else { return nil }
            return watched.named(region.identifier)
        }
    }

    var rangedConstraints: [BeaconConstraint] {
        watched.compactMap { subject, _ in
            guard case .ranging(let constraint) = subject else { return nil }
            return constraint
        }
    }

    var isIdle: Bool { driver.regions.isEmpty }

    func startMonitoring(_ region: MonitoredRegion) {
        // Only this package can make a region of other signs, and does not give it to a manager.
        guard let beacons = region.region else { return }
        start(.region(beacons), region)
    }

    func stopMonitoring(_ identifier: String) { stop(Subject.name(ofRegion: identifier)) }

    func startRanging(_ constraint: BeaconConstraint) {
        let subject = Subject.ranging(constraint)
        let region = BeaconRegion(identifier: subject.name, constraint: constraint)
        start(subject, MonitoredRegion(region, ranging: .always))
    }

    func stopRanging(_ constraint: BeaconConstraint) { stop(Subject.ranging(constraint).name) }

    func requestState(_ identifier: String) {
        driver.requestState(ofRegion: Subject.name(ofRegion: identifier), at: now)
    }

    /// The memory to store for the next start, with the program's names of the regions.
    var memory: RegionMonitor.Memory {
        let subjects = subjects.byName.withLock(\.self)
        return driver.memory(at: now).renamingRegions { name in
            guard case .region(let region) = subjects[name] else { return nil }
            return region.identifier
        }
    }

    private var watched: [(Subject, MonitoredRegion)] {
        let subjects = subjects.byName.withLock(\.self)
        return driver.regions.compactMap { region in subjects[region.identifier].map { ($0, region) } }
    }

    private func start(_ subject: Subject, _ region: MonitoredRegion) {
        let region = region.named(subject.name)
        driver.updateRegions(at: now) { regions in
            if regions.contains(region) { return }
            regions.removeAll { $0.identifier == subject.name }
            regions.append(region)
            subjects.byName.withLock { $0[subject.name] = subject }
        }
    }

    private func stop(_ name: String) {
        driver.updateRegions(at: now) { regions in
            regions.removeAll { $0.identifier == name }
            _ = subjects.byName.withLock { $0.removeValue(forKey: name) }
        }
    }
}

extension MonitoredRegion {
    fileprivate func named(_ name: String) -> MonitoredRegion {
        var region = self
        region.identifier = name
        return region
    }
}

extension RegionMonitor.Memory {
    /// The same with other names for the regions, and without regions that have no other name.
    fileprivate func renamingRegions(_ name: (String) -> String?) -> Self {
        var memory = self
        memory.regions = regions.compactMap { known in
            guard let identifier = name(known.identifier) else { return nil }
            var known = known
            known.identifier = identifier
            return known
        }
        return memory
    }
}

extension LocationEvent.Kind {
    /// Creates the event of a driver's event; `nil` if it does not concern the program, such as the state of a region
    /// that is only ranged.
    fileprivate init?(_ event: PresenceEvent, _ subjects: [String: Subject]) {
        switch event {
        case .bluetoothStateDidUpdate(let update): self = .bluetoothStateDidUpdate(update)
        case .monitoringDidFail(let name, let bluetooth):
            switch subjects[name] {
            case .region(let region)?: self = .monitoringDidFail(region, bluetooth)
            case .ranging(let constraint)?: self = .rangingDidFail(constraint, bluetooth)
            case nil: return nil
            }
        case .action(let action, let bluetooth): self.init(action, subjects, bluetooth)
        }
    }

    private init?(_ action: RegionMonitor.Action, _ subjects: [String: Subject], _ bluetooth: AdapterUpdate) {
        switch action {
        case .didStartMonitoring(let name):
            guard case .region(let region)? = subjects[name] else { return nil }
            self = .didStartMonitoring(region)
        case .didDetermineState(let name, let state):
            guard case .region(let region)? = subjects[name] else { return nil }
            self = .didDetermineState(state, region)
        case .didEnterRegion(let name, let beacon):
            guard case .region(let region)? = subjects[name] else { return nil }
            self = .didEnterRegion(region, beacon)
        case .didExitRegion(let name):
            guard case .region(let region)? = subjects[name] else { return nil }
            self = .didExitRegion(region)
        case .didRangeBeacons(let name, let beacons):
            switch subjects[name] {
            case .region(let region)?: self = .didRangeBeacons(beacons, region)
            case .ranging(let constraint)?: self = .didRange(beacons, constraint)
            case nil: return nil
            }
        case .rangingBeaconsDidFail(let name):
            // If no region can be monitored at all, an earlier event has reported it.
            guard !bluetooth.isFailure else { return nil }
            switch subjects[name] {
            case .region(let region)?: self = .rangingBeaconsDidFail(region, bluetooth)
            case .ranging(let constraint)?: self = .rangingDidFail(constraint, bluetooth)
            case nil: return nil
            }
        case .silenceDidEnd: return nil
        }
    }
}
