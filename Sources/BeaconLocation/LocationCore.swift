import Bluetooth
import IBeacon
import RegionMonitoring
import Synchronization

/// The one owner of a manager's region monitor: the scanner drives it from its thread, the program asks from others.
final class LocationCore: ScannerDelegate, Sendable {
    /// How long a silence may be before it takes an answer of the controller to believe it. The controller is asked as
    /// early, for the regions are not known when the scanner begins: no exit time is worth much below twice as long.
    static let patience = Duration.seconds(2)

    fileprivate struct State: Sendable {
        var monitored: [MonitoredRegion] = []
        var ranged: [BeaconConstraint] = []
        var pipeline: PresencePipeline
        var vitality = Vitality(patience: LocationCore.patience)
        var bluetooth: AdapterUpdate?
    }

    private let kernel: any BluetoothKernel
    private let tell: @Sendable (LocationEvent) -> Void
    private let state: Mutex<State>

    /// - Parameter tell: is given each event in order, while the core is locked: it must not call back.
    init(kernel: some BluetoothKernel, tell: @escaping @Sendable (LocationEvent) -> Void) {
        self.kernel = kernel
        self.tell = tell
        let now = Instant(nanoseconds: kernel.now())
        state = Mutex(State(pipeline: PresencePipeline(RegionMonitor([], at: now))))
    }

    var monitoredRegions: [MonitoredRegion] { state.withLock(\.monitored) }

    var rangedConstraints: [BeaconConstraint] { state.withLock(\.ranged) }

    /// Whether nobody needs to listen.
    var isIdle: Bool { state.withLock { $0.monitored.isEmpty && $0.ranged.isEmpty } }

    func startMonitoring(_ region: MonitoredRegion) {
        change { state in
            state.monitored.removeAll { $0.region.identifier == region.region.identifier }
            state.monitored.append(region)
        }
        state.withLock { state in
            guard let reason = state.failure else { return }
            tell(.monitoringDidFail(region.region, reason: reason))
        }
    }

    func stopMonitoring(_ identifier: String) {
        change { $0.monitored.removeAll { $0.region.identifier == identifier } }
    }

    func startRanging(_ constraint: BeaconConstraint) {
        change { if !$0.ranged.contains(constraint) { $0.ranged.append(constraint) } }
        state.withLock { state in
            guard let reason = state.failure else { return }
            tell(.rangingDidFail(constraint, reason: reason))
        }
    }

    func stopRanging(_ constraint: BeaconConstraint) {
        change { $0.ranged.removeAll { $0 == constraint } }
    }

    func requestState(_ identifier: String) {
        state.withLock { state in
            guard let region = state.monitored.first(where: { $0.region.identifier == identifier })?.region else {
                return
            }
            let name = Subject.region(region).name
            guard
                let found = state.pipeline.monitor.regionSnapshots.first(where: { $0.region.region.identifier == name })
            else { return }
            tell(.didDetermineState(found.state, region))
        }
    }

    private func change(_ change: (inout State) -> Void) {
        let now = Instant(nanoseconds: kernel.now())
        state.withLock { state in
            change(&state)
            announce(state.pipeline.monitor.regionsReplaced(with: state.regions, at: now), state)
        }
    }

    private func announce(_ actions: [RegionMonitor.Action], _ state: borrowing State) {
        for action in actions {
            if let event = LocationEvent(action, state.subjects, reason: state.bluetooth?.reason) { tell(event) }
        }
    }
}

extension LocationCore.State {
    fileprivate var subjects: [String: Subject] {
        let all = monitored.map { Subject.region($0.region) } + ranged.map(Subject.ranging)
        return Dictionary(all.map { ($0.name, $0) }) { first, _ in first }
    }

    /// For the monitor.
    fileprivate var regions: [MonitoredRegion] {
        monitored.map { region in
            var copy = region
            copy.region = BeaconRegion(
                identifier: Subject.region(region.region).name, constraint: region.region.constraint)
            copy.ranging = .off
            return copy
        }
            + ranged.map { constraint in
                let region = BeaconRegion(identifier: Subject.ranging(constraint).name, constraint: constraint)
                return MonitoredRegion(region, ranging: .always)
            }
    }

    /// Why nothing can be watched; nil while that is possible, or only interrupted.
    fileprivate var failure: String? {
        guard let bluetooth else { return nil }
        switch bluetooth.state {
        case .unsupported, .unauthorized: return bluetooth.reason
        case .unknown, .resetting, .poweredOff, .poweredOn: return nil
        }
    }
}

// MARK: The scanner's thread

extension LocationCore {
    func scannerDidReceive(_ packet: RawSpan, at time: Int64) {
        let now = Instant(nanoseconds: time)
        state.withLock { state in
            state.vitality.reportReceived(at: now)
            // The first byte says that it is an event, which everything is that comes here.
            let actions = state.pipeline.received(event: packet.extracting(droppingFirst: 1), at: now)
            if !actions.isEmpty { announce(actions, state) }
        }
    }

    func scannerDidUpdate(_ update: AdapterUpdate, at time: Int64) {
        state.withLock { state in
            state.bluetooth = update
            tell(.bluetoothStateDidUpdate(update))
            if let reason = state.failure {
                for region in state.monitored { tell(.monitoringDidFail(region.region, reason: reason)) }
            }
            guard update.state != .poweredOn else { return }
            announce(state.pipeline.monitor.adapterLost(at: Instant(nanoseconds: time)), state)
        }
    }

    func scannerDidChangeListening(_ isListening: Bool, at time: Int64) {
        let now = Instant(nanoseconds: time)
        state.withLock { state in
            state.vitality.reportReceived(at: now)
            guard isListening else { return state.pipeline.monitor.listeningPaused(at: now) }
            announce(state.pipeline.monitor.adapterRecovered(at: now), state)
        }
    }

    func scannerDidHearController(at time: Int64) {
        state.withLock { $0.vitality.controllerHeard(at: Instant(nanoseconds: time)) }
    }

    func scannerDidFinishTurn(at time: Int64) -> Int64? {
        let now = Instant(nanoseconds: time)
        return state.withLock { state in
            // A dead radio must send nobody away.
            guard state.vitality.isCertain(at: now) else { return nil }
            let actions = state.pipeline.monitor.advanced(to: now)
            if !actions.isEmpty { announce(actions, state) }
            return state.pipeline.monitor.nextDeadline?.nanoseconds
        }
    }

    func scannerDidDrop(total: UInt64) {}
}
