import Foundation
import OkaeriPlumbing
import OkaeriTestSupport
import Testing

@testable import okaeri

/// `okaeri web on` and `off` as people run them, without a service.
@Suite(.blocks) struct WebSwitchTests {
    private let binary: Binary

    init() throws { binary = try Binary() }

    private func text() throws -> String {
        try String(contentsOfFile: "\(binary.folder)/beacons.json", encoding: .utf8)
    }

    @Test func `the page is switched on and off in the configuration, and the rest stays`() throws {
        _ = try binary.file("beacons.json", "{\n  \"adapter\": \"hci1\",\n  \"regions\": []\n}\n".utf8)
        let file = ["--config", "beacons.json"]
        let on = try binary.run(["web", "on"] + file)
        #expect(on.status == 0 && on.output.contains("SIGHUP"), "\(on)")
        #expect(try text().contains(#""web": { "listen": "127.0.0.1:8080" }"#) && text().contains("hci1"))
        let lan = try binary.run(["web", "on", "--lan", "--port", "8081"] + file)
        #expect(lan.status == 0 && lan.output.contains("okaeri web link"), "\(lan)")
        #expect(try text().contains(#""listen": "0.0.0.0:8081""#))
        let off = try binary.run(["web", "off"] + file)
        #expect(off.status == 0, "\(off)")
        #expect(try text() == "{\n  \"adapter\": \"hci1\",\n  \"regions\": []\n}\n")
        let again = try binary.run(["web", "off"] + file)
        #expect(again.status == 0 && again.output.contains("off already"), "\(again)")
    }

    @Test func `with --json the result is one object`() throws {
        struct Report: Decodable {
            var file: String
            var changed: Bool
            var applied: Bool
            var address: String?
            var next: [String]?
        }
        _ = try binary.file("beacons.json", #"{"regions": []}"#.utf8)
        func report(_ words: String...) throws -> Report {
            let outcome = try binary.run(["web"] + words + ["--json", "--config", "beacons.json"])
            #expect(outcome.status == 0 && outcome.output.split(separator: "\n").count == 1, "\(outcome)")
            return try JSONDecoder().decode(Report.self, from: Data(outcome.output.utf8))
        }
        let on = try report("on", "--lan")
        #expect(
            on.changed && !on.applied && on.address == "0.0.0.0:8080" && on.next?.count == 1
                && on.file == "beacons.json")
        #expect(try !report("on", "--lan").changed)
        #expect(try report("off").changed && !report("off").changed)
    }

    @Test(arguments: ["pi.lan:8080", "ftp://pi.lan/", "http://anna@pi.lan/", "http://pi.lan/?a=b"])
    func `an address that no browser opens is a mistake in the arguments`(address: String) throws {
        let outcome = try binary.run(["web", "link", "--address", address])
        #expect(outcome.status == 64 && outcome.errors.contains("--address takes the page's address"), "\(outcome)")
    }

    @Test func `a link needs a page that is served`() async throws {
        let taken = try TestWebServer { _ in .status(404) }
        defer { withExtendedLifetime(taken) {} }
        let address = taken.address.replacing("http://", with: "")
        let uuid = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
        _ = try binary.file(
            "beacons.json",
            #"{"web": {"listen": "\#(address)"}, "regions": [{"identifier": "home", "uuid": "\#(uuid)"}]}"#.utf8)
        let daemon = try binary.start(
            [
                "monitor", "--capture", Binary.capture, "--config", "beacons.json", "--wifi", "simulated", "--socket",
                "s",
                "--state-dir", "state",
            ], output: "/dev/null")
        defer {
            kill(daemon.processIdentifier, SIGTERM)
            daemon.waitUntilExit()
        }
        var outcome = Binary.Outcome(status: 0, output: "", errors: "")
        // The daemon answers before it opens the port.
        try await eventually("the port is refused") {
            outcome = try binary.run(["web", "link", "--socket", "s"])
            return outcome.errors.contains("is not served on")
        }
        #expect(outcome.status == 1 && outcome.output.isEmpty, "\(outcome)")
        #expect(outcome.errors.contains("the page is not served on \(address): "), "\(outcome)")
        #expect(!outcome.errors.contains("this machine alone"), "\(outcome)")
    }

    @Test func `a page without a login is never opened to other machines`() throws {
        _ = try binary.file(
            "beacons.json", #"{"web": {"listen": "127.0.0.1:8080", "open": true}, "regions": []}"#.utf8)
        let lan = try binary.run(["web", "on", "--lan", "--config", "beacons.json"])
        #expect(lan.status == 0, "\(lan)")
        #expect(try !text().contains("open") && text().contains("0.0.0.0:8080"))
    }

    @Test func `a configuration with a mistake is refused and stays`() throws {
        let file = try binary.file("beacons.json", #"{"regions": [], "webb": 1}"#.utf8)
        #expect(try binary.run(["web", "on", "--config", file]).status == 78)
        #expect(try binary.run(["web", "off", "--config", file]).status == 78)
        #expect(try binary.run(["web", "on", "--config", file, "--port", "0"]).status == 64)
        #expect(try text() == #"{"regions": [], "webb": 1}"#)
    }

    @Test func `the address depends on the options, then on the file`() throws {
        func address(_ lan: Bool, _ port: UInt16?, _ before: String?) throws -> String {
            try WebOnCommand.address(lan: lan, port: port, before: before.flatMap(ListenAddress.init)).description
        }
        #expect(try address(false, nil, nil) == "127.0.0.1:8080")
        #expect(try address(true, nil, nil) == "0.0.0.0:8080")
        #expect(try address(false, nil, "0.0.0.0:9000") == "127.0.0.1:9000")
        #expect(try address(true, nil, "127.0.0.1:9000") == "0.0.0.0:9000")
        #expect(try address(true, 81, "192.168.1.7:80") == "192.168.1.7:81")
        #expect(try address(false, 82, "[::1]:80") == "[::1]:82")
    }

    @Test(arguments: [
        ("http://127.0.0.1:8080/", true), ("http://[::1]:8080/", true), ("http://localhost:8080/", true),
        ("http://192.168.1.7:8080/", false), ("https://okaeri.example.org/", false), ("http://pi.lan:8080/", false),
    ])
    func `an address that only this machine reaches is recognized`(address: String, isLocal: Bool) {
        #expect(WebLink.isOfThisMachine(address) == isLocal)
    }
}
