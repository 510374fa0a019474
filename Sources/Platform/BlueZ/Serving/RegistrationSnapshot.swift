import OkaeriDBus
import OkaeriPlumbing

/// The operations that bluetoothd allows a peripheral at present.
struct RegistrationSnapshot: Sendable, Equatable {
    let state: ManagerState

    /// The end of a sentence: what is so, and what to do about it.
    let reason: String

    let adapter: ObjectMirror.View.Adapter?

    /// The same for as long as what bluetoothd was asked for holds.
    let resets: UInt64

    /// The same for as long as the radio goes on with a connectable advertisement.
    let connections: UInt64

    /// - Parameters:
    ///   - adapter: The requested adapter; `nil`: one that is switched on, otherwise the first.
    ///   - interfaces: The interfaces that the adapter must have.
    init(_ view: ObjectMirror.View, adapter name: String?, interfaces: [String]) {
        resets = view.resets
        connections = view.connections
        adapter = view.reach == .known ? view.adapter(named: name) : nil
        let obstacle = view.obstacle(adapter: name)
        if let obstacle {
            state = view.state(adapter: name)
            reason = if case .notPermitted = obstacle { Self.mayNotAsk } else { "\(obstacle)" }
        } else if let adapter {
            let missing = interfaces.first { view.tree[adapter.path, $0] == nil }
            state = missing == nil ? .poweredOn : .unsupported
            reason =
                missing.map { "\(adapter.name) cannot be a peripheral: bluetoothd has no \($0) for it" }
                ?? "\(adapter.name) is switched on"
        } else {
            (state, reason) = (.unknown, "bluetoothd is being asked")
        }
    }

    /// The bus does not let us.
    static var mayNotAsk: String {
        "you may not use bluetoothd; \(Installation.words("join its group with `sudo usermod -aG bluetooth $USER` and log in again, or run the command with sudo", or: Remedy.busUser))"
    }
}

extension BusError {
    /// Whether it is the bus that does not let us.
    var isRefusal: Bool {
        guard case .refused("org.freedesktop.DBus.Error.AccessDenied", _) = self else { return false }
        return true
    }
}
