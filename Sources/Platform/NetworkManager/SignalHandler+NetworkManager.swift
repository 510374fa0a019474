import CGIO
import CNetworkManager
import DBus

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
