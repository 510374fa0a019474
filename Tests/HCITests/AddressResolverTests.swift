import HCI
import OkaeriTestSupport
import Synchronization
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

    /// Returns the device after the third of three receptions, a second apart.
    private func third(_ address: BluetoothAddress, in resolver: inout AddressResolver, from second: Int64 = 0) -> Int?
    {
        var found: Int?
        for number in 0..<3 as Range<Int64> {
            found = resolver.device(of: address, .random, at: (second + number) * 1_000_000_000)
        }
        return found
    }

    @Test func `every address of a device is resolved, and no other one`() {
        var resolver = resolver([anna, ben])
        for number in 0..<200 as Range<UInt32> {
            #expect(third(address(anna.key, number), in: &resolver) == 0)
            #expect(third(address(ben.key, number), in: &resolver) == 1)
            #expect(third(foreign(UInt64(number)), in: &resolver) == nil)
        }
        #expect(resolver.reversed.isEmpty)
    }

    @Test func `only resolvable private addresses are tried`() {
        var resolver = resolver([anna])
        let address = address(anna.key, 1)
        for type in [BluetoothAddressType.public, .publicIdentity, .randomIdentity, .anonymous, .init(rawValue: 0x77)] {
            #expect(resolver.device(of: address, type, at: 0) == nil)
        }
        for bits in [0x0000_0000_0000, 0x8000_0000_0000, 0xC000_0000_0000] as [UInt64] {
            let other = Self.address(address.rawValue & 0x3FFF_FFFF_FFFF | bits)
            #expect(resolver.device(of: other, .random, at: 0) == nil)
        }
        #expect(uses.taken == 0)
    }

    @Test func `an identity address that a controller resolved is the device's, with the same proof`() throws {
        var resolver = resolver([ben, anna])
        let address = try #require(anna.address)
        #expect(resolver.device(of: address, .publicIdentity, at: 0) == nil)
        #expect(resolver.device(of: address, .publicIdentity, at: 1_000_000_000) == nil)
        #expect(resolver.device(of: address, .randomIdentity, at: 2_000_000_000) == 1)
        #expect(resolver.device(of: address, .random, at: 3_000_000_000) == nil)
        #expect(resolver.device(of: BluetoothAddress(low: 8, high: 0xC000), .randomIdentity, at: 0) == nil)
    }

    @Test func `several addresses of a device are alive at once, and cost one computation each`() {
        var resolver = resolver([anna])
        let addresses = (0..<8).map { address(anna.key, $0) }
        for (number, address) in addresses.enumerated() {
            #expect(resolver.device(of: address, .random, at: 0) == (number == 0 ? nil : 0))
        }
        _ = uses.taken
        for address in addresses + addresses.reversed() + [foreign(3), foreign(3), foreign(3)] {
            #expect(resolver.device(of: address, .random, at: 0) == (address == foreign(3) ? nil : 0))
        }
        #expect(uses.taken == 2)
    }

    @Test func `one address is a proof after three receptions a second apart, and stays one`() {
        var resolver = resolver([anna])
        func found(at milliseconds: Int64) -> Int? {
            resolver.device(of: address(anna.key, 1), .random, at: milliseconds * 1_000_000)
        }
        // Several radios receive the same advertisement, and not in order.
        for time in [0, 1, 2, 999, -999, 1000, 1001, 1999, 1500] as [Int64] { #expect(found(at: time) == nil) }
        #expect(found(at: 2000) == 0)
        #expect(found(at: 2000) == 0 && found(at: 100_000_000) == 0)
    }

    @Test func `two different addresses within ten minutes are a proof, later ones are not`() {
        var resolver = resolver([anna, ben])
        #expect(resolver.device(of: address(anna.key, 1), .random, at: 0) == nil)
        #expect(resolver.device(of: address(ben.key, 2), .random, at: 1) == nil)
        #expect(resolver.device(of: address(anna.key, 2), .random, at: 600_000_000_001) == nil)
        #expect(resolver.device(of: address(anna.key, 3), .random, at: 1_200_000_000_001) == 0)
        #expect(resolver.device(of: address(anna.key, 1), .random, at: 1_200_000_000_001) == 0)
    }

    @Test(arguments: [7, 8] as [UInt32])
    func `eight addresses of a device are remembered, the latest`(others: UInt32) {
        var resolver = resolver([anna])
        #expect(third(address(anna.key, 0), in: &resolver) == 0)
        for number in 1...others {
            #expect(third(address(anna.key, number), in: &resolver, from: Int64(number) * 1000) == 0)
        }
        let returned = resolver.device(of: address(anna.key, 0), .random, at: 100_000_000_000_000)
        #expect(returned == (others < 8 ? 0 : nil))
    }

    @Test func `times at the ends of their range neither trap nor prove a device`() {
        var resolver = resolver([anna])
        #expect(resolver.device(of: address(anna.key, 1), .random, at: .min) == nil)
        #expect(resolver.device(of: address(anna.key, 2), .random, at: .max) == nil)
    }

    @Test func `in a flood, one address by chance for each of 64 phones is not a phone`() throws {
        let phones = try (0..<64 as Range<UInt8>).map {
            DeviceIdentity(key: try #require(IdentityResolvingKey(Array(repeating: $0, count: 15) + [$0 + 1])))
        }
        var resolver = resolver(phones)
        for number in 0..<2000 as Range<UInt32> {
            let time = Int64(number) * 1_000_000
            let address =
                number % 30 == 0 && number < 64 * 30
                ? address(phones[Int(number) / 30].key, number) : foreign(UInt64(number))
            #expect(resolver.device(of: address, .random, at: time) == nil)
        }
    }

    @Test func `a key in the wrong order of bytes is found, and reported after two addresses`() {
        var resolver = resolver([DeviceIdentity(key: anna.key.reversed)])
        #expect(third(address(anna.key, 1), in: &resolver) == 0)
        #expect(resolver.reversed.isEmpty)
        #expect(resolver.device(of: address(anna.key, 2), .random, at: 3_000_000_000) == 0)
        #expect(resolver.reversed == [0])
    }

    @Test func `addresses in the wrong order of bytes do not hide the device`() {
        var resolver = resolver([anna])
        for number in 1...20 as ClosedRange<UInt32> {
            #expect(third(address(anna.key.reversed, number), in: &resolver) == 0)
        }
        #expect(resolver.reversed == [0])
        #expect(third(address(anna.key, 1), in: &resolver, from: 100_000) == 0)
        #expect(resolver.reversed.isEmpty)
    }

    /// Has the resolver receive two addresses of a key, three times each, which makes the order of its bytes known.
    private func receive(_ key: IdentityResolvingKey, in resolver: inout AddressResolver, from second: Int64) {
        for number in 0..<2 as Range<UInt32> {
            _ = third(address(key, UInt32(second) * 2 + number), in: &resolver, from: second + Int64(number) * 3)
        }
    }

    @Test(arguments: [false, true])
    func `a device that is received in one order of bytes is tried in that one alone, for ten minutes`(isReversed: Bool)
    {
        var resolver = resolver([DeviceIdentity(key: isReversed ? anna.key.reversed : anna.key), ben])
        var number: UInt64 = 0
        func computations(at second: Int64) -> Int {
            number += 1
            _ = uses.taken
            #expect(resolver.device(of: foreign(number), .random, at: second * 1_000_000_000) == nil)
            return uses.taken
        }
        #expect(computations(at: 0) == 4)
        #expect(third(address(anna.key, 0), in: &resolver) == 0)
        #expect(computations(at: 3) == 4, "one address may be by chance")
        #expect(third(address(anna.key, 1), in: &resolver, from: 3) == 0)
        #expect(computations(at: 6) == 3)
        receive(ben.key, in: &resolver, from: 10)
        #expect(computations(at: 16) == 2)
        #expect(computations(at: 605) == 2 && computations(at: 606) == 3, "Anna's was received last at 5 s")
        #expect(computations(at: 616) == 4)
        #expect(third(address(anna.key, 9), in: &resolver, from: 700) == 0 && computations(at: 702) == 4)
        #expect(third(address(anna.key, 10), in: &resolver, from: 703) == 0 && computations(at: 706) == 3)
    }

    @Test func `an order that was met by chance hides the device for no longer than it counts as in range`() {
        var resolver = resolver([anna])
        receive(anna.key.reversed, in: &resolver, from: 0)
        let arrival = address(anna.key, 1000)
        #expect(third(arrival, in: &resolver, from: 10) == nil)
        let late = resolver.device(of: address(anna.key.reversed, 1), .random, at: 605_000_000_000)
        #expect(late == 0, "it counts as in range until then")
        // Its address was foreign until now.
        #expect(third(arrival, in: &resolver, from: 1206) == 0)
        #expect(resolver.reversed.isEmpty)
    }

    @Test func `the order in which a device was received first is the only one that is ever tried alone`() {
        var resolver = resolver([anna])
        receive(anna.key, in: &resolver, from: 0)
        for second in stride(from: 1000, to: 1100, by: 10) as StrideTo<Int64> {
            receive(anna.key.reversed, in: &resolver, from: second)
        }
        #expect(resolver.reversed == [0], "the stored addresses are of the other order")
        #expect(third(address(anna.key, 9), in: &resolver, from: 1101) == 0)
        #expect(resolver.reversed.isEmpty)
    }

    @Test func `while an address in each order is stored, both are tried`() {
        var resolver = resolver([anna])
        let other = address(anna.key.reversed, 7)
        #expect(resolver.device(of: other, .random, at: 0) == nil)
        receive(anna.key, in: &resolver, from: 1)
        _ = uses.taken
        _ = resolver.device(of: foreign(1), .random, at: 10_000_000_000)
        #expect(uses.taken == 2)
    }

    @Test func `a flood of addresses leaves devices resolvable and the memory constant`() {
        var resolver = resolver([anna, ben])
        for number in 0..<100_000 as Range<UInt64> {
            _ = resolver.device(of: foreign(number), .random, at: Int64(number) * 1_000_000)
            if number % 1000 == 0 {
                let found = resolver.device(of: address(ben.key, 5), .random, at: Int64(number) * 1_000_000)
                #expect(found == (number < 2000 ? nil : 1))
            }
        }
    }

    @Test func `a resolver without devices computes nothing`() {
        var resolver = AddressResolver()
        #expect(resolver.isEmpty)
        #expect(resolver.device(of: address(anna.key, 1), .random, at: 0) == nil)
    }
}
