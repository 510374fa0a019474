import IBeacon
import OkaeriTestSupport
import Testing

@Suite struct BeaconMaskTests {
    private static let owner = BeaconUUID(high: 0xE2C5_6DB5_DFFB_48D2, low: 0xB060_D0F5_A710_9600)
    private static let lastByte = BeaconUUID(high: .max, low: ~0xFF)

    private func identity(_ major: UInt16, _ minor: UInt16, last: UInt64 = 0) -> BeaconIdentity {
        BeaconIdentity(
            uuid: BeaconUUID(high: Self.owner.high, low: Self.owner.low | last), major: major, minor: minor)
    }

    @Test func `a constraint compares only the bits of its mask`() throws {
        let minor = BeaconConstraint.minor(Self.owner, 1, 0x0257).masked(by: try #require(BeaconMask(minor: 0xFF00)))
        #expect(minor.matches(identity(1, 0x0200)) && minor.matches(identity(1, 0x02FF)))
        #expect(!minor.matches(identity(1, 0x0300)) && !minor.matches(identity(2, 0x0257)))
        #expect(minor == .minor(Self.owner, 1, 0x0200).masked(by: minor.mask), "bits that do not count are zeros")
        let uuid = BeaconConstraint.major(Self.owner, 1).masked(by: try #require(BeaconMask(uuid: Self.lastByte)))
        #expect(uuid.matches(identity(1, 5, last: 0x64)) && !uuid.matches(identity(2, 5, last: 0x64)))
        let major = BeaconConstraint.minor(Self.owner, 80, 5).masked(by: try #require(BeaconMask(major: 0)))
        #expect(major.matches(identity(79, 5)) && !major.matches(identity(80, 6)))
    }

    @Test func `a mask with few bits of the UUID is refused`() {
        #expect(BeaconMask(uuid: BeaconUUID(high: 0, low: 0)) == nil)
        #expect(BeaconMask(uuid: BeaconUUID(high: .max >> 1, low: 0)) == nil)
        #expect(BeaconMask(uuid: BeaconUUID(high: .max, low: 0)) != nil)
    }

    @Test func `a constraint with a mask is parsed as it is printed`() throws {
        let masks = [
            try #require(BeaconMask(uuid: Self.lastByte)), try #require(BeaconMask(major: 0)),
            try #require(BeaconMask(minor: 0x00F0)),
            try #require(BeaconMask(uuid: Self.lastByte, major: 0xFF00, minor: 1)),
        ]
        for mask in masks {
            for constraint: BeaconConstraint in [.uuid(Self.owner), .major(Self.owner, 7), .minor(Self.owner, 7, 513)] {
                let masked = constraint.masked(by: mask)
                #expect(BeaconConstraint(masked.description) == masked)
                #expect(masked != constraint && masked.identity == nil)
            }
        }
        let text = "\(Self.owner)/1/512:FF00"
        #expect(BeaconConstraint(text)?.description == text)
        #expect(BeaconConstraint("\(Self.owner)/1/*:ff00")?.mask == BeaconMask(minor: 0xFF00))
        #expect(BeaconConstraint("\(Self.owner)/1/2")?.identity == identity(1, 2))
    }

    @Test(
        arguments: [
            "/1/2:", "/1/2:FF", "/1/2:0xFF", "/1/2:+F00", "/1/2:FF000", "/1/2:FF00:FF00", "/1:/2", ":/1/2", ":FFFF/1/2",
            ":00000000-0000-0000-0000-000000000000/1/2", "/*:FF00/2",
        ])
    func `a mask is four hexadecimal digits, or a UUID with enough bits`(_ text: String) {
        #expect(BeaconConstraint("\(Self.owner)" + text) == nil)
    }

    @Test func `one identity stands for all identities of a beacon`() throws {
        let mask = try #require(BeaconMask(minor: 0xFF00))
        let masked = BeaconConstraint.minor(Self.owner, 1, 0x0200).masked(by: mask)
        let matcher = RegionMatcher([masked, .uuid(Self.owner)])
        #expect(matcher.normalized(identity(1, 0x0257)) == identity(1, 0x0200))
        #expect(matcher.normalized(identity(1, 0x0357)) == identity(1, 0x0357), "of a region without a mask alone")
        #expect(RegionMatcher([.uuid(Self.owner)]).normalized(identity(1, 0x0257)) == identity(1, 0x0257))
        #expect(masked.normalized(identity(1, 0x0257)) == identity(1, 0x0200))
        #expect(masked.normalized(identity(1, 0x0357)) == nil)
        // A beacon of its own region, among those of the mask.
        let exact = RegionMatcher([masked, .minor(Self.owner, 1, 0x0257)])
        #expect(exact.normalized(identity(1, 0x0257)) == identity(1, 0x0257))
        #expect(exact.normalized(identity(1, 0x0258)) == identity(1, 0x0200))
        // Zeros are the numbers of another region.
        let zeros = RegionMatcher([masked, .minor(Self.owner, 1, 0x0200)])
        #expect(zeros.normalized(identity(1, 0x0257)) == identity(1, 0x0257))
    }

    @Test func `the beacons of an open region with a mask stay apart`() throws {
        let mask = try #require(BeaconMask(minor: 0xFF00))
        let matcher = RegionMatcher([BeaconConstraint.major(Self.owner, 1).masked(by: mask)])
        #expect(matcher.normalized(identity(1, 0x0257)) == identity(1, 0x0200))
        #expect(matcher.normalized(identity(1, 0x0357)) == identity(1, 0x0300))
    }

    @Test func `the matcher agrees with the constraints, and an identity with the one that stands for it`() throws {
        var generator = SeededGenerator(seed: 11)
        func number() -> UInt16 { UInt16.random(in: 0..<8, using: &generator) }
        let masks = [
            BeaconMask.all, try #require(BeaconMask(minor: ~3)), try #require(BeaconMask(major: ~1, minor: ~1)),
            try #require(BeaconMask(uuid: BeaconUUID(high: .max, low: ~1))), try #require(BeaconMask(major: 0)),
        ]
        for _ in 0..<40 {
            let constraints: [BeaconConstraint] = (0..<8).map { index in
                let owner = BeaconUUID(high: 1, low: UInt64(number()) % 3)
                let constraint: BeaconConstraint =
                    switch index % 3 {
                    case 0: .uuid(owner)
                    case 1: .major(owner, number())
                    default: .minor(owner, number(), number())
                    }
                return constraint.masked(by: masks[Int(number()) % masks.count])
            }
            let matcher = RegionMatcher(constraints)
            for _ in 0..<100 {
                let owner = BeaconUUID(high: 1, low: UInt64(number()) % 4)
                let beacon = BeaconIdentity(uuid: owner, major: number(), minor: number())
                let expected = constraints.indices.filter { constraints[$0].matches(beacon) }
                #expect(matcher.matches(beacon).sorted() == expected)
                let normal = matcher.normalized(beacon)
                #expect(matcher.matches(normal).sorted() == expected)
                #expect(matcher.normalized(normal) == normal)
            }
        }
    }
}
