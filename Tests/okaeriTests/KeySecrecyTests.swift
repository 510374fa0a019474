import Foundation
import OkaeriTestSupport
import Testing

/// The key of a phone in what commands print and write.
@Suite(.blocks) struct KeySecrecyTests {
    private static let digits = "ec0234a357c8ad05341010a60a397d9b"
    /// The key in hexadecimal digits and base64, in both orders of bytes.
    private static let forms = [
        digits, "9b7d390aa610103405adc857a33402ec", "7AI0o1fIrQU0EBCmCjl9mw", "m305CqYQEDQFrchXozQC7A",
    ]

    private static let commands = [
        ["config", "check", "--config", "beacons.json"], ["config", "check", "--config", "beacons.json", "--json"],
        ["replay", Binary.capture, "--config", "beacons.json", "--verbose"],
        ["replay", Binary.capture, "--score", "--json", "--config", "beacons.json"],
        ["replay", Binary.capture, "--score", "--phone", "anna.irk", "--verbose"],
        ["scan", "--phones", "--capture", Binary.capture, "--duration", "1", "--config", "beacons.json", "--verbose"],
        ["record", "plain.btsnoop", "--capture", Binary.capture, "--duration", "1", "--verbose"],
        ["record", "redacted.btsnoop", "--capture", Binary.capture, "--duration", "1", "--redact"],
        ["backup", "backup.tar", "--config", "beacons.json"],
        ["doctor", "--config", "beacons.json", "--report", "report", "--socket", "none.sock"],
        ["enroll", "bob", "--import", "anna.irk", "--config", "beacons.json"],
    ]

    @Test(arguments: commands)
    func `a command prints and writes no key`(command: [String]) throws {
        let binary = try Binary()
        chmod(try binary.file("anna.irk", Self.digits.utf8), 0o600)
        let json = #"{"regions": [{"identifier": "anna", "phone": "\#(binary.folder)/anna.irk"}]}"#
        _ = try binary.file("beacons.json", json.utf8)
        let outcome = try binary.run(command)
        #expect(!(outcome.output + outcome.errors).isEmpty || outcome.status == 0, "\(outcome)")
        // A backup has the key file.
        let files = try FileManager.default.contentsOfDirectory(atPath: binary.folder)
            .filter { $0 != "anna.irk" && $0 != "backup.tar" }
        let texts = files.compactMap { FileManager.default.contents(atPath: "\(binary.folder)/\($0)") }
            .map { String(decoding: $0, as: UTF8.self) }
        for text in [outcome.output, outcome.errors] + texts {
            for form in Self.forms { #expect(!text.contains(form), "\(command): \(text.prefix(400))") }
        }
        for part in [Self.digits.prefix(12), Self.digits.suffix(12)] {
            #expect(!(outcome.output + outcome.errors).lowercased().contains(part), "\(command): \(outcome)")
        }
    }

    @Test func `the memory of the program is not dumped, and no program of its user reads it`() throws {
        typealias Control = @convention(c) (CInt, CUnsignedLong, CUnsignedLong, CUnsignedLong, CUnsignedLong) -> CInt
        let symbol = try #require(dlsym(nil, "prctl"))
        let control = unsafeBitCast(symbol, to: Control.self)
        // PR_GET_DUMPABLE of prctl(2). The constructor is in this process as it is in the program.
        #expect(control(3, 0, 0, 0, 0) == 0)
        let unit = try String(contentsOfFile: "\(Binary.top)/packaging/okaeri.service", encoding: .utf8)
        #expect(unit.contains("\nLimitCORE=0\n"))
    }
}
