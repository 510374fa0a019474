import OkaeriTestSupport
import Testing

@testable import HCI

/// The packets of the kernel's management interface (BlueZ, doc/mgmt-api.txt).
@Suite struct ManagementTests {
    private func message(_ bytes: [UInt8]) throws(HCIDecodingError) -> ManagementMessage {
        try ManagementMessage(bytes.span.bytes)
    }

    /// New IRK of hci1: store hint, private address, identity address and type, key with the least significant byte first.
    private static let newKey: [UInt8] =
        [0x18, 0x00, 0x01, 0x00, 0x1E, 0x00, 0x01] + [0xAA, 0xFB, 0x0D, 0x94, 0x81, 0x70]
        + [0x03, 0x02, 0x01, 0x32, 0xA6, 0xDC, 0x01]
        + [0x9B, 0x7D, 0x39, 0x0A, 0xA6, 0x10, 0x10, 0x34, 0x05, 0xAD, 0xC8, 0x57, 0xA3, 0x34, 0x02, 0xEC]

    @Test func `commands have opcode, index and length before their parameters`() {
        #expect(ManagementCommand.readAdvertisingFeatures(of: 1).packet == [0x3D, 0x00, 0x01, 0x00, 0x00, 0x00])
        #expect(ManagementCommand.removeAdvertising(3, from: 0).packet == [0x3F, 0x00, 0x00, 0x00, 0x01, 0x00, 0x03])
        // No discovery has this type.
        #expect(ManagementCommand.probeDiscovery(on: 1).packet == [0x24, 0x00, 0x01, 0x00, 0x01, 0x00, 0xFF])
        let instance = AdvertisingInstance(
            number: 2, isConnectable: true, timeout: 600, data: [0x03, 0x03, 0x0D, 0x18],
            scanResponse: [0x02, 0x09, 0x41])
        let packet = ManagementCommand.addAdvertising(instance, to: 0).packet
        #expect(
            packet == [0x3E, 0x00, 0x00, 0x00, 0x12, 0x00, 0x02, 0x03, 0, 0, 0, 0, 0, 0x58, 0x02, 4, 3]
                + [0x03, 0x03, 0x0D, 0x18, 0x02, 0x09, 0x41])
    }

    @Test func `a beacon has no flags, and data beyond 31 bytes is left out`() {
        let long = [UInt8](repeating: 7, count: 300)
        let instance = AdvertisingInstance(number: 1, isConnectable: false, timeout: 0, data: long, scanResponse: long)
        let packet = ManagementCommand.addAdvertising(instance, to: 0).packet
        #expect(Array(packet[6..<17]) == [1, 0, 0, 0, 0, 0, 0, 0, 0, 31, 31] && packet.count == 17 + 62)
    }

    @Test func `a new key has its bytes in the order of the specification, and the identity address`() throws {
        let message = try message(Self.newKey)
        #expect(message.index == 1)
        let identity = try #require(DeviceIdentity("ec0234a357c8ad05341010a60a397d9b DC:A6:32:01:02:03"))
        #expect(message.event == .newKey(identity))
        #expect(!"\(message)".lowercased().contains("ec02") && !"\(message)".contains("9B7D"))
    }

    @Test func `a key of zeros, or of a BR/EDR address, is not one`() throws {
        var zeros = Self.newKey
        zeros.replaceSubrange(20..., with: [UInt8](repeating: 0, count: 16))
        #expect(try message(zeros).event == .other(code: 0x18))
        for type: UInt8 in [0, 3, 255] {
            var classic = Self.newKey
            classic[19] = type
            #expect(try message(classic).event == .other(code: 0x18))
        }
    }

    @Test func `answers have their opcode, status and parameters`() throws {
        #expect(
            try message([1, 0, 0, 0, 4, 0, 0x3E, 0, 0, 2]).event == .commandComplete(opcode: 0x3E, .success, [2]))
        let refusal = try message([2, 0, 0, 0, 3, 0, 0x3E, 0, 0x0D]).event
        #expect(refusal == .commandStatus(opcode: 0x3E, .invalidParameters))
        #expect("\(ManagementStatus.invalidParameters)" == "Invalid Parameters (0x0D)")
        #expect("\(ManagementStatus(rawValue: 0x77))" == "Status (0x77)")
        #expect(try message([0x0B, 0, 0, 0, 1, 0, 9]).event == .other(code: 0x0B))
    }

    @Test func `a packet that is cut or has another length is refused`() throws {
        for count in Self.newKey.indices {
            #expect(throws: HCIDecodingError.self) { try self.message(Array(Self.newKey[..<count])) }
        }
        #expect(throws: HCIDecodingError.self) { try self.message(Self.newKey + [0]) }
        #expect(throws: HCIDecodingError.self) { try self.message([1, 0, 0, 0, 2, 0, 0x3E, 0]) }
        #expect(throws: HCIDecodingError.self) { try self.message([0x18, 0, 0, 0, 1, 0, 1]) }
        var random = SeededGenerator(seed: 18)
        for _ in 0..<20_000 {
            var bytes = random.bytes(Int.random(in: 0...60, using: &random))
            if bytes.count > 6 { bytes[0...5] = [bytes[0] % 32, 0, 0, 0, UInt8(bytes.count - 6), 0] }
            _ = try? message(bytes)
            _ = try? AdvertisingFeatures(bytes.span.bytes)
        }
    }

    @Test func `the highest free instance is used`() throws {
        func free(_ maximum: UInt8, _ used: [UInt8], count: UInt8? = nil) throws -> UInt8? {
            let bytes: [UInt8] = [0, 0, 0, 0, 31, 31, maximum, count ?? UInt8(used.count)] + used
            return try AdvertisingFeatures(bytes.span.bytes).free
        }
        #expect(try free(5, [1, 5]) == 4)
        #expect(try free(2, [2, 1]) == nil && free(0, []) == nil)
        #expect(throws: HCIDecodingError.self) { try free(5, [1], count: 2) }
    }
}
