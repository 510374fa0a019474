import Foundation
import OkaeriTestSupport
import Testing

/// `okaeri config remove`.
@Suite(.blocks, .timeLimit(.minutes(5))) struct ConfigRemoveTests {
    private let binary: Binary

    init() throws { binary = try Binary() }

    private let tag = "5F1C2A8E-93B4-4D07-A6E1-7C0D52B98F34/1/1"

    private func file() throws -> String {
        try binary.file(
            "beacons.json",
            #"""
            { "regions": [
              { "identifier": "Anna", "anyOf": [ { "uuid": "5F1C2A8E-93B4-4D07-A6E1-7C0D52B98F34", "major": 1, "minor": 1 },
                                                 { "phone": "/etc/okaeri/anna.irk" } ], "onEnter": ["/bin/true"] },
              { "identifier": "home", "uuid": "5F1C2A8E-93B4-4D07-A6E1-7C0D52B98F34", "major": 2 } ] }
            """#.utf8)
    }

    @Test(arguments: [
        ("5f1c2a8e-93b4-4d07-a6e1-7c0d52b98f34/1/1", false), ("anna", true), ("/etc/okaeri/anna.irk", true),
    ])
    func `one sign is removed, and the region stays`(sign: String, keepsTag: Bool) throws {
        let file = try file()
        let outcome = try binary.run(["config", "remove", "Anna", "--sign", sign, "--config", file])
        #expect(outcome.status == 0 && outcome.output.contains("\(file) is written."), "\(outcome)")
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(!text.contains("anyOf") && text.contains("/bin/true") && text.contains("home"))
        #expect(text.contains("\"minor\": 1") == keepsTag && text.contains("anna.irk") != keepsTag)
        let last = try binary.run(["config", "remove", "Anna", "--sign", keepsTag ? tag : "anna", "--config", file])
        #expect(last.status == 64 && last.errors.contains("Anna has one sign alone; to remove it, delete the region"))
    }

    @Test func `a region is removed, and unknown names are refused with those that exist`() throws {
        let file = try file()
        let unknown = try binary.run(["config", "remove", "Anna", "--sign", "bert", "--config", file])
        #expect(unknown.status == 64 && unknown.errors.contains("Anna has no sign bert; its signs are: \(tag), anna"))
        #expect(try binary.run(["config", "remove", "Bert", "--config", file]).status == 64)
        let outcome = try binary.run(["config", "remove", "Anna", "--json", "--config", file])
        #expect(
            outcome.status == 0 && outcome.output.contains("\"changed\":true")
                && outcome.output.contains("\"identifier\":\"Anna\""))
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(!text.contains("Anna") && text.contains("home"))
        #expect(try String(contentsOfFile: file + ".bak", encoding: .utf8).contains("Anna"))
    }
}
