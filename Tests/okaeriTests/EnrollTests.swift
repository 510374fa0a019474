import OkaeriEvents
import Foundation
import HCI
import Testing

@testable import OkaeriConfiguration
@testable import okaeri

/// `okaeri enroll` as people run it, without a service.
@Suite struct EnrollTests {
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

    @Test func `a key on the command line is followed by a warning without the key`() throws {
        _ = try binary.file("beacons.json", #"{"regions": []}"#.utf8)
        let outcome = try enroll(Self.key)
        #expect(outcome.status == 0 && outcome.errors.contains("--import -"), "\(outcome)")
        #expect(!(outcome.errors + outcome.output).contains(Self.key))
    }

    @Test(arguments: [
        ["enroll", "anna", key], ["enroll", "anna", "--timeout", key], ["enroll", "anna", "--timeout=\(key)"],
        ["enroll", "anna", "--from-broker", "m305CqYQEDQFrchXozQC7A=="], ["enroll", key, "--json"],
        ["replay", "--score", "--phone", key, "day.btsnoop"],
    ])
    func `a key in a wrong place of the command line is not shown`(arguments: [String]) throws {
        let outcome = try binary.run(arguments)
        let secret = arguments.first { IdentityResolvingKey($0) != nil } ?? Self.key
        #expect(outcome.status == 64 && !(outcome.errors + outcome.output).contains(secret), "\(outcome)")
        #expect(outcome.errors.contains("key"))
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
