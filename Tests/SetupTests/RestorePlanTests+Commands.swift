import Foundation
import OkaeriConfiguration
import OkaeriTestSupport
import Testing

@testable import OkaeriSetup

/// The commands of backups that are invented.
extension RestorePlanTests {
    private static let uuid = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
    private static let otherUUID = "74278BDA-B644-4520-8F0C-720EAF059935"

    private func newKeys(_ plan: RestorePlan) -> [String] { plan.newCommands.map(\.command.place) }

    func regions(_ regions: String...) -> [UInt8] {
        Array(#"{"regions": [\#(regions.joined(separator: ", "))]}"#.utf8)
    }

    private func region(
        _ name: String, uuid: String = uuid, key: String = "onEnter", scope: String = "node"
    ) -> String {
        #"{"identifier": "\#(name)", "uuid": "\#(uuid)", "scope": "\#(scope)", "\#(key)": ["/bin/lamp", "on"]}"#
    }

    @Test func `a command is new unless it runs for the same event of the same devices`() throws {
        let home = region("home")
        _ = try folder.file("beacons.json", regions(home))
        #expect(try newKeys(plan([], of: regions(home))).isEmpty)
        #expect(
            try newKeys(plan([], of: regions(region("evil", uuid: Self.otherUUID), home))) == ["regions[0].onEnter"])
        for other in [
            region("home", uuid: Self.otherUUID), region("other"), region("home", key: "onExit"),
            region("home", scope: "house"),
        ] {
            #expect(try plan([], of: regions(other)).newCommands.count == 1, "\(other)")
        }
        let both = try plan([], of: regions(region("evil", uuid: Self.otherUUID), home))
        #expect(both.commands.map(\.isNew) == [true, false], "each command is listed")
        #expect(both.newCommands.first?.cause == "onEnter of the region \"evil\" (\(Self.otherUUID)/*/*)")
    }

    @Test func `a command of a service is new for another service`() throws {
        func service(_ uuid: String) -> [UInt8] {
            Array(#"{"regions": [], "services": [{"service": "\#(uuid)", "onConnect": ["/bin/lamp"]}]}"#.utf8)
        }
        _ = try folder.file("beacons.json", service("180F"))
        #expect(try newKeys(plan([], of: service("180F"))).isEmpty)
        #expect(try newKeys(plan([], of: service("180D"))) == ["services[0].onConnect"])
    }

    @Test func `the plan has each command that the present configuration does not run`() throws {
        func house(_ commands: String) -> [UInt8] { configuration(tls: "", more: #", "house": {\#(commands)}"#) }
        let backup = house(#""onOccupied": ["/bin/lamp", "on"], "onEmpty": ["/bin/lamp", "on"]"#)
        #expect(try newKeys(plan([], of: backup)) == ["house.onOccupied", "house.onEmpty"])
        _ = try folder.file("beacons.json", house(#""onEmpty": ["/bin/lamp", "on"]"#))
        #expect(try newKeys(plan([], of: backup)) == ["house.onOccupied"])
        _ = try folder.file("beacons.json", backup)
        #expect(try newKeys(plan([], of: backup)).isEmpty)
    }

    @Test func `a region that the page has saved counts for the commands of the house`() throws {
        let backup = configuration(tls: "", more: #", "house": {"onOccupied": ["/bin/door"]}"#)
        _ = try folder.file("beacons.json", backup)
        let evil = regions(#"{"identifier": "evil", "uuid": "\#(Self.otherUUID)"}"#)
        #expect(try newKeys(plan([], of: backup, state: [(.state(.regions), evil)])) == ["house.onOccupied"])
        #expect(try newKeys(plan([], of: backup)).isEmpty)
        // A threshold does not add a beacon.
        let threshold = regions(#"{"identifier": "home", "enterRSSI": -70}"#)
        #expect(try newKeys(plan([], of: backup, state: [(.state(.regions), threshold)])).isEmpty)
        try FileManager.default.createDirectory(
            atPath: "\(folder.path)/state", withIntermediateDirectories: true)
        _ = try folder.file("state/regions.json", evil)
        #expect(try newKeys(plan([], of: backup, state: [(.state(.regions), evil)])).isEmpty)
    }

    @Test func `the key of another phone makes a command new`() throws {
        let path = "\(folder.path)/me.key"
        let backup = regions(#"{"identifier": "me", "phone": "\#(path)", "onEnter": ["/bin/door"]}"#)
        let key = Array("00112233445566778899aabbccddeeff\n".utf8)
        _ = try folder.file("beacons.json", backup)
        _ = try folder.file("me.key", key)
        chmod(path, 0o600)
        #expect(try newKeys(plan([(0, path, key)], of: backup)).isEmpty)
        let other = Array("ffeeddccbbaa99887766554433221100\n".utf8)
        let plan = try plan([(0, path, other)], of: backup)
        #expect(newKeys(plan) == ["regions[0].onEnter"])
        #expect(plan.commands.map(\.cause) == ["onEnter of the region \"me\" (phone \(path), whose key changes)"])
        unlink(path)
        let created = try self.plan([(0, path, other)], of: backup)
        #expect(created.newCommands.map(\.cause) == ["onEnter of the region \"me\" (phone \(path))"])
    }

    @Test
    func `a command is shown with the beacons of the house, its scope and the changed key of a phone of the page`()
        throws
    {
        let home = region("home", scope: "house")
        let backup = Array(#"{"house": {"onEmpty": ["/bin/lamp"]}, "regions": [\#(home)]}"#.utf8)
        try FileManager.default.createDirectory(atPath: "\(folder.path)/state", withIntermediateDirectories: true)
        _ = try folder.file("state/anna.irk", Array("00112233445566778899aabbccddeeff\n".utf8))
        let plan = try plan(
            [], of: backup,
            state: [
                (.key("anna.irk"), Array("ffeeddccbbaa99887766554433221100\n".utf8)),
                (.state(.regions), regions(#"{"identifier": "anna", "phone": "anna.irk"}"#)),
            ])
        #expect(
            plan.commands.map(\.cause) == [
                "onEnter of the region \"home\" (\(Self.uuid)/*/*) for the whole house",
                "onEmpty of the house (\"anna\" (phone anna.irk, whose key changes), \"home\" (\(Self.uuid)/*/*))",
            ])
    }
}
