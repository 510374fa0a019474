import Foundation
import OkaeriTestSupport
import Testing

@testable import OkaeriDBus

@Suite(.timeLimit(.minutes(5))) struct ConnectingTests {
    /// In a process of its own: the environment must not be changed beside other readers.
    @Test func `the environment has the addresses of the buses`() async {
        await #expect(processExitsWith: .success) {
            for name in ["DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "DISPLAY"] { unsetenv(name) }
            setenv("HOME", "/nowhere", 1)
            await #expect(throws: BusError.disconnected("the environment names no session bus")) {
                try await Bus.connect(.session)
            }
            let (system, session) = (try BusDaemon(), try BusDaemon())
            setenv("DBUS_SYSTEM_BUS_ADDRESS", system.address, 1)
            setenv("DBUS_SESSION_BUS_ADDRESS", session.address, 1)
            func id(of bus: Bus) async throws -> [DBusValue] {
                try await bus.call("org.freedesktop.DBus", "/", "org.freedesktop.DBus", "GetId")
            }
            let ids = (
                system: try await id(of: .connect(address: system.address)),
                session: try await id(of: .connect(address: session.address))
            )
            #expect(ids.system != ids.session)
            #expect(try await id(of: .connect()) == ids.system)
            #expect(try await id(of: .connect(.session)) == ids.session)
            // An address goes first.
            #expect(try await id(of: .connect(.session, address: system.address)) == ids.system)
            withExtendedLifetime((system, session)) {}
        }
    }

    @Test func `a caller that stops waiting for a silent bus returns at once`() async throws {
        let silent = try #require(SilentBus())
        let connecting = Task { try await Bus.connect(address: silent.address) }
        let connection = await silent.accept()
        let cancelled = ContinuousClock.now
        connecting.cancel()
        await #expect(throws: BusError.cancelled) { try await connecting.value }
        #expect(.now - cancelled < .seconds(20))
        close(connection)
    }

    @Test func `a caller that has stopped waiting before is not connected`() async throws {
        let daemon = try BusDaemon()
        let (starts, start) = AsyncStream.makeStream(of: Void.self)
        let connecting = Task {
            for await _ in starts {}
            return try await Bus.connect(address: daemon.address)
        }
        connecting.cancel()
        start.finish()
        await #expect(throws: BusError.self) { try await connecting.value }
    }
}
