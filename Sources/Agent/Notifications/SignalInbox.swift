import CGIO
import GLib
import Synchronization

/// The signals of the session bus that were heard and not yet looked at, in their order.
final class SignalInbox: Sendable {
    enum Signal: Sendable {
        /// Who has the notification server's name now; nil for nobody.
        case ownerChanged(to: String?)
        case actionInvoked(UInt32, key: String)
        case closed(UInt32)
    }

    private let signals = Mutex<[Signal]>([])
    private let changes: Changes

    init(changes: Changes) {
        self.changes = changes
    }

    /// All that came since the last call.
    func take() -> [Signal] {
        signals.withLock { signals in
            defer { signals = [] }
            return signals
        }
    }

    /// A signal came in.
    func received(_ name: String, _ arguments: OpaquePointer) {
        let signal: Signal
        switch name {
        case "NameOwnerChanged" where arguments.hasType("(sss)"):
            let owner = arguments.string(at: 2)
            signal = .ownerChanged(to: owner.isEmpty ? nil : owner)
        case "ActionInvoked" where arguments.hasType("(us)"):
            signal = .actionInvoked(arguments.number(at: 0), key: arguments.string(at: 1))
        case "NotificationClosed" where arguments.hasType("(uu)"):
            signal = .closed(arguments.number(at: 0))
        default: return
        }
        signals.withLock { $0.append(signal) }
        changes.ring()
    }
}
