import OkaeriTestSupport
import Testing

@testable import OkaeriDBus

@Suite(.timeLimit(.minutes(5))) struct SignalMatchTests {
    private static let bus = "org.freedesktop.DBus"

    private func pair() async throws -> (BusDaemon, server: Bus, client: Bus) {
        let daemon = try BusDaemon()
        return (daemon, try await Bus.connect(address: daemon.address), try await Bus.connect(address: daemon.address))
    }

    @Test func `only the name that was asked for is heard`() async throws {
        let (daemon, server, client) = try await pair()
        let heard = try await client.signals([
            SignalMatch(
                sender: Self.bus, interface: Self.bus, member: "NameOwnerChanged", argument0: "net.okaeri.Wanted")
        ])
        for name in ["net.okaeri.Other", "net.okaeri.Wanted", "net.okaeri.WantedToo"] {
            _ = try await server.call(Self.bus, "/", Self.bus, "RequestName", [.string(name), .uint32(0)])
        }
        for name in ["net.okaeri.Other", "net.okaeri.Wanted"] {
            _ = try await server.call(Self.bus, "/", Self.bus, "ReleaseName", [.string(name)])
        }
        var changes = heard.makeAsyncIterator()
        let gained = await changes.next()?.arguments.map(\.string)
        let lost = await changes.next()?.arguments.map(\.string)
        #expect(gained?.first == "net.okaeri.Wanted" && gained?[1] == "")
        #expect(lost?.first == "net.okaeri.Wanted" && lost?.last == "" && lost?[1] == gained?.last)
        await client.close()
        #expect(await changes.next() == nil)
        withExtendedLifetime(daemon) {}
    }

    @Test func `the signals of several matches are heard in one order`() async throws {
        let (daemon, server, client) = try await pair()
        let members = ["Pressed", "Closed", "Moved"]
        let heard = try await client.signals(
            members.map { SignalMatch(interface: "net.okaeri.\($0)", member: $0, path: "/a") })
        var sent: [DBusValue] = []
        for number in 0..<UInt32(100) {
            let member = members[Int(number * 7 % 3)]
            try await server.emit("net.okaeri.\(member)", member, at: "/a", [.uint32(number)])
            try await server.emit("net.okaeri.\(member)", "Another", at: "/a", [.uint32(number)])
            sent.append(.uint32(number))
        }
        var numbers: [DBusValue] = []
        for await signal in heard {
            numbers += signal.arguments
            if numbers.count == sent.count { break }
        }
        #expect(numbers == sent)
        withExtendedLifetime(daemon) {}
    }

    @Test(arguments: [
        SignalMatch(sender: "no name"), SignalMatch(interface: "no"), SignalMatch(member: "no.member"),
        SignalMatch(path: "no path"), SignalMatch(argument0: "it's"),
    ])
    func `what no bus takes is refused`(match: SignalMatch) async throws {
        let (daemon, _, client) = try await pair()
        await #expect(throws: BusError.unreadable) { try await client.signals([SignalMatch(sender: Self.bus), match]) }
        withExtendedLifetime(daemon) {}
    }

    @Test func `a signal to one receiver reaches no other`() async throws {
        let (daemon, server, client) = try await pair()
        let stranger = try await Bus.connect(address: daemon.address)
        _ = try await client.call(
            Self.bus, "/", Self.bus, "RequestName", [.string("net.okaeri.Client"), .uint32(0)])
        let match = SignalMatch(interface: "org.freedesktop.DBus.Properties")
        var heard = try await client.signals([match]).makeAsyncIterator()
        var overheard = try await stranger.signals([match]).makeAsyncIterator()
        try await server.changed(["Secret": .byte(1)], of: "net.okaeri.A", at: "/a", to: "net.okaeri.Client")
        try await server.changed(["Public": .byte(2)], of: "net.okaeri.A", at: "/a")
        #expect(await heard.next()?.arguments[1].properties == ["Secret": .byte(1)])
        #expect(await heard.next()?.arguments[1].properties == ["Public": .byte(2)])
        #expect(await overheard.next()?.arguments[1].properties == ["Public": .byte(2)])
        await #expect(throws: BusError.unreadable) {
            try await server.changed([:], of: "net.okaeri.A", at: "/a", to: "no name")
        }
        withExtendedLifetime(daemon) {}
    }
}
