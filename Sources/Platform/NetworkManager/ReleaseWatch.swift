import CGIO
import CNetworkManager
import DBus

/// Sets a flag when a GObject is finalized.
final class ReleaseWatch: Sendable {
    private let flag: Flag
    private let changes: Changes

    init(flag: Flag, changes: Changes) {
        self.flag = flag
        self.changes = changes
    }

    func observe(_ object: UnsafeMutablePointer<GObject>?) {
        g_object_weak_ref(object, objectReleased, Unmanaged.passRetained(self).toOpaque())
    }

    fileprivate func released() {
        flag.set()
        changes.notify()
    }
}

private func objectReleased(data: gpointer?, _: UnsafeMutablePointer<GObject>?) {
    guard let data else { return }
    Unmanaged<ReleaseWatch>.fromOpaque(data).takeRetainedValue().released()
}
