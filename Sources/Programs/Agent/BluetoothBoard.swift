import HCI
import OkaeriEvents

/// The notification that Bluetooth does not work: events in, actions out.
struct BluetoothBoard: Sendable {
    /// The actions to take.
    enum Action: Sendable, Equatable {
        /// Show the alert; ``BluetoothBoard/shown(as:)`` or ``BluetoothBoard/showingFailed()`` follows.
        case show(AdapterUpdate, hasMarkup: Bool)
        /// Close a notification.
        case withdraw(UInt32)
    }

    private enum State: Equatable {
        /// Bluetooth works, or a user has closed the alert. → waiting
        case none
        /// The session has no notification server. → showing, none
        case waiting(AdapterUpdate)
        /// The server did not show it. → showing, none
        case failed(AdapterUpdate)
        /// → shown, failed; `isObsolete`: Bluetooth works again → none
        case showing(AdapterUpdate, isObsolete: Bool)
        /// → none; waiting if the server vanishes, failed if it has expired on the screen
        case shown(AdapterUpdate, UInt32)
    }

    private var state = State.none

    /// Whether the server reads text as markup; `nil` without a server.
    private var hasMarkup: Bool?

    /// The notification on the screen. Inlined, it makes the compiler of Swift 6.2 fail.
    @inline(never)
    var onScreen: UInt32? { if case .shown(_, let notification) = state { notification } else { nil } }

    /// Whether the alert is to be sent to the server again, see ``retried()``.
    var isRetrying: Bool { if case .failed = state { true } else { false } }

    mutating func perform(_ action: BluetoothAlert.Action) -> Action? {
        switch (action, state) {
        case (.alert(let update), .none), (.alert(let update), .waiting), (.alert(let update), .failed):
            state = .waiting(update)
            return show()
        case (.alert, .showing(let update, _)):
            state = .showing(update, isObsolete: false)
            return nil
        case (.alert, .shown): return nil
        case (.withdraw, _): return withdrawn()
        }
    }

    /// Bluetooth works again, or this agent ends.
    mutating func withdrawn() -> Action? {
        switch state {
        case .showing(let update, _):
            state = .showing(update, isObsolete: true)
            return nil
        case .shown(_, let notification):
            state = .none
            return .withdraw(notification)
        case .none, .waiting, .failed:
            state = .none
            return nil
        }
    }

    mutating func serverAppeared(_ capabilities: Set<String>) -> Action? {
        hasMarkup = capabilities.contains("body-markup")
        return show()
    }

    mutating func serverVanished() {
        hasMarkup = nil
        if case .shown(let update, _) = state { state = .waiting(update) }
    }

    /// It is time to send the alert again that the server did not show.
    mutating func retried() -> Action? {
        if case .failed(let update) = state { state = .waiting(update) }
        return show()
    }

    /// The alert is on the screen.
    mutating func shown(as notification: UInt32) -> Action? {
        guard case .showing(let update, isObsolete: false) = state else {
            state = .none
            return .withdraw(notification)
        }
        state = .shown(update, notification)
        return nil
    }

    mutating func showingFailed() {
        if case .showing(let update, let isObsolete) = state { state = isObsolete ? .none : .failed(update) }
    }

    /// A notification was closed.
    ///
    /// - Parameter isExpired: Whether its time on the screen was over, without a user: it is shown again.
    mutating func closed(_ notification: UInt32, isExpired: Bool) {
        guard case .shown(let update, notification) = state else { return }
        state = isExpired ? .failed(update) : .none
    }

    private mutating func show() -> Action? {
        guard let hasMarkup, case .waiting(let update) = state else { return nil }
        state = .showing(update, isObsolete: false)
        return .show(update, hasMarkup: hasMarkup)
    }
}
