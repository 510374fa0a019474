import BlueZ
import OkaeriTestSupport
import Testing

extension OnTheBus {
    /// The connection of a peripheral and its attributes, against a simulated bluetoothd.
    @Suite struct PeripheralTests: Sendable {
        private let bench: BlueZBench

        private let address = Lamp.address
        private let level = Lamp.level
        private let alert = Lamp.alert
        private let immediate = BluetoothUUID(0x1802)
        private let loss = BluetoothUUID(0x1803)

        init() async throws {
            bench = try await BlueZBench()
            try bench.start()
            try bench.lamp()
        }

        private func connected(_ body: (CentralManager, Peripheral) async throws -> Void) async throws {
            try await withCentralManager(bus: bench.address) { central in
                try await body(central, try await central.connect(address))
            }
        }

        private func lose(_ reason: String? = nil) throws {
            let more = reason.map { ["reason": "org.bluez.Reason.\($0)", "message": "a message"] } ?? [:]
            try bench.perform("lose", ["address": address].merging(more) { first, _ in first })
        }

        // MARK: Events

        @Test func `a peripheral reports the end of its connection with the reason, and its return`() async throws {
            try await connected { central, lamp in
                var first = lamp.events.makeAsyncIterator()
                var second = lamp.events.makeAsyncIterator()
                try lose("Timeout")
                let end = await first.next()
                guard case .didDisconnect(let reason) = end else { return #expect(end == nil) }
                #expect(reason?.kind == .timeout && reason?.message == "a message")
                #expect(await second.next() == end, "each access is a reader of its own")
                _ = try await central.connect(address)
                #expect(await first.next() == .didConnect)
                try lose()
                #expect(await first.next() == .didDisconnect(reason: nil), "as bluetoothd before 5.82 does")
            }
        }

        @Test func `a peripheral reports other services`() async throws {
            try await connected { _, lamp in
                var events = lamp.events.makeAsyncIterator()
                try bench.perform(
                    "air",
                    ["address": address, "uuids": [immediate.full], "services": services([(immediate, ["write"])])])
                try bench.perform("rediscover", ["address": address])
                #expect(await events.next() == .didModifyServices)
                try await bench.wait { _ in lamp.services.map(\.uuid) == [immediate] }
            }
        }

        @Test func `the events end with the manager`() async throws {
            let central = CentralManager(bus: bench.address)
            let lamp = try await central.connect(address)
            let reading = Task { for await _ in lamp.events {} }
            central.stop()
            await reading.value
            #expect(await error { _ = try await central.connect(address) } == .cancelled)
        }

        // MARK: Values

        @Test func `the values of a peripheral that has gone end with the reason`() async throws {
            try await connected { central, lamp in
                var values = lamp.values(for: try lamp.characteristic(level)).makeAsyncIterator()
                try await bench.wait { try $0.count(of: "StartNotify") == 1 }
                try lose("Remote")
                let failure = await error { _ = try await values.next() }
                guard case .disconnected(address, let reason) = failure else { return #expect(failure == nil) }
                #expect(reason?.kind == .remote)
                #expect(failure?.description.contains("it has ended the connection") == true)
            }
        }

        @Test func `the values end also if the peripheral is back before they are read`() async throws {
            try await connected { central, lamp in
                let level = try lamp.characteristic(level)
                var values = lamp.values(for: level).makeAsyncIterator()
                try await bench.wait { try $0.count(of: "StartNotify") == 1 }
                try lose()
                _ = try await central.connect(address)
                #expect(await error { _ = try await values.next() } == .disconnected(address: address))
                var again = lamp.values(for: level).makeAsyncIterator()
                try await bench.wait { try $0.count(of: "StartNotify") == 2 }
                try bench.perform("notify", ["uuid": level.uuid.full, "value": "07"])
                #expect(try await again.next() == [7])
            }
        }

        @Test func `the values go on across reconnections on request`() async throws {
            try await connected { central, lamp in
                var values = lamp.values(for: try lamp.characteristic(level), acrossReconnections: true)
                    .makeAsyncIterator()
                try await bench.wait { try $0.count(of: "StartNotify") == 1 }
                try lose("Timeout")
                _ = try await central.connect(address)
                try await bench.wait { try $0.count(of: "StartNotify") == 2 }
                try bench.perform("notify", ["uuid": level.full, "value": "08"])
                #expect(try await values.next() == [8])
            }
        }

        @Test func `a characteristic that the peripheral takes away ends its values`() async throws {
            try await connected { _, lamp in
                let level = try lamp.characteristic(level)
                var values = lamp.values(for: level).makeAsyncIterator()
                try await bench.wait { try $0.count(of: "StartNotify") == 1 }
                try bench.perform("air", ["address": address, "services": services([(immediate, ["write"])])])
                try bench.perform("rediscover", ["address": address])
                let failure = await error { _ = try await values.next() }
                #expect(failure == .noCharacteristic(level.selector, address: address))
            }
        }

        @Test func `two readers have the values of one characteristic, and the end of one leaves the other`()
            async throws
        {
            try await connected { _, lamp in
                let level = try lamp.characteristic(level)
                var values = lamp.values(for: level).makeAsyncIterator()
                try await bench.wait { try $0.count(of: "StartNotify") == 1 }
                do {
                    var others = lamp.values(for: level).makeAsyncIterator()
                    try await bench.wait { try $0.count(of: "StartNotify") == 2 }
                    try bench.perform("notify", ["uuid": level.uuid.full, "value": "01"])
                    #expect(try await others.next() == [1])
                }
                try await bench.wait { try $0.count(of: "StopNotify") == 1 }
                try await bench.wait { try $0.count(of: "StartNotify") == 3 }
                try bench.perform("notify", ["uuid": level.uuid.full, "value": "02"])
                #expect(try await values.next() == [1])
                #expect(try await values.next() == [2])
            }
        }

        @Test func `a read of a peripheral that vanishes has the reason`() async throws {
            try bench.perform("behave", ["method": "ReadValue"])
            try await connected { _, lamp in
                let level = try lamp.characteristic(level)
                async let read = error { _ = try await lamp.readValue(for: level) }
                try await bench.wait { try $0.count(of: "ReadValue") == 1 }
                try lose("Authentication")
                guard case .disconnected(_, let reason?) = await read else {
                    Issue.record("no reason")
                    return
                }
                #expect(reason.kind == .authentication)
            }
        }

        // MARK: Attributes

        private func services(
            _ all: [(service: BluetoothUUID, properties: [String])], includes: [Int] = []
        ) -> [[String: Any]] {
            all.map { service, properties in
                let characteristic: [String: Any] = [
                    "uuid": alert.full, "flags": properties, "value": "05",
                    "descriptors": [["uuid": BluetoothUUID(0x2901).full, "value": "6c616d70"]],
                ]
                return ["uuid": service.full, "characteristics": [characteristic], "includes": includes]
            }
        }

        @Test func `two characteristics of one UUID are told apart by what is needed, and by the service`() async throws
        {
            let both = services([(immediate, ["write-without-response"]), (loss, ["read", "write"])])
            try bench.perform("air", ["address": address, "services": both])
            try await connected { _, lamp in
                let readable = try lamp.characteristic(alert, with: [.read])
                #expect(readable.service == loss)
                #expect(try await lamp.readValue(for: readable) == [5])
                #expect(try lamp.characteristic(alert, in: immediate).properties == [.writeWithoutResponse])
                #expect(try lamp.characteristic(alert, instance: 2) == readable)
                let failure = await error { _ = try lamp.characteristic(alert) }
                guard case .ambiguous(_, let choices) = failure else { return #expect(failure == nil) }
                #expect(choices.map(\.description) == ["1802/2A06", "1803/2A06"])
            }
        }

        @Test func `a descriptor is read and written`() async throws {
            try bench.perform("air", ["address": address, "services": services([(loss, ["read"])])])
            try await connected { _, lamp in
                let descriptor = try #require(try lamp.characteristic(alert).descriptors.first)
                #expect(descriptor.uuid == BluetoothUUID(0x2901))
                #expect(try await lamp.readValue(for: descriptor) == Array("lamp".utf8))
                try await lamp.writeValue([1], for: descriptor)
                #expect(try await lamp.readValue(for: descriptor) == [1])
                try bench.perform("silence", ["address": address])
                try await bench.wait { _ in !lamp.isConnected }
                #expect(
                    await error { _ = try await lamp.readValue(for: descriptor) } == .disconnected(address: address))
            }
            #expect(try bench.count(of: "WriteDescriptor") == 1)
        }

        @Test func `included services are found`() async throws {
            let both = services([(loss, ["read"]), (immediate, ["write"])], includes: [1])
            try bench.perform("air", ["address": address, "services": both])
            try await connected { _, lamp in
                let service = try #require(lamp.services.first)
                #expect(lamp.includedServices(of: service).map(\.uuid) == [immediate])
            }
        }

        @Test(arguments: [(185, 182), (23, 20), (600, 512), (5, nil), (nil, nil)] as [(Int?, Int?)])
        func `the length of a value to write depends on the MTU`(_ mtu: Int?, _ length: Int?) async throws {
            var lamp: [String: Any] = ["address": address, "services": services([(loss, ["write"])])]
            lamp["mtu"] = mtu
            try bench.perform("air", lamp)
            try await connected { _, lamp in
                #expect(lamp.maximumWriteValueLength(for: .withoutResponse) == length)
                #expect(lamp.maximumWriteValueLength(for: .withResponse) == 512)
                try bench.perform("silence", ["address": address])
                try await bench.wait { _ in !lamp.isConnected }
                #expect(lamp.maximumWriteValueLength(for: .withResponse) == nil)
            }
        }
    }
}
