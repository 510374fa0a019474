import OkaeriDBus

/// A notification server that numbers what it is to show from 1, and answers nothing when it is mute. The first calls fail if
/// the test sets that.
struct NotificationServer {
    static let name = "org.freedesktop.Notifications"
    static let path = "/org/freedesktop/Notifications"

    let bus: Bus

    /// The notifications that it is asked to show, in order.
    let shown: AsyncStream<[DBusValue]>

    /// The notifications that it is asked to close, in order.
    let closed: AsyncStream<UInt32>

    private let export: BusExport

    init(
        on address: String, capabilities: [String] = ["actions"], isMute: Bool = false, failures: Int = 0
    ) async throws {
        let (shown, continuation) = AsyncStream.makeStream(of: [DBusValue].self)
        self.shown = shown
        let (closed, closing) = AsyncStream.makeStream(of: UInt32.self)
        self.closed = closed
        let counter = Counter()
        let notify = BusInterface.Method(
            "Notify", takes: ["s", "u", "s", "s", "s", "as", "a{sv}", "i"], returns: ["u"]
        ) { call in
            continuation.yield(call.arguments)
            guard !isMute else { return await withUnsafeContinuation { _ in } }
            let number = await counter.next()
            guard number > failures else { return .failure(.init("org.freedesktop.DBus.Error.Failed", "not yet")) }
            return .success([.uint32(number)])
        }
        let interface = BusInterface(
            Self.name,
            methods: [
                notify,
                .init("CloseNotification", takes: ["u"], returns: []) { call in
                    if case .uint32(let number)? = call.arguments.first { closing.yield(number) }
                    return .success([])
                },
                .init("GetCapabilities", returns: ["as"]) { _ in .success([.strings(capabilities)]) },
            ])
        bus = try await Bus.connect(address: address)
        export = try await bus.export(interface, at: Self.path)
        _ = try await bus.call(
            "org.freedesktop.DBus", "/", "org.freedesktop.DBus", "RequestName", [.string(Self.name), .uint32(0)])
    }

    /// The name of its connection.
    var uniqueName: String {
        get async throws {
            let answer = try await bus.call(
                "org.freedesktop.DBus", "/", "org.freedesktop.DBus", "GetNameOwner", [.string(Self.name)])
            return answer.first?.string ?? ""
        }
    }

    /// Sends one of its signals.
    func emit(_ member: String, _ arguments: DBusValue...) async throws {
        try await bus.emit(Self.name, member, at: Self.path, arguments)
    }

    private actor Counter {
        private var count: UInt32 = 0

        func next() -> UInt32 {
            count += 1
            return count
        }
    }
}
