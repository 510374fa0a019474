import Foundation
import HCI
import OkaeriEvents
import OkaeriMQTT
import OkaeriTestSupport
import Testing

@testable import OkaeriConfiguration
@testable import okaeri

/// `okaeri enroll` as people run it, without a service.
@Suite(.blocks) struct EnrollTests {
    private static let key = "ec0234a357c8ad05341010a60a397d9b"
    private let binary: Binary

    init() throws { binary = try Binary() }

    private func enroll(_ arguments: String...) throws -> Binary.Outcome {
        let input = try binary.file("key", Self.key.utf8)
        return try binary.run(["enroll", "anna", "--config", "beacons.json", "--import"] + arguments, input: input)
    }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: binary.folder).sorted() }
    }

    @Test func `a key is written beside the configuration, and the region is added`() throws {
        _ = try binary.file("beacons.json", #"{"regions": []}"#.utf8)
        let outcome = try enroll("-")
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
        let text = try String(contentsOfFile: "\(binary.folder)/beacons.json", encoding: .utf8)
        #expect(text.contains("/anna.irk\"") && !text.contains(Self.key))
        let key = try String(contentsOfFile: "\(binary.folder)/anna.irk", encoding: .utf8)
        #expect(key.lowercased() == Self.key + "\n")
    }

    @Test func `a region that cannot be added leaves no key file`() throws {
        let regions = (0..<Configuration.phoneLimit).map {
            #"{"identifier": "r\#($0)", "phone": "/etc/okaeri/\#($0).irk"}"#
        }
        _ = try binary.file("beacons.json", #"{"regions": [\#(regions.joined(separator: ","))]}"#.utf8)
        let outcome = try enroll("-")
        #expect(outcome.status == 78, "\(outcome)")
        #expect(try names == ["beacons.json", "key"])
    }

    @Test func `a key is read from a file that no other user can read`() throws {
        _ = try binary.file("beacons.json", #"{"regions": []}"#.utf8)
        let file = try binary.file("phone.txt", (Self.key + "\n").utf8)
        chmod(file, 0o644)
        let open = try enroll(file)
        #expect(open.status == 64 && open.errors.contains("chmod 0600"), "\(open)")
        chmod(file, 0o600)
        let outcome = try enroll("phone.txt")
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
        let written = try String(contentsOfFile: "\(binary.folder)/anna.irk", encoding: .utf8)
        #expect(written.lowercased() == Self.key + "\n")
    }

    /// The bytes as BlueZ writes them, the least significant one first.
    private static let info = """
        [General]
        Name=Phone

        [IdentityResolvingKey]
        Key=9B7D390AA610103405ADC857A33402EC

        """

    @Test func `BlueZ's file of a device is imported, from a file and from standard input`() throws {
        let file = try binary.file("info", Self.info.utf8)
        chmod(file, 0o600)
        for (source, name) in [("info", "anna"), ("-", "bob")] {
            _ = try binary.file("beacons.json", #"{"regions": []}"#.utf8)
            let outcome = try binary.run(
                ["enroll", name, "--config", "beacons.json", "--import", source], input: file)
            #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
            let key = try String(contentsOfFile: "\(binary.folder)/\(name).irk", encoding: .utf8)
            #expect(key.lowercased() == Self.key + "\n")
        }
        let other = try binary.file("other", (Self.info + "[IdentityResolvingKey]\nKey=\(Self.key)\n").utf8)
        let outcome = try binary.run(
            ["enroll", "carol", "--config", "beacons.json", "--import", "-"], input: other)
        #expect(outcome.status == 64 && outcome.errors.contains("the key of one device"), "\(outcome)")
        for key in [Self.key, "9B7D390A"] { #expect(!outcome.errors.lowercased().contains(key.lowercased())) }
    }

    private static let base64 = "m305CqYQEDQFrchXozQC7A=="

    @Test(arguments: [
        ["enroll", "anna", "--import", key], ["enroll", "anna", "--import", "\(key) 00:11:22:33:44:55"],
        ["enroll", "anna", "--import=\(base64)"], ["enroll", key], ["enroll", "anna", "\(key) 00:11:22:33:44:55"],
        ["enroll", "anna", "irk:\(key)"], ["enroll", "anna", key, "00:11:22:33:44:55"],
        ["enroll", "anna", key.prefix(16).description, key.suffix(16).description],
        ["enroll", "anna", String(key.dropLast())], ["enroll", "anna", "--timeout", key],
        ["enroll", "anna", "--timeout=\(key)"], ["enroll", "anna", "--from-broker", base64], ["enroll", key, "--json"],
        ["replay", "--score", "--phone", key, "day.btsnoop"],
    ])
    func `a key on the command line is refused, and is not shown`(arguments: [String]) throws {
        let outcome = try binary.run(arguments)
        #expect(outcome.status == 64 && outcome.errors.contains("key"), "\(outcome)")
        for part in [Self.key.prefix(16), Self.key.suffix(15).dropLast(), Self.base64.prefix(16)] {
            #expect(!(outcome.errors + outcome.output).contains(part), "\(outcome)")
        }
        #expect(try names == [])
    }

    @Test(arguments: [["anna", "Anna"], ["ANNA"]])
    func `a name with two keys at the broker is not chosen`(published: [String]) async throws {
        let broker = try TestBroker()
        let client = try MQTTClient(
            MQTTSettings(broker: .init(host: "127.0.0.1", port: broker.port), clientID: "station"), onMessage: { _ in })
        let running = Task { try await client.run() }
        for (index, name) in published.enumerated() {
            let key = String(Self.key.dropLast()) + "\(index)"
            client.publish(.value("espresense/settings/irk:\(key)/config", #"{"name":"\#(name)"}"#.utf8))
        }
        try await broker.logged("'espresense/settings", times: published.count)
        client.stop()
        _ = try await running.value
        let json = #"{"regions": [], "mqtt": {"host": "127.0.0.1", "port": \#(broker.port)}}"#
        _ = try binary.file("beacons.json", json.utf8)
        let outcome = try binary.run(["enroll", "anna", "--config", "beacons.json", "--from-broker", "--yes"])
        if published.count == 1 {
            #expect(outcome.status == 0, "\(outcome)")
            #expect(try names.contains("anna.irk"))
        } else {
            #expect(outcome.status == 1 && outcome.errors.contains("several keys named anna"), "\(outcome)")
            #expect(try !names.contains("anna.irk"))
        }
    }

    @Test func `a phone is not enrolled a second time under another name`() throws {
        _ = try binary.file("beacons.json", #"{"regions": []}"#.utf8)
        #expect(try enroll("-").status == 0)
        let input = try binary.file("key", Self.key.utf8)
        let outcome = try binary.run(
            ["enroll", "bob", "--config", "beacons.json", "--import", "-"], input: input)
        #expect(outcome.status == 74 && outcome.errors.contains("anna.irk has its key"), "\(outcome)")
        #expect(try !names.contains("bob.irk"))
    }

    @Test func `the result of the wait names the count, or that a key does not prove a reception`() {
        #expect(EnrollmentReport.Reception(count: 1, seconds: 40).sentence == "The phone was received 1 time in 40 s.")
        #expect(
            EnrollmentReport.Reception(count: 312, seconds: 600).sentence
                == "The phone was received 312 times in 10 minutes.")
        #expect(EnrollmentReport.Reception(count: 0, seconds: 600).sentence.contains("does not prove"))
    }
}
