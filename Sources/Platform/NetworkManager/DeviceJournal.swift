import COkaeriGIO
import COkaeriNetworkManager
import OkaeriDBus
import Synchronization

/// The states a device went through, with their reasons: the one that shows why a join failed is soon followed by others.
///
/// It begins before the join is requested, for the states of a short one precede the answer to the request. Each state
/// therefore carries the active connection that the device had: another one may fail at the same time.
final class DeviceJournal: Sendable {
    struct Entry: Sendable {
        let state: UInt32
        let reason: UInt32

        let connection: Connection?
    }

    struct Connection: Sendable {
        let path: String

        let profile: String

        func isNamed(_ name: String) -> Bool { path == name || profile == name }
    }

    private let entries = Mutex<[Entry]>([])
    private let changes: Changes

    init(changes: Changes) {
        self.changes = changes
    }

    func record(_ entry: Entry) {
        entries.withLock { $0.append(entry) }
        changes.notify()
    }

    /// The end of an activation that did not succeed.
    struct End: Sendable {
        /// NMDeviceStateReason.
        let reason: UInt32

        /// Whether the access point had let the device in before: then the passphrase was right.
        let wasAssociated: Bool
    }

    /// The first failure of an active connection.
    ///
    /// - Parameter connection: its D-Bus path, or the UUID of its profile if libnm has not seen it.
    func failure(of connection: String) -> End? { Self.firstFailure(in: states(of: connection)) }

    /// Returns the end of an activation: the device's failure, or the state in which it left the connection for another
    /// reason, such as being switched off.
    ///
    /// Without a state that carries the connection, the last activation is the one asked for: libnm reports an active
    /// connection only after it has read it, which takes longer than some activations.
    func end(of connection: String) -> End? {
        let own = states(of: connection)
        let states = own.isEmpty ? lastStatesWithoutConnection() : own
        return Self.firstFailure(in: states)
            ?? Self.firstEnd(in: states) { $0 <= DeviceState.disconnected || $0 == DeviceState.deactivating }
    }

    /// The states from the beginning of an active connection until the first of another one.
    private func states(of connection: String) -> ArraySlice<Entry> {
        let entries = entries.withLock { $0 }
        let isOwn = { (entry: Entry) in entry.connection?.isNamed(connection) }
        guard let known = entries.firstIndex(where: { isOwn($0) == true }) else { return [] }
        // The device prepares for the connection before libnm has read it, and lets go of it with its last states.
        let prepared = entries[...known].reversed().prefix { isOwn($0) ?? true }
            .firstIndex { $0.state == DeviceState.prepare }.map { entries.index(before: $0.base) }
        let begin =
            prepared
            ?? entries[known...].firstIndex {
                isOwn($0) == true && DeviceState.activating.contains($0.state)
            }
        guard let begin else { return [] }
        return entries[begin...].prefix { isOwn($0) ?? true }
    }

    private func lastStatesWithoutConnection() -> ArraySlice<Entry> {
        let entries = entries.withLock { $0 }
        guard let begin = entries.lastIndex(where: { $0.state == DeviceState.prepare }) else { return [] }
        let states = entries[begin...]
        return states.allSatisfy { $0.connection == nil } ? states : []
    }

    private static func firstFailure(in states: ArraySlice<Entry>) -> End? {
        firstEnd(in: states) { $0 == DeviceState.failed }
    }

    private static func firstEnd(in states: ArraySlice<Entry>, where isEnd: (UInt32) -> Bool) -> End? {
        guard let end = states.firstIndex(where: { isEnd($0.state) }) else { return nil }
        let wasAssociated = states[..<end].contains { $0.state >= DeviceState.ipConfig }
        return End(reason: states[end].reason, wasAssociated: wasAssociated)
    }
}

/// NMDeviceState, as the numbers signals carry.
enum DeviceState {
    static let unmanaged = NM_DEVICE_STATE_UNMANAGED.rawValue
    static let unavailable = NM_DEVICE_STATE_UNAVAILABLE.rawValue
    static let disconnected = NM_DEVICE_STATE_DISCONNECTED.rawValue
    static let prepare = NM_DEVICE_STATE_PREPARE.rawValue
    static let ipConfig = NM_DEVICE_STATE_IP_CONFIG.rawValue
    static let activated = NM_DEVICE_STATE_ACTIVATED.rawValue
    static let deactivating = NM_DEVICE_STATE_DEACTIVATING.rawValue
    static let failed = NM_DEVICE_STATE_FAILED.rawValue

    /// From the first preparation to the last check, not yet activated.
    static let activating = prepare..<activated

    /// The network has accepted the device, which requests and checks an address.
    static let addressing = ipConfig..<activated
}

extension SignalHandler {
    /// Rings `changes` when NetworkManager allows or forbids something anew.
    static func permission(_ client: GObjectReference, _ changes: Changes) -> SignalHandler {
        let data = Unmanaged.passRetained(changes).toOpaque()
        return SignalHandler(client, okaeri_on_permission(client.pointer, permissionChanged, data, releaseObject))
    }

    static func deviceState(_ device: GObjectReference, _ journal: DeviceJournal) -> SignalHandler {
        let data = Unmanaged.passRetained(journal).toOpaque()
        return SignalHandler(device, okaeri_on_device_state(device.pointer, stateChanged, data, releaseObject))
    }
}

private func permissionChanged(_: OpaquePointer?, _: guint, _: guint, data: gpointer?) {
    guard let data else { return }
    Unmanaged<Changes>.fromOpaque(data).takeUnretainedValue().notify()
}

private func stateChanged(device: OpaquePointer?, new: guint, _: guint, reason: guint, data: gpointer?) {
    guard let data else { return }
    let connection = device.flatMap { nm_device_get_active_connection($0) }.flatMap { active in
        nm_object_get_path(active).map { path in
            DeviceJournal.Connection(
                path: String(cString: path),
                profile: nm_active_connection_get_uuid(active).map { String(cString: $0) } ?? "")
        }
    }
    Unmanaged<DeviceJournal>.fromOpaque(data).takeUnretainedValue().record(
        DeviceJournal.Entry(state: new, reason: reason, connection: connection))
}
