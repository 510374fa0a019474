import OkaeriDBus
import OkaeriTestSupport
import Synchronization

/// Avahi's interface on a bus, with a network in which other machines have some names.
final class FakeAvahi: Sendable {
    struct Service: Equatable {
        var name, type: String
        var port: UInt16
        var texts: [String]
    }

    private static let name = "org.freedesktop.Avahi"
    private static let group = "org.freedesktop.Avahi.EntryGroup"

    /// The committed services, by the path of their group.
    let published = Watched<[String: [Service]]>([:])
    /// The names for which a proposal was asked.
    let asked = Mutex<[String]>([])
    private let added = Mutex<[String: [Service]]>([:])
    private let exports = Mutex<[BusExport]>([])
    private let bus: Bus
    /// The names of this machine's other services, and those that only the network has.
    private let (local, remote): (Set<String>, Set<String>)
    /// The number of calls that end as one without an answer does.
    private let timeouts: Mutex<Int>
    private let propose: @Sendable (String) -> String

    init(
        _ address: String, local: Set<String> = [], remote: Set<String> = [], timeouts: Int = 0,
        propose: @escaping @Sendable (String) -> String = { "\($0) #2" }
    ) async throws {
        bus = try await Bus.connect(address: address)
        (self.local, self.remote, self.propose) = (local, remote, propose)
        self.timeouts = Mutex(timeouts)
        let server = BusInterface(
            "org.freedesktop.Avahi.Server",
            methods: [
                .init("GetState", returns: ["i"]) { _ in .success([.int32(2)]) },
                .init("GetAlternativeServiceName", takes: ["s"], returns: ["s"]) { [self] call in
                    let name = call.arguments.first?.string ?? ""
                    asked.withLock { $0.append(name) }
                    return .success([.string(propose(name))])
                },
                .init("EntryGroupNew", returns: ["o"]) { [self] call in
                    guard !isTimedOut else {
                        return .failure(.init("org.freedesktop.DBus.Error.TimedOut", "no answer"))
                    }
                    return .success([.objectPath(await newGroup(of: call.sender))])
                },
            ])
        let export = try await bus.export(server, at: "/")
        exports.withLock { $0.append(export) }
        _ = try await bus.call(
            "org.freedesktop.DBus", "/", "org.freedesktop.DBus", "RequestName", [.string(Self.name), .uint32(0)])
    }

    /// The only services of the network.
    var services: [Service]? { published.value.values.first }

    func end() async { await bus.close() }

    private var isTimedOut: Bool {
        timeouts.withLock { left in
            defer { left = max(0, left - 1) }
            return left > 0
        }
    }

    private func newGroup(of sender: String) async -> String {
        let path = "/group/\(exports.withLock(\.count))"
        let interface = BusInterface(
            Self.group,
            methods: [
                .init("AddService", takes: ["i", "i", "u", "s", "s", "s", "s", "q", "aay"]) { [self] call in
                    add(call.arguments, to: path)
                },
                .init("Commit") { [self] _ in
                    await commit(path)
                    return .success([])
                },
                .init("Free") { [self] _ in
                    published.change { $0[path] = nil }
                    return .success([])
                },
            ])
        if let export = try? await bus.export(interface, at: path) { exports.withLock { $0.append(export) } }
        await withdraw(path, whenGone: sender)
        return path
    }

    /// Avahi frees what a client leaves when it closes its connection.
    private func withdraw(_ path: String, whenGone client: String) async {
        let signals = try? await bus.signals([
            SignalMatch(sender: "org.freedesktop.DBus", member: "NameOwnerChanged", argument0: client)
        ])
        guard let signals else { return }
        Task { [published] in
            for await _ in signals { published.change { $0[path] = nil } }
        }
    }

    private func add(_ arguments: [DBusValue], to path: String) -> Result<[DBusValue], BusInterface.Refusal> {
        guard let name = arguments[3].string, let type = arguments[4].string, case .uint16(let port) = arguments[7]
        else { return .failure(.init("org.freedesktop.Avahi.InvalidServiceNameError", "no name")) }
        if local.contains(name) {
            return .failure(.init("org.freedesktop.Avahi.CollisionError", "Local name collision"))
        }
        let texts = (arguments[8].array ?? []).map { String(decoding: $0.bytes ?? [], as: UTF8.self) }
        added.withLock { $0[path, default: []].append(Service(name: name, type: type, port: port, texts: texts)) }
        return .success([])
    }

    private func commit(_ path: String) async {
        let services = added.withLock { $0[path] ?? [] }
        let isTaken = services.contains { remote.contains($0.name) }
        if !isTaken { published.change { $0[path] = services } }
        for state in [1, isTaken ? 3 : 2] as [Int32] {
            try? await bus.emit(Self.group, "StateChanged", at: path, [.int32(state), .string("")])
        }
    }
}
