import HCI
import OkaeriBluetooth
import OkaeriPlumbing
import Testing

struct AES128Tests {
    private struct Vector: Sendable {
        var key, plain, cipher: String
    }

    /// FIPS 197, Appendices B and C.1.
    private static let vectors = [
        Vector(
            key: "2b7e151628aed2a6abf7158809cf4f3c", plain: "3243f6a8885a308d313198a2e0370734",
            cipher: "3925841d02dc09fbdc118597196a0b32"),
        Vector(
            key: "000102030405060708090a0b0c0d0e0f", plain: "00112233445566778899aabbccddeeff",
            cipher: "69c4e0d86a7b0430d8cdb78070b4c55a"),
    ]

    @Test(arguments: vectors)
    private func `a block is encrypted as FIPS 197 says`(vector: Vector) throws {
        let cipher = try AES128(#require(IdentityResolvingKey(vector.key)))
        let high = try #require(UInt64(hexadecimal: vector.plain.prefix(16)))
        let low = try #require(UInt64(hexadecimal: vector.plain.suffix(16)))
        let encrypted = cipher.encrypted(high, low)
        #expect(
            hexadecimal(encrypted.high, prefix: "", uppercase: false)
                + hexadecimal(encrypted.low, prefix: "", uppercase: false)
                == vector.cipher)
    }

    /// Core Specification 5.4, Vol 3, Part H, Appendix D.7.
    @Test func `an address is resolved as the Core Specification says`() throws {
        let key = try #require(IdentityResolvingKey("ec0234a357c8ad05341010a60a397d9b"))
        let address = try #require(BluetoothAddress("70:81:94:0D:FB:AA"))
        #expect(AES128(key).hash(0x70_8194) == 0x0D_FBAA)
        var resolver = AddressResolver([DeviceIdentity(key: key)])
        for second in 0..<3 as Range<Int64> {
            let time = second * 1_000_000_000
            #expect(resolver.device(of: address, .random, at: time) == (second < 2 ? nil : 0))
            #expect(resolver.device(of: BluetoothAddress(low: 0x940D_FBAB, high: 0x7081), .random, at: time) == nil)
        }
    }

    @Test func `each of twenty devices is found by its key, in both orders of bytes`() throws {
        let keys = (0..<20 as Range<UInt8>).compactMap { number in IdentityResolvingKey("\(number + 10)".repeated(16)) }
        try #require(keys.count == 20)
        for (position, key) in keys.enumerated() {
            for order in [key, key.reversed] {
                var resolver = AddressResolver(keys.map { DeviceIdentity(key: $0) })
                let found = (0..<2 as Range<UInt32>).map { number in
                    let random = 0x40_0000 | UInt32(position) << 8 | number
                    let (low, high) = (random << 24 | AES128(order).hash(random), UInt16(random >> 8))
                    return resolver.device(of: BluetoothAddress(low: low, high: high), .random, at: Int64(number))
                }
                #expect(found == [nil, position])
                #expect(resolver.reversed == (order == key ? [] : [position]))
            }
        }
    }

    @Test func `devices are found by their keys while the orders of some are known`() throws {
        let keys = (0..<20 as Range<UInt8>).compactMap { number in IdentityResolvingKey("\(number + 10)".repeated(16)) }
        var resolver = AddressResolver(keys.map { DeviceIdentity(key: $0) })
        func found(_ position: Int, _ number: UInt32, at second: Int64) -> Int? {
            let order = position.isMultiple(of: 3) ? keys[position].reversed : keys[position]
            let random = 0x40_0000 | UInt32(position) << 8 | number
            let (low, high) = (random << 24 | AES128(order).hash(random), UInt16(random >> 8))
            return resolver.device(of: BluetoothAddress(low: low, high: high), .random, at: second * 1_000_000_000)
        }
        for position in keys.indices where position.isMultiple(of: 2) {
            for number in 0..<6 as Range<UInt32> {
                let device = found(position, number % 2, at: Int64(position * 6) + Int64(number))
                #expect(device == (number == 0 ? nil : position))
            }
        }
        for position in keys.indices {
            for number in 2..<4 as Range<UInt32> {
                #expect(found(position, number, at: 130) == (number == 2 && position % 2 == 1 ? nil : position))
            }
        }
    }
}

extension String {
    fileprivate func repeated(_ count: Int) -> String { String(repeating: self, count: count - 1) + "7f" }
}
