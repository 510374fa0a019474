import HCI
import Synchronization
import OkaeriTestSupport
import Testing

/// A stand-in for AES that counts its use.
private final class MixingHash: AddressHash {
    let key: IdentityResolvingKey
    let uses: @Sendable () -> Void

    init(_ key: IdentityResolvingKey, uses: @escaping @Sendable () -> Void) { (self.key, self.uses) = (key, uses) }

    static func mixed(_ random: UInt32, _ key: IdentityResolvingKey) -> UInt32 {
        let product = (UInt64(random) ^ key.high).multipliedFullWidth(by: key.low | 1)
        return UInt32(truncatingIfNeeded: product.high ^ product.low >> 24) & 0xFF_FFFF
    }

    func hash(_ random: UInt32) -> UInt32 {
        uses()
        return Self.mixed(random, key)
    }
}

private final class Count: Sendable {
    private let value = Atomic(0)
    var taken: Int { value.exchange(0, ordering: .relaxed) }
    func add() { value.add(1, ordering: .relaxed) }
}

struct AddressResolverTests {
    private let anna, ben: DeviceIdentity
    private let uses = Count()

    init() throws {
        anna = DeviceIdentity(
            key: try #require(IdentityResolvingKey(Array(1...16))), address: BluetoothAddress(low: 7, high: 0xC000))
        ben = DeviceIdentity(key: try #require(IdentityResolvingKey(Array(101...116))))
    }

    private static func address(_ number: UInt64) -> BluetoothAddress {
        BluetoothAddress(low: UInt32(truncatingIfNeeded: number), high: UInt16(truncatingIfNeeded: number >> 32))
    }

    private func resolver(_ identities: [DeviceIdentity]) -> AddressResolver {
        AddressResolver(identities) { [uses] key in MixingHash(key, uses: { uses.add() }) }
    }

    /// An address of a device, as many different ones as there are numbers.
    private func address(_ key: IdentityResolvingKey, _ number: UInt32) -> BluetoothAddress {
        let random = number & 0x3F_FFFF | 0x40_0000
        return Self.address(UInt64(random) << 24 | UInt64(MixingHash.mixed(random, key)))
    }

    private func foreign(_ number: UInt64) -> BluetoothAddress {
        Self.address(0x4000_0000_0000 | number &* 0x9E37_79B9 & 0x3FFF_FFFF_FFFF)
    }

    @Test func `every address of a device is resolved, and no other one`() {
        var resolver = resolver([anna, ben])
        for number in 0..<200 as Range<UInt32> {
            #expect(resolver.device(of: address(anna.key, number), .random) == 0)
            #expect(resolver.device(of: address(ben.key, number), .random) == 1)
            #expect(resolver.device(of: foreign(UInt64(number)), .random) == nil)
        }
        #expect(resolver.reversed.isEmpty)
    }

    @Test func `only resolvable private addresses are tried`() {
        var resolver = resolver([anna])
        let address = address(anna.key, 1)
        for type in [BluetoothAddressType.public, .publicIdentity, .randomIdentity, .anonymous, .init(rawValue: 0x77)] {
            #expect(resolver.device(of: address, type) == nil)
        }
        for bits in [0x0000_0000_0000, 0x8000_0000_0000, 0xC000_0000_0000] as [UInt64] {
            let other = Self.address(address.rawValue & 0x3FFF_FFFF_FFFF | bits)
            #expect(resolver.device(of: other, .random) == nil)
        }
        #expect(uses.taken == 0)
    }

    @Test func `an identity address that a controller resolved is the device's`() throws {
        var resolver = resolver([ben, anna])
        let address = try #require(anna.address)
        #expect(resolver.device(of: address, .publicIdentity) == 1)
        #expect(resolver.device(of: address, .randomIdentity) == 1)
        #expect(resolver.device(of: address, .random) == nil)
        #expect(resolver.device(of: BluetoothAddress(low: 8, high: 0xC000), .randomIdentity) == nil)
    }

    @Test func `several addresses of a device are alive at once, and cost one computation each`() {
        var resolver = resolver([anna])
        let addresses = (0..<8).map { address(anna.key, $0) }
        for address in addresses { #expect(resolver.device(of: address, .random) == 0) }
        _ = uses.taken
        for address in addresses + addresses.reversed() + [foreign(3), foreign(3), foreign(3)] {
            #expect(resolver.device(of: address, .random) == (address == foreign(3) ? nil : 0))
        }
        #expect(uses.taken == 1)
    }

    @Test func `a key in the wrong order of bytes counts at once, and the order is decided by the second address`() {
        var resolver = resolver([DeviceIdentity(key: anna.key.reversed)])
        for _ in 0..<3 { #expect(resolver.device(of: address(anna.key, 1), .random) == 0) }
        #expect(resolver.reversed.isEmpty)
        #expect(resolver.device(of: address(anna.key, 2), .random) == 0)
        #expect(resolver.device(of: address(anna.key, 1), .random) == 0)
        #expect(resolver.reversed == [0])
        #expect(resolver.device(of: address(anna.key.reversed, 3), .random) == nil)
    }

    @Test func `the order of bytes is not decided by one address`() {
        var resolver = resolver([anna])
        #expect(resolver.device(of: address(anna.key.reversed, 1), .random) == 0)
        #expect(resolver.device(of: address(anna.key, 2), .random) == 0)
        #expect(resolver.device(of: address(anna.key, 3), .random) == 0)
        #expect(resolver.device(of: address(anna.key.reversed, 4), .random) == nil)
        #expect(resolver.reversed.isEmpty)
    }

    @Test func `a flood of addresses leaves devices resolvable and the memory constant`() {
        var resolver = resolver([anna, ben])
        for number in 0..<100_000 as Range<UInt64> {
            _ = resolver.device(of: foreign(number), .random)
            if number % 1000 == 0 { #expect(resolver.device(of: address(ben.key, 5), .random) == 1) }
        }
    }

    @Test func `a resolver without devices computes nothing`() {
        var resolver = AddressResolver()
        #expect(resolver.isEmpty)
        #expect(resolver.device(of: address(anna.key, 1), .random) == nil)
    }
}
