import BlueZ
import Foundation
import OkaeriTestSupport
import Testing

extension OnTheBus {
    /// A central against a simulated bluetoothd.
    @Suite struct CentralTests: Sendable {
        private let bench: BlueZBench

        private let address = Lamp.address
        private let battery = Lamp.battery
        private let level = Lamp.level
        private let alert = Lamp.alert

        init() async throws {
            bench = try await BlueZBench()
        }

        // MARK: Finding

        @Test func `a scan reports peripherals with the service, their changes, and their ends`() async throws {
            try bench.start()
            try bench.lamp()
            try bench.perform("air", ["address": "00:00:00:00:00:01", "uuids": [BluetoothUUID(0x180D).full]])
            try await withCentralManager(bus: bench.address) { central in
                var found = central.scanForPeripherals(withServices: [battery]).makeAsyncIterator()
                let first = try await found.next()
                #expect(first?.address == address)
                #expect(first?.name == "lamp")
                #expect(first?.rssi == -60)
                #expect(first?.services == [battery])
                try bench.perform("air", ["address": address, "name": "lamp", "uuids": [battery.full], "rssi": -70])
                #expect(try await found.next()?.rssi == -70)
                try bench.perform("air", ["address": address, "name": "lamp", "uuids": [battery.full], "rssi": 127])
                let mute = try await found.next()
                #expect(mute?.isInSight == true)
                #expect(mute?.rssi == nil, "an adapter that cannot tell says 127")
                try bench.perform("silence", ["address": address])
                let last = try await found.next()
                #expect(last?.isInSight == false)
                #expect(last?.rssi == nil)
            }
            let calls = try bench.calls
            #expect(calls.contains { $0[0] == "SetDiscoveryFilter" && $0[1].contains(battery.full) })
        }

        @Test func `advertised manufacturer and service data and the power are reported`() async throws {
            try bench.start()
            try bench.perform(
                "air",
                [
                    "address": address, "uuids": [battery.full], "manufacturer": ["76": "0215", "65535": ""],
                    "data": [battery.full: "64"], "power": -8,
                ])
            try await withCentralManager(bus: bench.address) { central in
                var found = central.scanForPeripherals().makeAsyncIterator()
                let first = try await found.next()
                #expect(first?.manufacturerData == [0x004C: [2, 0x15], 0xFFFF: []])
                #expect(first?.serviceData == [battery: [0x64]])
                #expect(first?.txPower == -8)
            }
        }

        @Test func `a name cannot move the cursor`() async throws {
            try bench.start()
            try bench.perform("air", ["address": address, "name": "\u{1B}[2Jla\nmp", "uuids": [battery.full]])
            try await withCentralManager(bus: bench.address) { central in
                var found = central.scanForPeripherals().makeAsyncIterator()
                let first = try await found.next()
                #expect(first?.name == " [2Jla mp")
            }
        }

        @Test func `a scan that ends stops the discovery`() async throws {
            try bench.start()
            try bench.lamp()
            try await withCentralManager(bus: bench.address) { central in
                for try await _ in central.scanForPeripherals(withServices: [battery]) { break }
                try await bench.wait { try $0.count(of: "StopDiscovery") == 1 }
                #expect(try bench.count(of: "StartDiscovery") == 1)
            }
        }

        @Test func `a scan goes on after a restart of bluetoothd and a switched-off adapter`() async throws {
            try bench.start()
            try await withCentralManager(bus: bench.address) { central in
                var found = central.scanForPeripherals().makeAsyncIterator()
                try await bench.wait { try $0.count(of: "StartDiscovery") == 1 }
                try bench.perform("stop")
                try bench.start()
                try await bench.wait { try $0.count(of: "StartDiscovery") == 1 }
                try bench.perform("adapter", ["name": "hci0", "powered": false])
                try bench.perform("adapter", ["name": "hci0", "powered": true])
                try await bench.wait { try $0.count(of: "StartDiscovery") == 2 }
                try bench.lamp()
                #expect(try await found.next()?.address == address)
            }
        }

        // MARK: Connecting

        @Test func `a peripheral is found, connected, and its services are listed`() async throws {
            try bench.start()
            try bench.lamp()
            try await withCentralManager(bus: bench.address) { central in
                let peripheral = try await central.connect(address)
                #expect(peripheral.isConnected)
                #expect(peripheral.name == "lamp")
                let services = peripheral.services
                #expect(services.map(\.uuid) == [battery])
                #expect(services.first?.characteristics.map(\.uuid) == [level, alert])
                #expect(
                    services.first?.characteristics.map(\.properties) == [
                        [.read, .notify], [.write, .writeWithoutResponse],
                    ])
                try await central.cancelPeripheralConnection(address)
                #expect(!peripheral.isConnected)
            }
        }

        @Test func `a discovered peripheral is connected, and kept connected`() async throws {
            try bench.start()
            try bench.lamp()
            try await withCentralManager(bus: bench.address) { central in
                for try await discovery in central.scanForPeripherals(withServices: [battery]) {
                    let peripheral = try await central.connect(discovery)
                    #expect(peripheral.address == address)
                    #expect(peripheral.isConnected)
                    for await event in central.connections(to: discovery) {
                        #expect(event == .didConnect(address: address, name: "lamp"))
                        break
                    }
                    break
                }
            }
        }

        @Test func `a connection without a signal of bluetoothd is noticed`() async throws {
            try bench.start()
            try bench.lamp(isAnnounced: false)
            try await withCentralManager(bus: bench.address) { central in
                let lamp = try await central.connect(address)
                #expect(lamp.isConnected)
                let level = try lamp.characteristic(level)
                #expect(try await lamp.readValue(for: level) == [0x64])
                try bench.perform("silence", ["address": address])
                let error = await error { _ = try await lamp.readValue(for: level) }
                #expect(error == .disconnected(address: address))
            }
            #expect(try bench.count(of: "Connect") == 1)
        }

        @Test(arguments: ["UnknownMethod", "UnknownObject"])
        func `a peripheral that is removed in the meantime is disconnected`(word: String) async throws {
            try bench.start()
            try bench.lamp()
            try await withCentralManager(bus: bench.address) { central in
                _ = try await central.connect(address)
                try bench.perform(
                    "behave",
                    ["method": "Disconnect", "error": "org.freedesktop.DBus.Error.\(word)", "message": "no such thing"])
                // It is forgotten while it is asked.
                async let disconnected: Void = central.cancelPeripheralConnection(address)
                try await bench.wait { try $0.count(of: "Disconnect") == 1 }
                try bench.perform("silence", ["address": address])
                try await disconnected
                #expect(try await !central.knownPeripherals().contains(where: \.isConnected))
            }
        }

        @Test func `a first attempt that fails by chance is made again`() async throws {
            try bench.start()
            try bench.lamp()
            try bench.perform(
                "behave",
                ["method": "Connect", "error": "org.bluez.Error.Failed", "message": "le-connection-abort-by-local"])
            try await withCentralManager(bus: bench.address) { central in
                let lamp = try await central.connect(address)
                #expect(lamp.isConnected)
            }
            #expect(try bench.count(of: "Connect") == 2)
        }

        @Test func `a peripheral that is not there`() async throws {
            try bench.start()
            await withCentralManager(bus: bench.address) { central in
                let error = await error { _ = try await central.connect(address, within: .seconds(1)) }
                guard case .notFound(address, _) = error else { return #expect(error == nil) }
            }
        }

        @Test func `a connection that hangs is given up, and bluetoothd is notified`() async throws {
            try bench.start()
            try bench.lamp()
            try bench.perform("behave", ["method": "Connect"])
            try await withCentralManager(bus: bench.address) { central in
                let error = await error { _ = try await central.connect(address, within: .seconds(2)) }
                guard case .timedOut = error else { return #expect(error == nil) }
                let disconnections = try bench.count(of: "Disconnect")
                #expect(disconnections == 1)
            }
        }

        @Test func `a peripheral whose services are never known is given up, and not kept connected`() async throws {
            try bench.start()
            try bench.perform("air", ["address": address, "uuids": [battery.full], "services": NSNull()])
            await withCentralManager(bus: bench.address) { central in
                let error = await error { _ = try await central.connect(address, within: .seconds(2)) }
                guard case .timedOut = error else { return #expect(error == nil) }
            }
            #expect(try bench.count(of: "Disconnect") == 1)
        }

        @Test(arguments: [true, false])
        func `a connection that is cancelled is given up by bluetoothd as well`(hangs: Bool) async throws {
            try bench.start()
            // Before the link is there, or before the services are known.
            try bench.perform("air", ["address": address, "uuids": [battery.full], "services": NSNull()])
            if hangs { try bench.perform("behave", ["method": "Connect"]) }
            try await withCentralManager(bus: bench.address) { central in
                let connecting = Task { await error { _ = try await central.connect(address) } }
                try await bench.wait { try $0.count(of: "Connect") == 1 }
                if !hangs { try await central.waitForPeripheral(where: \.isConnected) }
                connecting.cancel()
                #expect(await connecting.value == .cancelled)
                #expect(try bench.count(of: "Disconnect") >= 1)
                #expect(try bench.count(of: "Connect") == 1, "it is not tried again")
            }
        }

        @Test func `bluetoothd gives up an attempt before the manager leaves the bus`() async throws {
            try bench.start()
            try bench.lamp()
            try bench.perform("behave", ["method": "Connect"])
            try await withCentralManager(bus: bench.address) { central in
                let keeping = Task { for await _ in central.connections(to: .service(battery)) {} }
                try await bench.wait { try $0.count(of: "Connect") == 1 }
                keeping.cancel()
            }
            #expect(try bench.count(of: "Disconnect") >= 1)
        }

        @Test func `a reader that ends stops connecting the peripheral`() async throws {
            try bench.start()
            try bench.lamp()
            try bench.perform("behave", ["method": "Connect"])
            try await withCentralManager(bus: bench.address) { central in
                let keeping = Task { for await _ in central.connections(to: .service(battery)) {} }
                try await bench.wait { try $0.count(of: "Connect") == 1 }
                keeping.cancel()
                try await bench.wait { try $0.count(of: "Disconnect") == 1 }
                #expect(try bench.count(of: "Connect") == 1)
            }
        }

        @Test func `a connection that was there before stays when another attempt is cancelled`() async throws {
            try bench.start()
            try bench.lamp()
            try await withCentralManager(bus: bench.address) { central in
                let lamp = try await central.connect(address)
                try bench.perform("behave", ["method": "Connect"])
                let connecting = Task { await error { _ = try await central.connect(address) } }
                try await bench.wait { try $0.count(of: "Connect") == 2 }
                connecting.cancel()
                #expect(await connecting.value == .cancelled)
                #expect(lamp.isConnected)
            }
            #expect(try bench.count(of: "Disconnect") == 0)
        }

        @Test func `a fault of Bluetooth is reported`() async throws {
            await withCentralManager(bus: "unix:path=/nowhere") { central in
                guard case .noBus = await error(of: { _ = try await central.connect(address) }) else {
                    return #expect(Bool(false), "no bus")
                }
            }
            try await withCentralManager(bus: bench.address) { central in
                #expect(await error { _ = try await central.connect(address) } == .noDaemon)
                #expect(central.state == .unsupported)
                try bench.start(adapter: nil)
                #expect(await error { _ = try await central.connect(address) } == .noAdapter(nil))
                #expect(central.state == .unsupported)
                try bench.perform("adapter", ["name": "hci0", "powered": false])
                #expect(await error { _ = try await central.connect(address) } == .poweredOff(adapter: "hci0"))
                #expect(central.state == .poweredOff)
            }
            await withCentralManager(adapter: "hci7", bus: bench.address) { central in
                #expect(await error { _ = try await central.connect(address) } == .noAdapter("hci7"))
            }
        }

        @Test func `the manager's state is published as it changes`() async throws {
            try bench.start()
            try await withCentralManager(bus: bench.address) { central in
                var states = central.states.makeAsyncIterator()
                while await states.next() != .poweredOn {}
                try bench.perform("adapter", ["name": "hci0", "powered": false])
                #expect(await states.next() == .poweredOff)
                try bench.perform("unplug", ["name": "hci0"])
                #expect(await states.next() == .unsupported)
                try bench.perform("stop")
                #expect(await states.next() == .resetting)
            }
        }
    }
}
