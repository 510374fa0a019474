import CGIO
import GLib

/// All that touches the session bus, on the thread that iterates the context.
actor NotificationSession: GLibActor {
    typealias Failure = NotificationFailure

    /// org.freedesktop.Notifications: the server's name, and its interface.
    static let name = "org.freedesktop.Notifications"

    /// For a bus or a server that does not answer. Starting one takes a while.
    static let limit = Duration.seconds(25)

    /// Between two attempts to reach the bus, doubled up to the longest.
    private static let firstRetry = Duration.seconds(1)
    private static let longestRetry = Duration.seconds(60)

    /// For the bus to be closed.
    private static let closeLimit = Duration.seconds(1)

    let context: GLibContext
    let changes = Changes()
    var cancellables: [UInt64: GObjectReference] = [:]

    private let address: String?
    let gate: Gate
    private let inbox: SignalInbox
    private let news: AsyncStream<NotificationNews>.Continuation
    var bus: GObjectReference?

    /// Who has the server's name, as far as was told.
    private var owner: String?

    init(
        context: GLibContext, address: String?, gate: Gate, news: AsyncStream<NotificationNews>.Continuation
    ) {
        self.context = context
        self.address = address
        self.gate = gate
        self.news = news
        inbox = SignalInbox(changes: changes)
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { context.asUnownedSerialExecutor() }

    /// Follows the server, as long as the agent runs.
    func supervise() async {
        var retry = Self.firstRetry
        while !gate.isClosed {
            if await open() {
                retry = Self.firstRetry
                await observe()
            }
            await close()
            guard !gate.isClosed else { break }
            news.yield(.noBus)
            await wait(until: .now + retry) { gate.isClosed }
            retry = min(retry * 2, Self.longestRetry)
        }
        news.finish()
    }

    /// Shows a notification; its number says which it is.
    func show(_ notification: DesktopNotification) async -> Result<UInt32, NotificationFailure> {
        await invoke(
            "Notify", reply: "(u)",
            {
                let actions = okaeri_actions_new()
                for button in notification.buttons { okaeri_actions_add(actions, button.key, button.label) }
                return okaeri_notify_arguments(
                    notification.summary, notification.body, actions, notification.stays ? 0 : -1)
            }, read: { $0.number(at: 0) })
    }

    /// Closes a notification, if it is still there.
    func close(_ notification: UInt32) async {
        _ = await invoke(
            "CloseNotification", reply: "()", { okaeri_close_arguments(notification) }, read: { _ in true })
    }

    /// Ends everything that waits.
    func stop() {
        changes.ring()
        cancelCalls()
    }

    private func open() async -> Bool {
        guard let address = address ?? sessionBusAddress() else { return false }
        let connection = await call(within: Self.limit) { cancellable, callback, data in
            okaeri_bus_connect_async(address, cancellable, callback, data)
        } finish: { _, result, error in
            GObjectReference(taking: g_dbus_connection_new_for_address_finish(result, error))
        }
        guard case .success(let connection) = connection else { return false }
        bus = connection
        return !gate.isClosed
    }

    private func sessionBusAddress() -> String? {
        guard let address = g_dbus_address_get_for_bus_sync(G_BUS_TYPE_SESSION, nil, nil) else { return nil }
        defer { g_free(address) }
        return String(cString: address)
    }

    /// Until the bus closes or the agent stops.
    private func observe() async {
        guard let bus else { return }
        let closing = SignalHandler.notify(bus, changes)
        let subscriptions = [
            SignalSubscription(
                bus, sender: "org.freedesktop.DBus", interface: "org.freedesktop.DBus", signal: "NameOwnerChanged",
                argument: Self.name, into: inbox),
            SignalSubscription(
                bus, sender: Self.name, interface: Self.name, signal: "ActionInvoked", into: inbox),
            SignalSubscription(
                bus, sender: Self.name, interface: Self.name, signal: "NotificationClosed", into: inbox),
        ]
        defer { withExtendedLifetime((closing, subscriptions)) {} }
        await findServer()
        while !gate.isClosed, g_dbus_connection_is_closed(bus.pointer) == 0 {
            let seen = changes.count
            for signal in inbox.take() { await received(signal) }
            await change(past: seen, until: nil)
        }
    }

    /// The server that is there, or one that the bus can start; then it announces itself.
    private func findServer() async {
        let owner = await ask("GetNameOwner", reply: "(s)", { okaeri_string_arguments(Self.name) }) { $0.string(at: 0) }
        if case .success(let owner) = owner { return await ownerChanged(to: owner) }
        let started = await ask("StartServiceByName", reply: "(u)", { okaeri_start_arguments(Self.name) }) { _ in true }
        if case .failure = started { news.yield(.noServer) }
    }

    private func received(_ signal: SignalInbox.Signal) async {
        switch signal {
        case .ownerChanged(let owner): await ownerChanged(to: owner)
        case .actionInvoked(let notification, let key): news.yield(.actionInvoked(notification, key: key))
        case .closed(let notification): news.yield(.closed(notification))
        }
    }

    private func ownerChanged(to new: String?) async {
        guard new != owner else { return }
        if owner != nil { news.yield(.serverVanished) }
        owner = new
        guard new != nil else { return }
        let capabilities = await invoke("GetCapabilities", reply: "(as)", { nil }, read: { $0.strings(at: 0) })
        // A server that does not say what it can do can show text at least.
        let known = (try? capabilities.get()) ?? []
        news.yield(.serverAppeared(capabilities: Set(known)))
    }

    private func close() async {
        if owner != nil { news.yield(.serverVanished) }
        owner = nil
        _ = inbox.take()
        guard let bus else { return }
        self.bus = nil
        _ = await call(within: Self.closeLimit, endsWithService: false) { cancellable, callback, data in
            g_dbus_connection_close(bus.pointer, cancellable, callback, data)
        } finish: { source, result, error in
            g_dbus_connection_close_finish(source, result, error) != 0 ? true : nil
        }
    }
}
