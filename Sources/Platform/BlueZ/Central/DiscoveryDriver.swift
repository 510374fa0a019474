import DBus
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

    /// Works until cancelled. A discovery that goes on then ends with the connection to the bus.
    func run() async {
        var present: Discovery?
        var refused: Discovery?
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
            _ = try? await mirror.wait(until: tried.map { _ in .now + Self.pause }, for: .adapters) { view -> Bool? in
                let goal = self.goal(view)
                return goal == known || (tried != nil && goal == tried) ? nil : true
            }
            refused = nil
        }
    }

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
