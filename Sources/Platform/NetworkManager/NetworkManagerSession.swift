import COkaeriGIO
import COkaeriNetworkManager
import OkaeriDBus
import OkaeriPlumbing
import OkaeriWiFi

/// All that touches libnm: one client at a time, on the thread that iterates the context.
actor NetworkManagerSession: GLibActor {
    typealias Failure = CallFailure

    /// For a bus or a NetworkManager that does not answer.
    static let connectLimit = Duration.seconds(10)

    /// Between two attempts to reach the bus, doubled up to the longest.
    static let firstRetry = Duration.seconds(1)
    static let longestRetry = Duration.seconds(30)

    /// For the client, and then the bus, to let go of the context.
    private static let releaseLimit = Duration.seconds(2)

    let context: GLibContext
    let address: String?
    let limits: NetworkManagerService.Limits
    let gate: Gate
    let changes: Changes
    let broadcast: Broadcast<WiFiState>

    var client: GObjectReference?

    /// Whether the first attempt to reach NetworkManager is over.
    var isStarted = false

    /// Whether a join runs: one at a time.
    var isActing = false

    /// The passphrase that was typed for the network that is saved at the moment.
    var typed: (name: SSID, passphrase: TypedPassphrase)?

    /// The names that came in sight through a scan directed at them, and so may be hidden.
    var foundByDirectedScan: Set<[UInt8]> = []

    /// The names that were asked about. The signals of their access points are part of the published state.
    var observed: Set<[UInt8]> = []

    /// New profiles that failed, by UUID, until they are deleted.
    var failedProfiles: Set<String> = []

    /// The objects that cancel the calls under way.
    var cancellables: [UInt64: GObjectReference] = [:]

    var bus: GObjectReference?
    private var handlers: [SignalHandler] = []
    /// Those of the Wi-Fi devices, and of the access points with names that were asked about.
    private var deviceHandlers: [OpaquePointer: SignalHandler] = [:]

    init(
        context: GLibContext, address: String?, limits: NetworkManagerService.Limits, gate: Gate, changes: Changes,
        broadcast: Broadcast<WiFiState>
    ) {
        self.context = context
        self.address = address
        self.limits = limits
        self.gate = gate
        self.changes = changes
        self.broadcast = broadcast
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { context.asUnownedSerialExecutor() }

    /// Keeps a client as long as the service runs, and publishes what it knows.
    func supervise() async {
        var retry = BackOff(Self.firstRetry, limit: Self.longestRetry)
        while !gate.isClosed {
            if await open() {
                retry.reset()
                await observe()
            }
            // What a join leaves behind is cleaned up with the client it was made with.
            if gate.isClosed { await drain() }
            await close()
            broadcast.send(WiFiState())
            markStarted()
            await wait(until: .now + retry.next()) { gate.isClosed }
        }
        await drain()
    }

    /// Waits until no caller waits for an answer any more. All of them have limits of their own.
    private func drain() async {
        while true {
            let seen = changes.count
            if gate.isEmpty { return }
            await change(past: seen, until: nil)
        }
    }

    private func open() async -> Bool {
        guard let address = address ?? Bus.Kind.system.address else { return false }
        let connection = await call(within: Self.connectLimit) { cancellable, callback, data in
            okaeri_bus_connect_async(address, cancellable, callback, data)
        } finish: { _, result, error in
            GObjectReference(taking: g_dbus_connection_new_for_address_finish(result, error))
        }
        guard case .success(let connection) = connection else { return false }
        bus = connection
        guard !gate.isClosed else { return false }
        let client = await call(within: Self.connectLimit) { cancellable, callback, data in
            okaeri_client_new_async(connection.pointer, cancellable, callback, data)
        } finish: { source, result, error in
            GObjectReference(taking: okaeri_client_new_finish(source.map { gpointer($0) }, result, error))
        }
        guard case .success(let client) = client else { return false }
        self.client = client
        handlers = [.notify(connection, changes), .notify(client, changes), .permission(client, changes)]
        return true
    }

    /// Until the bus closes or the service stops.
    private func observe() async {
        while !gate.isClosed, let bus, g_dbus_connection_is_closed(bus.pointer) == 0 {
            let seen = changes.count
            watchDevices()
            broadcast.send(currentState())
            markStarted()
            await deleteFailedProfiles()
            await change(past: seen, until: nil)
        }
    }

    /// Lets go of the client, and waits until it has let go of the context.
    private func close() async {
        deviceHandlers = [:]
        handlers = []
        if let watcher = client.flatMap({ nm_client_get_context_busy_watcher($0.pointer) }) {
            let released = Flag()
            ReleaseWatch(flag: released, changes: changes).observe(watcher)
            client = nil
            await wait(until: .now + Self.releaseLimit) { released.isSet }
        }
        if let bus {
            self.bus = nil
            _ = await call(within: Self.releaseLimit, endsWithService: false) { cancellable, callback, data in
                g_dbus_connection_close(bus.pointer, cancellable, callback, data)
            } finish: { source, result, error in
                g_dbus_connection_close_finish(source, result, error) != 0 ? true : nil
            }
        }
    }

    /// Observes every change of the Wi-Fi devices and of the access points that matter, and releases those that are gone.
    private func watchDevices() {
        let devices = wifiDevices()
        let all = Set(devices + devices.flatMap(observedAccessPoints))
        for object in all where deviceHandlers[object] == nil {
            deviceHandlers[object] = .notify(GObjectReference(sharing: object), changes)
        }
        for object in deviceHandlers.keys where !all.contains(object) {
            deviceHandlers[object] = nil
        }
    }

    /// From now on callers receive an answer.
    private func markStarted() {
        guard !isStarted else { return }
        isStarted = true
        changes.notify()
    }
}

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
