import OkaeriTestSupport
import Testing

@testable import OkaeriDBus

@Suite(.timeLimit(.minutes(5))) struct BusTests {
    private static let name = "org.freedesktop.DBus"

    /// An object that answers with what it is given, refuses, or waits.
    private static let echo = BusInterface(
        "net.okaeri.Echo",
        methods: [
            .init("Echo", takes: ["v", "ay"], returns: ["v", "ay"]) { .success($0.arguments) },
            .init("Refuse") { _ in .failure(.init("org.bluez.Error.InvalidOffset", "past the end")) },
            .init("Wait") { _ in
                await withUnsafeContinuation {
                    (_: UnsafeContinuation<Result<[DBusValue], BusInterface.Refusal>, Never>) in
                }
            },
            .init("Lie", returns: ["s"]) { _ in .success([.byte(1)]) },
        ],
        properties: [.init("Number", .uint16(42)), .init("Names", type: "as") { .strings(["a"]) }])

    private func pair() async throws -> (BusDaemon, server: Bus, client: Bus, serverName: String) {
        let daemon = try BusDaemon()
        let (server, client) = (
            try await Bus.connect(address: daemon.address), try await Bus.connect(address: daemon.address)
        )
        let reply = try await server.call(
            Self.name, "/", Self.name, "RequestName", [.string("net.okaeri"), .uint32(0)])
        #expect(reply == [.uint32(1)])
        return (daemon, server, client, "net.okaeri")
    }

    @Test func `calls, refusals and properties cross the bus`() async throws {
        let (daemon, server, client, name) = try await pair()
        let export = try await server.export(Self.echo, at: "/echo")
        let arguments: [DBusValue] = [.variant(.string("はい")), .bytes([1, 2])]
        #expect(try await client.call(name, "/echo", "net.okaeri.Echo", "Echo", arguments) == arguments)
        await #expect(throws: BusError.refused(name: "org.bluez.Error.InvalidOffset", message: "past the end")) {
            try await client.call(name, "/echo", "net.okaeri.Echo", "Refuse")
        }
        let all = try await client.call(
            name, "/echo", "org.freedesktop.DBus.Properties", "GetAll", [.string("net.okaeri.Echo")])
        #expect(all.first?.properties == ["Number": .uint16(42), "Names": .strings(["a"])])
        // An answer of another type than was announced is an error and no crash.
        let refusal = BusError.refused(
            name: "org.freedesktop.DBus.Error.Failed", message: "the answer cannot be sent")
        await #expect(throws: refusal) { try await client.call(name, "/echo", "net.okaeri.Echo", "Lie") }
        withExtendedLifetime((daemon, export)) {}
    }

    @Test func `calls that wait are bounded, and further ones are refused`() async throws {
        let (daemon, server, client, name) = try await pair()
        let export = try await server.export(Self.echo, at: "/echo")
        await withTaskGroup(of: BusError?.self) { group in
            for _ in 0..<80 {
                group.addTask {
                    do throws(BusError) {
                        _ = try await client.call(name, "/echo", "net.okaeri.Echo", "Wait")
                        return nil
                    } catch {
                        return error
                    }
                }
            }
            let refusal = BusError.refused(
                name: "org.freedesktop.DBus.Error.LimitsExceeded", message: "too many calls wait")
            #expect(await group.next() == refusal)
            await client.close()
        }
        withExtendedLifetime((daemon, export)) {}
    }

    @Test func `what is withdrawn is there no more`() async throws {
        let (daemon, server, client, name) = try await pair()
        do {
            let export = try await server.export(Self.echo, at: "/echo")
            await #expect(throws: BusError.self) { try await server.export(Self.echo, at: "/echo") }
            withExtendedLifetime(export) {}
        }
        await #expect(throws: BusError.self) {
            try await client.call(name, "/echo", "net.okaeri.Echo", "Echo", [.variant(.byte(1)), .bytes([])])
        }
        let again = try await server.export(Self.echo, at: "/echo")
        _ = try await client.call(name, "/echo", "net.okaeri.Echo", "Echo", [.variant(.byte(1)), .bytes([])])
        withExtendedLifetime((daemon, again)) {}
    }

    @Test func `signals are heard in their order, and end with the bus`() async throws {
        let (daemon, server, client, _) = try await pair()
        let heard = try await client.signals([
            SignalMatch(sender: "net.okaeri", interface: "net.okaeri.Echo", path: "/echo")
        ])
        for number in 0..<3 { try await server.emit("net.okaeri.Echo", "Told", at: "/echo", [.byte(UInt8(number))]) }
        try await server.emit("net.okaeri.Other", "Told", at: "/echo", [])
        try await server.changed(["Number": .uint16(43)], of: "net.okaeri.Echo", at: "/echo")
        var numbers: [DBusValue] = []
        for await signal in heard {
            #expect((signal.member, signal.path) == ("Told", "/echo"))
            numbers += signal.arguments
            if numbers.count == 3 { break }
        }
        #expect(numbers == [.byte(0), .byte(1), .byte(2)])

        let changes = try await client.signals([SignalMatch(interface: "org.freedesktop.DBus.Properties")])
        try await server.changed(["Number": .uint16(44)], of: "net.okaeri.Echo", at: "/echo")
        var iterator = changes.makeAsyncIterator()
        let change = await iterator.next()
        #expect(change?.arguments == [.string("net.okaeri.Echo"), .properties(["Number": .uint16(44)]), .strings([])])
        daemon.kill()
        await client.closed()
        #expect(await iterator.next() == nil)
    }

    @Test func `a missing owner, a missing answer and a missing bus are distinguished`() async throws {
        let (daemon, server, client, name) = try await pair()
        await #expect(throws: BusError.noOwner) { try await client.call("net.noOwner", "/", "net.a", "B") }
        let export = try await server.export(Self.echo, at: "/echo")
        await #expect(throws: BusError.timedOut) {
            try await client.call(name, "/echo", "net.okaeri.Echo", "Wait", within: .seconds(1))
        }
        await #expect(throws: BusError.unreadable) { try await client.call(name, "no path", "net.a", "B") }
        daemon.kill()
        await client.closed()
        await #expect(throws: BusError.disconnected("the connection is closed")) {
            try await client.call(name, "/echo", "net.okaeri.Echo", "Wait")
        }
        await #expect(throws: BusError.self) { try await Bus.connect(address: daemon.address) }
        withExtendedLifetime(export) {}
    }

    @Test func `closing ends what waits`() async throws {
        let (daemon, server, client, name) = try await pair()
        let export = try await server.export(Self.echo, at: "/echo")
        let waiting = Task { try await client.call(name, "/echo", "net.okaeri.Echo", "Wait") }
        let heard = try await client.signals([SignalMatch(member: "Told")])
        await client.close()
        await #expect(throws: BusError.self) { try await waiting.value }
        for await _ in heard { Issue.record("a signal, though none was sent") }
        await client.close()
        withExtendedLifetime((daemon, export)) {}
    }
}
