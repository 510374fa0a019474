import Foundation
import OkaeriDBus
import OkaeriTestSupport
import Testing

/// The example of a peripheral, Examples/ServeValues, with a simulated bluetoothd on a bus of the test's own.
@Suite(.blocks, .timeLimit(.minutes(5))) struct ServeValuesTests {
    private func uuid(_ number: Int) -> String { "5a1b000\(number)-9c3e-4f60-8d27-41e6b0c57f39" }

    private func refused(_ name: String, _ message: String) -> BusError {
        .refused(name: "org.bluez.Error.\(name)", message: message)
    }

    @Test func `the example serves its four values, and advertises them`() async throws {
        let daemon = try BusDaemon()
        let bluetoothd = try await Bluetoothd(daemon.address)
        let (example, terminal) = (try Binary("ServeValues"), try Pseudoterminal())
        let process = try example.start(
            [], on: terminal, environment: ["DBUS_SYSTEM_BUS_ADDRESS": daemon.address])
        defer { process.killAndWait() }
        try await bluetoothd.registrations.wait(until: "the values are served and advertised") {
            $0.applications.count == 1 && $0.advertisements.count == 1
        }
        let advertisement = await bluetoothd.advertisements[0].1
        #expect(advertisement["LocalName"] == .string("Values"))
        #expect(advertisement["ServiceUUIDs"] == .strings([uuid(1)]))

        let name = "00002a24-0000-1000-8000-00805f9b34fb"
        #expect(try await bluetoothd.read(name) == Array("okaeri".utf8))

        try await bluetoothd.write([2], to: uuid(2))
        await #expect(throws: refused("InvalidValueLength", "the interval is one byte")) {
            try await bluetoothd.write([1, 2], to: uuid(2))
        }
        await #expect(throws: refused("Failed", "0x80")) { try await bluetoothd.write([0], to: uuid(2)) }
        try await bluetoothd.write([1], to: uuid(2))

        var seconds = try await bluetoothd.notifications(of: uuid(3)).makeAsyncIterator()
        try await bluetoothd.subscribe(to: uuid(3))
        #expect(await seconds.next()?.arguments[1].properties?["Value"]?.bytes?.count == 1)
        let description = "00002901-0000-1000-8000-00805f9b34fb"
        #expect(try await bluetoothd.read(description) == Array("the number of seconds since the start".utf8))

        let path = try #require(await bluetoothd.path(of: uuid(4)))
        let flags = bluetoothd.registrations.value.properties("org.bluez.GattCharacteristic1", at: path)?["Flags"]
        #expect(flags == .strings(["indicate", "encrypt-indicate"]))
    }

    @Test func `without Bluetooth the example ends with the reason and the remedy`() throws {
        let outcome = try Binary("ServeValues").run(
            [], environment: ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent"])
        #expect(outcome.status == EX_UNAVAILABLE)
        #expect(outcome.errors.contains("the system bus cannot be reached"))
        #expect(outcome.errors.contains("systemctl status dbus"))
        #expect(outcome.output.isEmpty)
    }
}
