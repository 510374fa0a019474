import Testing

@testable import IBeacon

@Suite struct BeaconConstraintTests {
    private static let owner = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"

    @Test func `a constraint is parsed as it is printed`() throws {
        let uuid = try #require(BeaconUUID(Self.owner))
        for constraint: BeaconConstraint in [.uuid(uuid), .major(uuid, 0), .major(uuid, 65535), .minor(uuid, 5, 10)] {
            #expect(BeaconConstraint(constraint.description) == constraint)
        }
        #expect(BeaconConstraint(Self.owner) == .uuid(uuid))
        #expect(BeaconConstraint("\(Self.owner)/1") == .major(uuid, 1))
    }

    @Test func `labels create the constraints and the regions of an owner, a group and a beacon`() throws {
        let uuid = try #require(BeaconUUID(Self.owner))
        #expect(BeaconConstraint(uuid: uuid) == .uuid(uuid))
        #expect(BeaconConstraint(uuid: uuid, major: 5) == .major(uuid, 5))
        #expect(BeaconConstraint(uuid: uuid, major: 5, minor: 10) == .minor(uuid, 5, 10))
        let identifier = "home"
        #expect(
            BeaconRegion(uuid: uuid, identifier: identifier) == .init(identifier: identifier, constraint: .uuid(uuid)))
        #expect(
            BeaconRegion(uuid: uuid, major: 5, identifier: identifier)
                == .init(identifier: identifier, constraint: .major(uuid, 5)))
        #expect(
            BeaconRegion(uuid: uuid, major: 5, minor: 10, identifier: identifier)
                == .init(identifier: identifier, constraint: .minor(uuid, 5, 10)))
    }

    @Test(
        arguments: [
            "/+5", "/-0", "/05", "/ 5", "/5 ", "/５", "/65536", "/-1", "/", "/5/", "/1/+2", "/1/02", "/1/2/3", "/*/5",
            "/5.0",
        ])
    func `numbers are decimal, without a sign or zeros in front`(_ numbers: String) {
        #expect(BeaconConstraint(Self.owner + numbers) == nil)
    }
}
