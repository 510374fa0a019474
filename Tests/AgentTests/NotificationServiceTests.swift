import Foundation
import OkaeriDBus
import OkaeriTestSupport
import Testing

@testable import OkaeriAgent

@Suite(.timeLimit(.minutes(5))) struct NotificationServiceTests {
    private static let question = DesktopNotification(
        summary: "Welcome home", body: "Join?", buttons: [.init(key: "join", label: "Join")], stays: true)

    /// Runs a service on a bus, and hands over what it receives.
    private func withService(
        _ address: String,
        _ body: (NotificationService, inout AsyncStream<NotificationEvent>.Iterator) async throws -> Void
    ) async throws {
        let service = NotificationService(address: address)
        let task = Task { await service.run() }
        defer { task.cancel() }
        var events = service.events.makeAsyncIterator()
        try await body(service, &events)
    }

    @Test func `a server is awaited, followed over its restarts, and does as it is asked`() async throws {
        let bench = try await DesktopBench()
        try await withService(bench.address) { service, events in
            #expect(await events.next() == .noServer)
            for _ in 0..<2 {
                let server = try await NotificationServer(on: bench.address, capabilities: ["actions", "body"])
                #expect(
                    await events.next()
                        == .serverAppeared(capabilities: ["actions", "body"], owner: try await server.uniqueName))
                #expect(try await service.show(Self.question) == 1)
                var shown = server.shown.makeAsyncIterator()
                let expected: [DBusValue] = [
                    .string("Okaeri"), .uint32(0), .string("network-wireless"), .string("Welcome home"),
                    .string("Join?"), .strings(["join", "Join"]), .properties(["category": .string("network")]),
                    .int32(0),
                ]
                #expect(await shown.next() == expected)
                #expect(try await service.show(DesktopNotification(summary: "Wi-Fi", body: "")) == 2)
                #expect(await shown.next()?.suffix(3) == [.strings([]), expected[6], .int32(-1)])
                await server.bus.close()
                #expect(await events.next() == .serverVanished)
                await #expect(throws: BusError.noOwner) { try await service.show(Self.question) }
            }
        }
    }

    @Test func `what is pressed and what is closed is heard in its order, of the server alone`() async throws {
        let bench = try await DesktopBench()
        let server = try await NotificationServer(on: bench.address)
        let stranger = try await Bus.connect(address: bench.address)
        try await withService(bench.address) { _, events in
            #expect(
                await events.next() == .serverAppeared(capabilities: ["actions"], owner: try await server.uniqueName))
            for (member, last) in [("ActionInvoked", DBusValue.string("join")), ("NotificationClosed", .uint32(2))] {
                try await stranger.emit(
                    NotificationServer.name, member, at: NotificationServer.path, [.uint32(1), last])
            }
            // With the answer the bus has passed on what the stranger has sent before.
            _ = try await stranger.call("org.freedesktop.DBus", "/", "org.freedesktop.DBus", "GetId")
            try await server.emit("ActionInvoked")
            try await server.emit("ActionInvoked", .string("1"), .string("join"))
            try await server.emit("ActionInvoked", .uint32(1), .uint32(1))
            try await server.emit("NotificationClosed", .uint32(1))
            for number in UInt32(2)..<52 {
                try await server.emit("ActionInvoked", .uint32(number), .string("join"))
                try await server.emit("NotificationClosed", .uint32(number), .uint32(2))
            }
            for number in UInt32(2)..<52 {
                #expect(await events.next() == .actionInvoked(number, key: "join"))
                #expect(await events.next() == .closed(number, isExpired: false))
            }
        }
    }

    @Test func `a bus that is not there is tried again, and so is one that went`() async throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/bus"
        try await withService("unix:path=\(path)") { service, events in
            for _ in 0..<2 {
                #expect(await events.next() == .noBus)
                await #expect(throws: BusError.self) { try await service.show(Self.question) }
                let daemon = try BusDaemon(at: path)
                let server = try await NotificationServer(on: daemon.address)
                while let event = await events.next() { if case .serverAppeared = event { break } }
                daemon.kill()
                #expect(await events.next() == .serverVanished)
                withExtendedLifetime(server) {}
            }
        }
    }

    @Test func `the stop ends a wait for a server that does not answer`() async throws {
        let bench = try await DesktopBench()
        let server = try await NotificationServer(on: bench.address, isMute: true)
        let service = NotificationService(address: bench.address)
        let task = Task { await service.run() }
        var events = service.events.makeAsyncIterator()
        #expect(await events.next() == .serverAppeared(capabilities: ["actions"], owner: try await server.uniqueName))
        let showing = Task { try await service.show(Self.question) }
        var shown = server.shown.makeAsyncIterator()
        _ = await shown.next()
        task.cancel()
        await #expect(throws: BusError.cancelled) { try await showing.value }
        await task.value
        #expect(await events.next() == .serverVanished)
        #expect(await events.next() == nil)
    }
}
