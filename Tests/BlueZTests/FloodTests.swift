@testable import BlueZ
import OkaeriTestSupport
import Testing

extension OnTheBus {
    /// Thousands of advertisements of another device, from a simulated bluetoothd.
    @Suite struct FloodTests: Sendable {
        private static let count = 5000

        private let bench: BlueZBench
        private let stranger = "00:00:00:00:00:01"

        init() async throws {
            bench = try await BlueZBench()
            try bench.start()
            try bench.lamp()
            try bench.perform("air", ["address": stranger])
        }

        private func flood(_ address: String, rssi: Int) throws {
            try bench.perform("flood", ["address": address, "count": Self.count, "rssi": rssi])
        }

        /// Runs a central that has received both.
        private func listening(_ body: (CentralManager) async throws -> Void) async throws {
            try await withCentralManager(bus: bench.address) { central in
                let found = central.scanForPeripherals()
                var addresses: Set<String> = []
                for try await discovery in found where addresses.insert(discovery.address).inserted {
                    if addresses.count == 2 { break }
                }
                try await body(central)
                withExtendedLifetime(found) {}
            }
        }

        @Test(arguments: [
            Interest.adapters, CentralManager.Target.service(Lamp.battery).interest,
            CentralManager.Target.address(Lamp.address).interest,
        ]) func `advertisements of a stranger wake no waiter`(interest: Interest) async throws {
            try await listening { central in
                let looks = Watched(0)
                async let end = central.mirror.wait(until: nil, for: interest) { view -> Bool? in
                    looks.change { $0 += 1 }
                    return view.workingAdapter(named: nil) == nil ? true : nil
                }
                try await looks.wait(until: "the waiter has looked") { $0 > 0 }
                try flood(stranger, rssi: -50)
                // What comes after it: all of the flood has been received by then.
                try bench.perform("adapter", ["name": "hci0", "powered": false])
                #expect(try await end == true)
                #expect(looks.value < 10)
            }
        }

        @Test func `a slow reader gets a peripheral in its latest state`() async throws {
            try await withCentralManager(bus: bench.address) { central in
                var found = central.scanForPeripherals(withServices: [Lamp.battery]).makeAsyncIterator()
                #expect(try await found.next()?.rssi == -60)
                try flood(Lamp.address, rssi: -42)
                try await central.waitForPeripheral { $0.address == Lamp.address && $0.rssi == -42 }
                #expect(try await found.next()?.rssi == -42)
            }
        }

        @Test func `unread values are stored up to a limit, the newest`() async throws {
            try await withCentralManager(bus: bench.address) { central in
                let lamp = try await central.connect(Lamp.address)
                let level = try lamp.characteristic(Lamp.level)
                let (values, watched) = (central.mirror.values(of: level.path), central.mirror.values(of: level.path))
                var subscription = lamp.values(for: level).makeAsyncIterator()
                try await bench.wait { try $0.count(of: "StartNotify") == 1 }
                let last = ObjectMirror.valueLimit + 50
                for number in 0...last {
                    let value = String(number + 0x10000, radix: 16)
                    try bench.perform("notify", ["uuid": Lamp.level.full, "value": "0\(value)"])
                }
                let newest: [UInt8] = [1, UInt8(last >> 8), UInt8(last & 0xFF)]
                // Another task reads them all: then all have come before the first is read here.
                for await value in watched where value == newest { break }
                var unread = 0
                for await value in values {
                    unread += 1
                    if value == newest { break }
                }
                #expect(unread <= ObjectMirror.valueLimit + 1)
                #expect(try await subscription.next() != nil)
            }
        }
    }
}
