import IBeacon
import OkaeriTestSupport
import Testing

@Suite struct RegionMatcherTests {
    private let owner = BeaconUUID(high: 1, low: 2)
    private let stranger = BeaconUUID(high: 1, low: 3)

    @Test func `wildcards match as CoreLocation's do, the narrowest first`() {
        let matcher = RegionMatcher([
            .uuid(owner), .major(owner, 7), .minor(owner, 7, 1), .minor(owner, 7, 2), .uuid(stranger),
        ])
        #expect(matcher.matches(BeaconIdentity(uuid: owner, major: 7, minor: 1)) == [2, 1, 0])
        #expect(matcher.matches(BeaconIdentity(uuid: owner, major: 7, minor: 9)) == [1, 0])
        #expect(matcher.matches(BeaconIdentity(uuid: owner, major: 8, minor: 1)) == [0])
        #expect(matcher.matches(BeaconIdentity(uuid: stranger, major: 7, minor: 1)) == [4])
        #expect(matcher.matches(BeaconIdentity(uuid: BeaconUUID(high: 2, low: 2), major: 7, minor: 1)) == [])
    }

    @Test func `two regions may name the same beacons`() {
        let matcher = RegionMatcher([.major(owner, 7), .major(owner, 7)])
        #expect(matcher.matches(BeaconIdentity(uuid: owner, major: 7, minor: 1)) == [0, 1])
    }

    @Test func `the matcher agrees with the constraints themselves`() {
        var generator = SeededGenerator(seed: 7)
        let owners = (0..<4).map { BeaconUUID(high: $0, low: 0) }
        func number() -> UInt16 { UInt16.random(in: 0..<4, using: &generator) }
        let constraints: [BeaconConstraint] = (0..<60).map { index in
            let owner = owners[index % 4]
            return switch index % 3 {
            case 0: .uuid(owner)
            case 1: .major(owner, number())
            default: .minor(owner, number(), number())
            }
        }
        let matcher = RegionMatcher(constraints)
        for _ in 0..<500 {
            let beacon = BeaconIdentity(uuid: owners[Int(number())], major: number(), minor: number())
            let expected = constraints.indices.filter { constraints[$0].matches(beacon) }
            #expect(matcher.matches(beacon).sorted() == expected)
        }
    }

    @Test func `a constraint describes its beacons`() {
        #expect(BeaconConstraint.minor(owner, 7, 1).description == "\(owner)/7/1")
        #expect(BeaconConstraint.uuid(owner).description == "\(owner)/*/*")
    }

    @Test func `a beacon is matched if it has a region, also with masks`() throws {
        var generator = SeededGenerator(seed: 11)
        let mask = try #require(BeaconMask(minor: 0xFFFC))
        func number() -> UInt16 { UInt16.random(in: 0..<8, using: &generator) }
        for _ in 0..<50 {
            let constraints: [BeaconConstraint] = (0..<3).map { _ in
                let (owner, width) = (BeaconUUID(high: 0, low: UInt64(number())), number() % 3)
                let constraint: BeaconConstraint =
                    switch width {
                    case 0: .uuid(owner)
                    case 1: .major(owner, number())
                    default: .minor(owner, number(), number())
                    }
                return number() < 3 ? constraint.masked(by: mask) : constraint
            }
            let matcher = RegionMatcher(constraints)
            for _ in 0..<50 {
                let beacon = BeaconIdentity(
                    uuid: BeaconUUID(high: 0, low: UInt64(number())), major: number(), minor: number())
                let expected = constraints.indices.filter { constraints[$0].matches(beacon) }
                #expect(matcher.matches(beacon).sorted() == expected)
                #expect(matcher.isMatched(beacon) == !matcher.matches(beacon).isEmpty)
            }
        }
    }
}
