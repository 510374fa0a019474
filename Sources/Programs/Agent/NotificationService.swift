import FoundationEssentials
import OkaeriDBus
import OkaeriPlumbing

/// The desktop's notifications (Desktop Notifications Specification), over the session bus.
///
/// What is missing is waited for: a bus, a server that starts later or restarts.
actor NotificationService {
    /// The server's name on the bus, and that of its interface.
    private static let name = "org.freedesktop.Notifications"

    /// The reason of a notification whose time was over.
    private static let expired: UInt32 = 1

    /// The bus itself: its name, and that of its interface.
    private static let busName = "org.freedesktop.DBus"

    /// The number of events that the reader may leave unread; of more the oldest are dropped. A notification has two: a button
    /// is pressed, and it closes.
    private static let backlog = 256

    /// The events of the server, for one reader; it ends with ``run()``.
    nonisolated let events: AsyncStream<NotificationEvent>

    private let address: String?
    private let continuation: AsyncStream<NotificationEvent>.Continuation
    private var bus: Bus?

    /// The unique name of the server's owner, as far as the bus has reported it.
    private var owner: String?

    /// - Parameter address: the bus, as in `unix:path=/run/user/1000/bus`; nil for the session's.
    init(address: String? = nil) {
        (events, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.backlog))
        self.address = address
    }

    /// Follows the bus and the server until it is cancelled; to be run once.
    func run() async {
        var retry = BackOff(.seconds(1), limit: .seconds(60))
        while !Task.isCancelled {
            if let bus = try? await Bus.connect(.session, address: address) {
                retry.reset()
                await follow(bus)
            }
            guard !Task.isCancelled else { break }
            continuation.yield(.noBus)
            await retry.next().elapsed()
        }
        continuation.finish()
    }

    /// Shows a notification.
    ///
    /// - Returns: its number, which identifies it.
    func show(_ notification: DesktopNotification) async throws(BusError) -> UInt32 {
        let answer = try await call(
            "Notify",
            [
                .string("Okaeri"), .uint32(0), .string("network-wireless"), .string(notification.summary),
                .string(notification.body), .strings(notification.buttons.flatMap { [$0.key, $0.label] }),
                .properties(["category": .string("network")]),
                // Milliseconds on the screen: 0 is for ever, -1 as the server likes.
                .int32(notification.stays ? 0 : -1),
            ])
        guard case .uint32(let number)? = answer.first else { throw .unreadable }
        return number
    }

    /// Closes a notification, if it is still there.
    func close(_ notification: UInt32) async {
        _ = try? await call("CloseNotification", [.uint32(notification)])
    }

    /// Calls a method of the server.
    private func call(_ method: String, _ arguments: [DBusValue] = []) async throws(BusError) -> [DBusValue] {
        guard let bus else { throw .disconnected("no session bus is found") }
        return try await bus.call(Self.name, "/org/freedesktop/Notifications", Self.name, method, arguments)
    }

    // MARK: The bus

    /// Until the bus closes or the task is cancelled.
    private func follow(_ bus: Bus) async {
        self.bus = bus
        await withTaskCancellationHandler {
            try? await observe(bus)
        } onCancel: {
            // It ends the calls under way, too.
            Task { await bus.close() }
        }
        await ownerChanged(to: nil)
        self.bus = nil
        await bus.close()
    }

    private func observe(_ bus: Bus) async throws(BusError) {
        // One stream for all of it: a button that is pressed and the closing that follows must not overtake each other.
        let signals = try await bus.signals([
            SignalMatch(
                sender: Self.busName, interface: Self.busName, member: "NameOwnerChanged", argument0: Self.name),
            SignalMatch(sender: Self.name, interface: Self.name, member: "ActionInvoked"),
            SignalMatch(sender: Self.name, interface: Self.name, member: "NotificationClosed"),
        ])
        await withDiscardingTaskGroup { group in
            group.addTask { await bus.closed() }
            await findServer(on: bus)
            for await signal in signals { await received(signal) }
        }
    }

    /// The server that is there, or one that the bus can start; then the name's owner changes.
    private func findServer(on bus: Bus) async {
        func ask(_ method: String, _ arguments: [DBusValue]) async throws(BusError) -> [DBusValue] {
            try await bus.call(Self.busName, "/org/freedesktop/DBus", Self.busName, method, arguments)
        }
        if let owner = try? await ask("GetNameOwner", [.string(Self.name)]).first?.string {
            return await ownerChanged(to: owner)
        }
        do throws(BusError) {
            _ = try await ask("StartServiceByName", [.string(Self.name), .uint32(0)])
        } catch {
            continuation.yield(.noServer)
        }
    }

    private func received(_ signal: BusSignal) async {
        let arguments = signal.arguments
        guard arguments.count >= 2 else { return }
        switch (signal.member, arguments[0], arguments[1]) {
        case ("NameOwnerChanged", _, _):
            guard let owner = arguments.last?.string else { return }
            await ownerChanged(to: owner.isEmpty ? nil : owner)
        case ("ActionInvoked", .uint32(let notification), .string(let key)):
            continuation.yield(.actionInvoked(notification, key: key))
        case ("NotificationClosed", .uint32(let notification), .uint32(let reason)):
            continuation.yield(.closed(notification, isExpired: reason == Self.expired))
        default: break
        }
    }

    private func ownerChanged(to new: String?) async {
        guard new != owner else { return }
        if owner != nil { continuation.yield(.serverVanished) }
        owner = new
        guard let new else { return }
        // A server that does not list its capabilities can show text at least.
        let capabilities = try? await call("GetCapabilities").first?.strings
        continuation.yield(.serverAppeared(capabilities: Set(capabilities ?? []), owner: new))
    }
}

/// An event of the desktop's notification server.
enum NotificationEvent: Sendable, Equatable {
    /// There is one: its capabilities in the terms of the Desktop Notifications Specification, and its unique name on the bus.
    case serverAppeared(capabilities: Set<String>, owner: String)
    /// It is gone, and so are its notifications.
    case serverVanished
    /// There is none; one that comes later appears.
    case noServer
    /// There is no session bus to find one on; that is tried again.
    case noBus
    /// A button of one of its notifications was pressed, ours or another program's.
    case actionInvoked(UInt32, key: String)
    /// A notification was closed, by the user or a program, or because its time was over.
    case closed(UInt32, isExpired: Bool)
}

/// The content of a notification.
struct DesktopNotification: Sendable, Equatable {
    /// A button: its key, and its label.
    struct Button: Sendable, Equatable {
        let key: String
        let label: String
    }

    /// One line of plain text.
    let summary: String

    /// Text, with markup if the server takes that.
    let body: String

    var buttons: [Button] = []

    /// Whether it stays until the user closes it.
    var stays = false
}

/// The notifications that an agent has on the screen, in a file of the session, so that the next agent removes those of one that was
/// killed.
struct QuestionsOnScreen: Sendable {
    private struct Content: Codable {
        /// The unique name of the notification server: another one has other notifications.
        var server: String
        var notifications: [UInt32]
    }

    /// The number of notifications that are read.
    private static let limit = 16

    private let path: String?

    /// - Parameter directory: The directory of the user's session, `$XDG_RUNTIME_DIR`, which no other user can write; `nil` for none.
    init(directory: String?) { path = directory.map { "\($0)/okaeri-agent.json" } }

    func store(_ notifications: [UInt32], on server: String) {
        guard let path, let data = try? JSONEncoder().encode(Content(server: server, notifications: notifications))
        else {
            return
        }
        try? data.write(to: URL(filePath: path), options: .atomic)
    }

    /// Returns the notifications of an earlier agent on that server.
    func ofEarlierAgent(on server: String) -> [UInt32] {
        guard let path, let data = try? Data(contentsOf: URL(filePath: path)),
            let content = try? JSONDecoder().decode(Content.self, from: data), content.server == server
        else { return [] }
        return Array(content.notifications.prefix(Self.limit))
    }
}
