import Foundation
import HCI
import OkaeriPlumbing
import OkaeriTestSupport
import Testing

struct IdentityResolvingKeyTests {
    private static let digits = "ec0234a357c8ad05341010a60a397d9b"
    private static let base64 = "m305CqYQEDQFrchXozQC7A=="

    @Test(arguments: [
        digits, digits.uppercased(), "irk:" + digits, base64, "irk:" + base64, String(base64.dropLast(2)),
    ])
    func `each notation of a key gives the same key`(text: String) throws {
        let key = try #require(IdentityResolvingKey(text))
        #expect(key == IdentityResolvingKey(Self.digits))
        #expect(key.secretText.lowercased() == Self.digits)
        #expect(key != key.reversed && key == key.reversed.reversed)
    }

    @Test(arguments: [
        "", "irk:", String(digits.dropLast()), digits + "0", digits + "00", "g" + digits.dropFirst(),
        "irk:irk:" + digits,
        String(repeating: "0", count: 32), String(base64.dropLast(3)), base64 + "=", "=" + base64.dropLast(),
        "A" + base64,
        "IRK:" + digits, String(base64.dropLast(4)) + "w1==", String(repeating: "A", count: 22) + "==",
    ])
    func `another text is not a key`(text: String) { #expect(IdentityResolvingKey(text) == nil) }

    @Test func `no description contains a key`() throws {
        let identity = try #require(DeviceIdentity(Self.digits + " 70:81:94:0D:FB:AA"))
        var dumped = ""
        dump(identity, to: &dumped)
        for text in [
            "\(identity)", String(reflecting: identity), dumped, "\(identity.key)", String(reflecting: identity.key),
            "\(Mirror(reflecting: identity.key).children.count)",
        ] {
            #expect(!text.lowercased().contains("ec0234") && !text.contains("\(identity.key.high)"), "\(text)")
        }
    }

    @Test func `an identity has a key and perhaps an address`() throws {
        let key = try #require(IdentityResolvingKey(Self.digits))
        let address = try #require(BluetoothAddress("C0:11:22:33:44:55"))
        #expect(DeviceIdentity(Self.digits) == DeviceIdentity(key: key))
        #expect(DeviceIdentity(" \(Self.base64)\n") == DeviceIdentity(key: key))
        #expect(DeviceIdentity("\(Self.digits)\nC0:11:22:33:44:55") == DeviceIdentity(key: key, address: address))
        for text in ["", "C0:11:22:33:44:55", "\(Self.digits) \(Self.digits)", "\(Self.digits) C0:11:22:33:44:55 x"] {
            #expect(DeviceIdentity(text) == nil, "\(text)")
        }
    }

    @Test func `a file with an identity is read if it is guarded as a secret`() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("anna.irk", Array("irk:\(Self.digits)\n".utf8))
        func problem() -> IdentityFileError.Problem? {
            do throws(IdentityFileError) {
                #expect(try IdentityFile.load(file) == DeviceIdentity(Self.digits))
                return nil
            } catch {
                #expect(error.description.contains(file) && !error.description.contains("ec0234"))
                return error.problem
            }
        }
        for (mode, expected) in [(0o644, IdentityFileError.Problem.file(.open(mode: 0o644))), (0o600, nil)] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
            #expect(problem() == expected)
        }
        try Data("\(Self.digits.dropLast())".utf8).write(to: URL(filePath: file))
        #expect(problem() == .noKey)
        try Data((Self.digits + String(repeating: " ", count: 64)).utf8).write(to: URL(filePath: file))
        #expect(problem() == .file(.tooLarge(limit: 65)))
    }
}
