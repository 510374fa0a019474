import OkaeriDBus
import Synchronization

/// Keeps bluetoothd's discovery running while there are requests for it: over restarts of bluetoothd, and over an
/// adapter that is switched off and on (`org.bluez.Adapter1`: SetDiscoveryFilter, StartDiscovery, StopDiscovery).
final class DiscoveryDriver: Sendable {
    /// The discovery that bluetoothd should run, or runs.
    private struct Discovery: Sendable, Equatable {
        var adapter: String
        var filter: DiscoveryFilter
        /// bluetoothd drops the requests from before a reset.
        var resets: UInt64
    }

    private struct State {
        var nextRequest: UInt64 = 0
        var requests: [UInt64: DiscoveryFilter] = [:]
        var isRunning = false
    }

    /// The pause before bluetoothd is asked again after a refusal.
    private static let pause = Duration.seconds(2)

    private let mirror: ObjectMirror
    private let adapter: String?
    private let state = Mutex(State())

    init(mirror: ObjectMirror, adapter: String?) {
        self.mirror = mirror
        self.adapter = adapter
    }

    func request(_ filter: DiscoveryFilter) -> DiscoveryRequest {
        let id = state.withLock { state in
            state.nextRequest += 1
            state.requests[state.nextRequest] = filter
            return state.nextRequest
        }
        mirror.wakeAll()
        return DiscoveryRequest { [weak self] in self?.end(id) }
    }

    private func end(_ id: UInt64) {
        guard state.withLock({ $0.requests.removeValue(forKey: id) }) != nil else { return }
        mirror.wakeAll()
    }

    /// Whether bluetoothd discovers peripherals for this driver.
    var isRunning: Bool { state.withLock(\.isRunning) }

    /// Works until cancelled. A discovery that goes on then ends with the connection to the bus.
    func run() async {
        var present: Discovery? { didSet { setRunning(present != nil) } }
        var refused: Discovery?
        defer { setRunning(false) }
        while !Task.isCancelled {
            let goal = goal(mirror.view)
            if goal != present, goal == nil || goal != refused {
                if let old = present { await stop(old) }
                present = nil
                if let goal {
                    let isStarted = await start(goal)
                    present = isStarted ? goal : nil
                    refused = isStarted ? nil : goal
                }
                continue
            }
            let (known, tried) = (present, refused)
            do throws(CentralError) {
                _ = try await mirror.wait(until: tried.map { _ in .now + Self.pause }, for: .adapters) {
                    view -> Bool? in
                    let goal = self.goal(view)
                    return goal == known || (tried != nil && goal == tried) ? nil : true
                }
            } catch {
                // Cancelled or stopped: the look throws nothing.
                return
            }
            refused = nil
        }
    }

    private func setRunning(_ isRunning: Bool) { state.withLock { $0.isRunning = isRunning } }

    private func goal(_ view: ObjectMirror.View) -> Discovery? {
        let requests = state.withLock { $0.requests }
        guard let filter = DiscoveryFilter(merging: requests.values), let adapter = view.workingAdapter(named: adapter)
        else { return nil }
        return Discovery(adapter: adapter.path, filter: filter, resets: view.resets)
    }

    private func start(_ goal: Discovery) async -> Bool {
        do throws(BusError) {
            _ = try await mirror.call(
                goal.adapter, Interface.adapter, "SetDiscoveryFilter", [goal.filter.argument])
            _ = try await mirror.call(goal.adapter, Interface.adapter, "StartDiscovery")
            return true
        } catch {
            return false
        }
    }

    private func stop(_ old: Discovery) async {
        // After a reset bluetoothd has no trace of it, and answers with an error.
        _ = try? await mirror.call(old.adapter, Interface.adapter, "StopDiscovery")
    }
}

/// A request to discover peripherals; ends with ``end()``, or with the object.
final class DiscoveryRequest: Sendable {
    private let onEnd: @Sendable () -> Void

    init(_ onEnd: @escaping @Sendable () -> Void) {
        self.onEnd = onEnd
    }

    /// Ends the request. Once is enough; more often does nothing.
    func end() { onEnd() }

    deinit { onEnd() }
}

/// The peripherals to look for.
struct DiscoveryFilter: Sendable, Hashable {
    /// Those that advertise one of these services; empty: any.
    var services: Set<BluetoothUUID> = []
    /// Those whose address begins like this; nil: any.
    var address: String?
}

extension DiscoveryFilter {
    /// One that lets through all that any of these would; nil for none. bluetoothd has one filter for each program.
    init?(merging filters: some Collection<DiscoveryFilter>) {
        guard let first = filters.first else { return nil }
        guard !filters.allSatisfy({ $0 == first }) else {
            self = first
            return
        }
        self.init(
            services: filters.contains { $0.services.isEmpty }
                ? [] : filters.reduce(into: []) { $0.formUnion($1.services) })
    }

    var argument: DBusValue {
        // Every advertisement is signalled, so that a peripheral is seen at once and its absence soon.
        var members: [String: DBusValue] = ["Transport": .string("le"), "DuplicateData": .boolean(true)]
        if !services.isEmpty { members["UUIDs"] = .strings(services.map(\.full).sorted()) }
        if let address { members["Pattern"] = .string(address) }
        return .properties(members)
    }
}

/// A scan for peripherals: a slow reader gets each one in its latest state, and nothing piles up meanwhile.
actor PeripheralScan {
    private let manager: CentralManager
    private let services: Set<BluetoothUUID>

    /// Goes with the scan, and the discovery with it.
    private let request: DiscoveryRequest

    /// The discoveries that the reader has, by address.
    private var known: [String: Discovery] = [:]

    /// The discoveries that the reader does not have yet: one entry for a peripheral, the next one last.
    private var news: [Discovery] = []
    private var isReady = false

    /// - Parameter services: those that advertise one of these; empty: all.
    init(_ manager: CentralManager, _ services: Set<BluetoothUUID>) {
        self.manager = manager
        self.services = services
        request = manager.discovery.request(DiscoveryFilter(services: services))
    }

    /// The next that is found, changes or is heard no more; nil when the task is cancelled.
    func next() async throws(CentralError) -> Discovery? {
        do throws(CentralError) {
            if !isReady { _ = try await manager.ready() }
            isReady = true
            if news.isEmpty { news = try await changes().reversed() }
        } catch .cancelled {
            return nil
        }
        guard let next = news.popLast() else { return nil }
        known[next.address] = next.isInSight ? next : nil
        return next
    }

    private func changes() async throws(CentralError) -> [Discovery] {
        let (services, known) = (services, known)
        let uuids = Set(services.map(\.full))
        let interest = Interest.devices { device in
            uuids.isEmpty || device["UUIDs"]?.strings?.contains { uuids.contains($0.lowercased()) } ?? false
        }
        let news = try await manager.mirror.wait(until: nil, for: interest) { [manager] view -> [Discovery]? in
            let news = Self.changes(from: known, to: manager.inSight(view, services))
            return news.isEmpty ? nil : news
        }
        return news ?? []
    }

    private static func changes(from before: [String: Discovery], to now: [String: Discovery]) -> [Discovery] {
        let changed = now.values.filter { before[$0.address] != $0 }
        let gone = before.values.filter { now[$0.address] == nil }.map { gone in
            var gone = gone
            (gone.rssi, gone.isConnected, gone.isInSight) = (nil, false, false)
            return gone
        }
        return (changed + gone).sorted { $0.address < $1.address }
    }
}

extension CentralManager {
    /// bluetoothd signals what all programs requested: peripherals without one of the services are left out.
    nonisolated fileprivate func inSight(
        _ view: ObjectMirror.View, _ services: Set<BluetoothUUID>
    ) -> [String: Discovery] {
        guard let adapter = view.workingAdapter(named: adapter) else { return [:] }
        let peripherals = view.peripherals(on: adapter.path).filter { peripheral in
            peripheral.isInSight && (services.isEmpty || !services.isDisjoint(with: peripheral.services))
        }
        return Dictionary(peripherals.map { ($0.address, $0) }, uniquingKeysWith: { first, _ in first })
    }
}
