import Foundation
import OkaeriTestSupport
import Testing

/// The command line in a container.
@Suite(.blocks, .timeLimit(.minutes(5))) struct ContainerTests {
    private let binary: Binary

    init() throws { binary = try Binary() }

    @Test(arguments: [
        ("oci", "start the container, or name"), ("homeassistant", "start the app in Home Assistant, or name"),
        ("lxc", "`sudo systemctl start okaeri`, or name"),
    ])
    func `a remedy is one of the container`(container: String, remedy: String) throws {
        let outcome = try binary.run(["status", "--socket", "none.sock"], environment: ["container": container])
        #expect(outcome.errors.contains(remedy), "\(outcome.errors)")
    }

    @Test func `the output has commands in values as they are`() throws {
        let name = "`sudo systemctl x` and sudo"
        let uuid = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
        let json = #"{"regions": [{"identifier": "\#(name)", "uuid": "\#(uuid)"}]}"#
        let file = try binary.file("\(name).json", json.utf8)
        let check = try binary.run(["config", "check", "--json", "--config", file], environment: ["container": "oci"])
        #expect(check.status == 0 && check.output.contains("\"regions\":[\"\(name)\"]"), "\(check)")
        let missing = try binary.run(
            ["config", "check", "--config", "\(name).none"], environment: ["container": "oci"])
        #expect(
            missing.errors.contains(name) && missing.errors.contains("create one with `okaeri setup`"), "\(missing)")
    }
}
