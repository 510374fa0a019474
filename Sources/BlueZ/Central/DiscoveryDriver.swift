import DBus
import Synchronization

/// Sees to it that bluetoothd discovers what is looked for, for as long as somebody looks: over restarts of bluetoothd, and
/// over an adapter that is switched off and on.
final class DiscoveryDriver: Sendable {
    /// What bluetoothd should do, or does.
    private struct Discovery: Sendable, Equatable {
        var adapter: String
        var filter: DiscoveryFilter
        /// What was asked for before a reset is forgotten by bluetoothd.
        var resets: UInt64
    }

    private struct State {
        var nextLook: UInt64 = 0
        var looks: [UInt64: DiscoveryFilter] = [:]
    }

    /// How long it is waited before bluetoothd is asked again for what it has refused.
    private static let pause = Duration.seconds(2)

    private let mirror: ObjectMirror
    private let adapter: String?
    private let state = Mutex(State())

    init(mirror: ObjectMirror, adapter: String?) {
        self.mirror = mirror
        self.adapter = adapter
    }

    /// Somebody looks for peripherals until ``end(_:)``.
    func begin(_ filter: DiscoveryFilter) -> UInt64 {
        let look = state.withLock { state in
            state.nextLook += 1
            state.looks[state.nextLook] = filter
            return state.nextLook
        }
        mirror.ring()
        return look
    }

    func end(_ look: UInt64) {
        state.withLock { _ = $0.looks.removeValue(forKey: look) }
        mirror.ring()
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
            _ = try? await mirror.wait(until: tried.map { _ in .now + Self.pause }) { view -> Bool? in
                let goal = self.goal(view)
                return goal == known || (tried != nil && goal == tried) ? nil : true
            }
            refused = nil
        }
    }

    private func goal(_ view: ObjectMirror.View) -> Discovery? {
        let looks = state.withLock { $0.looks }
        guard let filter = DiscoveryFilter(merging: looks.values), let adapter = view.workingAdapter(named: adapter)
        else { return nil }
        return Discovery(adapter: adapter.path, filter: filter, resets: view.resets)
    }

    /// Returns whether bluetoothd discovers now.
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
        // After a reset bluetoothd knows nothing of it any more, and says so.
        _ = try? await mirror.call(old.adapter, Interface.adapter, "StopDiscovery")
    }
}
