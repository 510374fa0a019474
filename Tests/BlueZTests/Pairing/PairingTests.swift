import OkaeriDBus
import OkaeriTestSupport
import Synchronization
import Testing

@testable import BlueZ

extension OnTheBus {
    /// Over a simulated bluetoothd on a bus of its own.
    @Suite struct PairingTests {
        private struct Ended: Error {}

        private let daemon: BusDaemon

        init() throws { daemon = try BusDaemon() }

        /// Agrees to each request.
        private func agreeing<Value: Sendable>(
            _ capability: PairingCapability = .displayYesNo, _ body: (PairingSession) async throws -> Value
        ) async throws -> Value {
            try await pairing(capability, confirm: { _ in true }, body)
        }

        private func pairing<Value: Sendable>(
            _ capability: PairingCapability = .displayYesNo, confirm: @escaping PairingSession.Confirmation,
            _ body: (PairingSession) async throws -> Value
        ) async throws -> Value {
            try await withCentralManager(bus: daemon.address) { central in
                try await central.acceptPairing(as: capability, confirm: confirm, body)
            }
        }

        private static let phone = "70_81_94_0D_FB_AA"
        private static let properties: [String: DBusValue] = [
            "Address": .string("70:81:94:0D:FB:AA"), "AddressType": .string("random"), "Connected": .boolean(true),
            "Name": .string("Anna's\u{1B}[2J phone"), "Paired": .boolean(false),
        ]

        @Test func `an agent is the default one and the adapter is pairable, until the end`() async throws {
            let bluetoothd = try await Bluetoothd(daemon.address)
            try await agreeing(.noInputNoOutput) { session in
                let state = bluetoothd.pairing.value
                #expect(session.adapter == "hci0")
                #expect(state.isPairable && state.isDefault && state.capability == "NoInputNoOutput")
            }
            #expect(bluetoothd.pairing.value == Bluetoothd.Pairing(capability: "NoInputNoOutput"))
        }

        @Test func `an adapter that was pairable stays so`() async throws {
            let bluetoothd = try await Bluetoothd(daemon.address)
            bluetoothd.pairing.change { $0.isPairable = true }
            try await agreeing { _ in }
            #expect(bluetoothd.pairing.value.isPairable)
        }

        @Test func `a request shows the device and six digits, and the answer decides`() async throws {
            let bluetoothd = try await Bluetoothd(daemon.address)
            let requests = Watched<[PairingRequest]>([])
            try await pairing(confirm: { request in
                requests.change { $0.append(request) }
                return request.digits == "004711"
            }) { session in
                try await bluetoothd.device(Self.phone, Self.properties)
                for await devices in session.devices() where !devices.isEmpty { break }
                #expect(try await bluetoothd.request(from: Self.phone, number: 4711))
                #expect(try await !bluetoothd.request(from: Self.phone, number: 123456))
                #expect(try await !bluetoothd.request(from: Self.phone, number: nil))
            }
            #expect(requests.value.map(\.digits) == ["004711", "123456", nil])
            #expect(requests.value.allSatisfy { $0.device.name == "Anna's [2J phone" && $0.device.isResolvable })
        }

        @Test func `other means of pairing and foreign devices are rejected`() async throws {
            let bluetoothd = try await Bluetoothd(daemon.address)
            try await agreeing { _ in
                let device = DBusValue.objectPath("/org/bluez/hci0/dev_\(Self.phone)")
                let foreign = DBusValue.objectPath("/org/bluez/hci1/dev_1")
                for (method, arguments) in [
                    ("RequestPinCode", [device]), ("RequestPasskey", [device]),
                    ("AuthorizeService", [device, .string("180d")]),
                    ("RequestAuthorization", [foreign]),
                ] {
                    let isAllowed = try await bluetoothd.requestAgent(method, arguments)
                    #expect(!isAllowed, "\(method)")
                }
            }
        }

        @Test func `a question ends when the device disconnects`() async throws {
            let bluetoothd = try await Bluetoothd(daemon.address)
            let isAsked = Watched(false)
            try await pairing(confirm: { _ in
                isAsked.change { $0 = true }
                // Until it is cancelled.
                for await _ in AsyncStream<Void>.makeStream().stream {}
                return true
            }) { session in
                try await bluetoothd.device(Self.phone, Self.properties)
                for await devices in session.devices() where !devices.isEmpty { break }
                async let answer = bluetoothd.request(from: Self.phone, number: 1)
                try await isAsked.wait(until: "the question is asked") { $0 }
                try await bluetoothd.device(Self.phone, ["Connected": .boolean(false)])
                #expect(try await !answer)
            }
        }

        @Test func `a failure removes the bond that was made, and no other one`() async throws {
            let bluetoothd = try await Bluetoothd(daemon.address)
            let bonded = Self.properties.merging(["Paired": .boolean(true)]) { $1 }
            try await bluetoothd.device("AA_00_00_00_00_01", bonded)
            await #expect(throws: Ended.self) {
                try await self.agreeing { _ in
                    try await bluetoothd.device(Self.phone, bonded)
                    for device in [Self.phone, "AA_00_00_00_00_01"] {
                        #expect(try await bluetoothd.request(from: device, number: nil))
                    }
                    throw Ended()
                }
            }
            let state = bluetoothd.pairing.value
            #expect(Array(state.devices.keys) == ["/org/bluez/hci0/dev_AA_00_00_00_00_01"])
            #expect(!state.isPairable && state.agent == nil)
        }

        @Test func `a cancelled task leaves the adapter as it was`() async throws {
            let bluetoothd = try await Bluetoothd(daemon.address)
            let task = Task { [address = daemon.address] in
                try await withCentralManager(bus: address) { central in
                    try await central.acceptPairing(as: .displayYesNo, confirm: { _ in true }) { _ in
                        for await _ in AsyncStream<Void>.makeStream().stream {}
                        throw CancellationError()
                    }
                }
            }
            try await bluetoothd.pairing.wait(until: "the adapter is pairable") { $0.isPairable && $0.isDefault }
            try await bluetoothd.device(Self.phone, Self.properties)
            #expect(try await bluetoothd.request(from: Self.phone, number: nil))
            task.cancel()
            _ = await task.result
            let state = bluetoothd.pairing.value
            #expect(!state.isPairable && state.agent == nil && state.devices.isEmpty)
        }

        @Test func `success keeps the bond, or removes it on request`() async throws {
            for forgets in [false, true] {
                let bluetoothd = try await Bluetoothd(daemon.address)
                try await agreeing { session in
                    try await bluetoothd.device(Self.phone, Self.properties)
                    #expect(try await bluetoothd.request(from: Self.phone, number: nil))
                    await session.end("/org/bluez/hci0/dev_\(Self.phone)", forgets: forgets)
                }
                #expect(bluetoothd.pairing.value.devices.isEmpty == forgets)
                await bluetoothd.end()
            }
        }
    }
}
