import BlueZ
import OkaeriTestSupport
import Testing

extension OnTheBus {
    /// Reading, writing and subscribing, against a simulated bluetoothd.
    @Suite struct ValueTests: Sendable {
        private let bench: BlueZBench

        private let address = Lamp.address
        private let service = Lamp.battery
        private let level = Lamp.level
        private let alert = Lamp.alert

        init() async throws {
            bench = try await BlueZBench()
            try bench.start()
            try bench.lamp()
        }

        private func connected(_ body: (Peripheral) async throws -> Void) async throws {
            try await withCentralManager(bus: bench.address) { central in
                try await body(try await central.connect(address))
            }
        }

        private func notify(_ value: String) throws {
            try bench.perform("notify", ["uuid": level.full, "value": value])
        }

        @Test func `a value is read and written`() async throws {
            try await connected { lamp in
                #expect(try await lamp.readValue(for: lamp.characteristic(level)) == [0x64])
                let alert = try lamp.characteristic(alert)
                try await lamp.writeValue([1, 2], for: alert)
                try await lamp.writeValue([], for: alert, type: .withoutResponse)
            }
            let writes = try bench.calls.filter { $0[0] == "WriteValue" }
            #expect(writes.map { $0[2] } == ["0102", ""])
            #expect(writes.map { $0[3].contains("request") } == [true, false])
            #expect(writes.map { $0[3].contains("command") } == [false, true])
        }

        @Test func `what a characteristic cannot do is not asked of it`() async throws {
            try await connected { lamp in
                let alert = try lamp.characteristic(alert)
                #expect(await error { _ = try await lamp.readValue(for: alert) } == .notSupported(alert.uuid, .read))
                let missing = BluetoothUUID(0x2A00)
                #expect(
                    await error { _ = try lamp.characteristic(missing) }
                        == .noCharacteristic(CharacteristicSelector(missing), address: address)
                )
            }
            #expect(try bench.count(of: "ReadValue") == 0)
        }

        @Test(arguments: [
            ("org.bluez.Error.NotAuthorized", "", CentralError.Refusal.notAuthorized),
            ("org.bluez.Error.NotPermitted", "", .notPermitted),
            ("org.bluez.Error.InvalidValueLength", "", .invalidLength),
            ("org.bluez.Error.InvalidArguments", "Invalid Length", .invalidLength),
            ("org.bluez.Error.Failed", "Operation failed with ATT error: 0x0d", .invalidLength),
            ("org.bluez.Error.Failed", "Operation failed with ATT error: 0x0f", .notAuthorized),
            (
                "org.bluez.Error.Failed", "Operation failed with ATT error: 0x80",
                .other("the peripheral answers with its error 0x80")
            ),
            ("org.bluez.Error.InProgress", "In Progress", .busy),
        ]) func `a refusal is printed as a text`(_ name: String, _ message: String, _ refusal: CentralError.Refusal)
            async throws
        {
            try bench.perform("behave", ["method": "WriteValue", "error": name, "message": message])
            try await connected { lamp in
                let alert = try lamp.characteristic(alert)
                #expect(await error { try await lamp.writeValue([9], for: alert) } == .refused(alert.uuid, refusal))
            }
        }

        @Test func `a peripheral that vanishes in mid-read ends the read`() async throws {
            try bench.perform("behave", ["method": "ReadValue"])
            try await connected { lamp in
                let level = try lamp.characteristic(level)
                async let read = error { _ = try await lamp.readValue(for: level) }
                try await bench.wait { try $0.count(of: "ReadValue") == 1 }
                try bench.perform("silence", ["address": address])
                #expect(await read == .disconnected(address: address))
            }
        }

        @Test(arguments: ["stop", "end", "unplug"]) func `so does the end of bluetoothd, the bus and the adapter`(
            _ fault: String
        ) async throws {
            try bench.perform("behave", ["method": "ReadValue"])
            try await connected { lamp in
                let level = try lamp.characteristic(level)
                async let read = error { _ = try await lamp.readValue(for: level) }
                try await bench.wait { try $0.count(of: "ReadValue") == 1 }
                try bench.perform(fault, fault == "unplug" ? ["name": "hci0"] : [:])
                #expect(await read == .disconnected(address: address))
            }
        }

        @Test func `a read that hangs is given up`() async throws {
            try bench.perform("behave", ["method": "ReadValue"])
            try await connected { lamp in
                let level = try lamp.characteristic(level)
                let failure = await error { _ = try await lamp.readValue(for: level, within: .milliseconds(200)) }
                guard case .timedOut = failure else { return #expect(failure == nil) }
            }
        }

        @Test func `each notified value is delivered, and the end of interest ends it`() async throws {
            try await connected { lamp in
                let level = try lamp.characteristic(level)
                do {
                    var values = lamp.values(for: level).makeAsyncIterator()
                    try await bench.wait { try $0.count(of: "StartNotify") == 1 }
                    for value in ["01", "02", "02"] { try notify(value) }
                    #expect(try await values.next() == [1])
                    #expect(try await values.next() == [2])
                    #expect(try await values.next() == [2], "the same value again is news")
                }
                try await bench.wait { try $0.count(of: "StopNotify") == 1 }
            }
        }

        @Test func `a subscription is made again after a restart of bluetoothd`() async throws {
            try await withCentralManager(bus: bench.address) { central in
                var events = central.connections(to: .address(address)).makeAsyncIterator()
                #expect(await events.next() == .didConnect(address: address, name: "lamp"))
                let lamp = try await central.connect(address)
                let level = try lamp.characteristic(level)
                var values = lamp.values(for: level, acrossReconnections: true).makeAsyncIterator()
                try await bench.wait { try $0.count(of: "StartNotify") == 1 }
                try notify("07")
                #expect(try await values.next() == [7])
                try bench.perform("stop")
                #expect(await events.next() == .didDisconnect(address: address, name: "lamp", reason: nil))
                try bench.start()
                try bench.lamp()
                #expect(await events.next() == .didConnect(address: address, name: "lamp"))
                try await bench.wait { try $0.count(of: "StartNotify") == 1 }
                try notify("08")
                #expect(try await values.next() == [8])
            }
        }

        @Test func `a peripheral with the service is kept connected`() async throws {
            try await withCentralManager(bus: bench.address) { central in
                var events = central.connections(to: .service(service)).makeAsyncIterator()
                #expect(await events.next() == .didConnect(address: address, name: "lamp"))
                try bench.perform("silence", ["address": address])
                #expect(await events.next() == .didDisconnect(address: address, name: "lamp", reason: nil))
                try bench.lamp()
                #expect(await events.next() == .didConnect(address: address, name: "lamp"))
            }
        }

        @Test func `a remembered peripheral that is still connected is not reported again`() async throws {
            try await connected { _ in }
            let remembered = CentralManager.Remembered(address: address, name: "lamp")
            try await withCentralManager(bus: bench.address) { central in
                var events = central.connections(to: .service(service), remembered: remembered).makeAsyncIterator()
                for await state in central.states where state == .poweredOn { break }
                try bench.perform("silence", ["address": address])
                #expect(await events.next() == .didDisconnect(address: address, name: "lamp", reason: nil))
            }
        }
    }
}
