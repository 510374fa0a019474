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
        "ec:02:34:a3:57:c8:ad:05:34:10:10:a6:0a:39:7d:9b", "ec-02-34-a3-57-c8-ad-05-34-10-10-a6-0a-39-7d-9b",
        "EC 02 34 A3 57 C8 AD 05 34 10 10 A6 0A 39 7D 9B", "0x" + digits, "irk:0x" + digits,
        "0xec, 0x02, 0x34, 0xa3, 0x57, 0xc8, 0xad, 0x05, 0x34, 0x10, 0x10, 0xa6, 0x0a, 0x39, 0x7d, 0x9b",
        "ec0234a3 57c8ad05 341010a6 0a397d9b", "ec,02,34,a3,57,c8,ad,05,34,10,10,a6,0a,39,7d,9b",
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
        "ec:2:34:a3:57:c8:ad:05:34:10:10:a6:0a:39:7d:9b", "0x", "0x 0x" + digits, "0x0x" + digits,
        "ec:02:34:a3:57:c8", "IRK:" + digits, String(base64.dropLast(4)) + "w1==",
        String(repeating: "A", count: 22) + "==",
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
        let spaced = "ec 02 34 a3 57 c8 ad 05 34 10 10 a6 0a 39 7d 9b"
        #expect(DeviceIdentity("\(spaced) C0:11:22:33:44:55") == DeviceIdentity(key: key, address: address))
        for text in [
            "", "C0:11:22:33:44:55", "\(Self.digits) \(Self.digits)", "\(Self.digits) C0:11:22:33:44:55 x",
            "00112233445566778899 AA:BB:CC:DD:EE:FF", "00 11 22 33 44 55 66 77 88 99 AA:BB:CC:DD:EE:FF",
        ] {
            #expect(DeviceIdentity(text) == nil, "\(text)")
        }
    }

    /// The bytes in the order of BlueZ, the least significant one first.
    private static let wire = "9B7D390AA610103405ADC857A33402EC"

    private static let info = """
        [General]
        Name=Anna's phone
        AddressType=public

        [LongTermKey]
        Key=000102030405060708090A0B0C0D0E0F
        EncSize=16

        [IdentityResolvingKey]
        Key=\(wire)

        [SlaveLongTermKey]
        Key=0F0E0D0C0B0A09080706050403020100
        """

    private static let registry = #"""
        Windows Registry Editor Version 5.00

        [HKEY_LOCAL_MACHINE\SYSTEM\ControlSet001\Services\BTHPORT\Parameters\Keys\dca632010203\c01122334455]
        "LTK"=hex:00,01,02,03,04,05,06,07,08,09,0a,0b,0c,0d,0e,0f
        "IRK"=hex:ec,02,34,a3,57,c8,ad,05,34,10,10,a6,0a,\
          39,7d,9b
        "AuthReq"=dword:0000002d
        """#

    @Test(arguments: [
        info, info.replacing("\n", with: "\r\n"), "Key=\(wire)", "[IdentityResolvingKey]\nKey=\(wire)\n", registry,
        registry.replacing("\n", with: "\r\n"), "hex:ec,02,34,a3,57,c8,ad,05,34,10,10,a6,0a,39,7d,9b",
        "\"IRK\"=hex:ec,02,34,a3,57,c8,ad,05,34,10,10,a6,0a,39,7d,9b",
    ])
    func `the file in which another system keeps a key gives the key`(text: String) throws {
        let identity = try #require(DeviceIdentity(text))
        #expect(identity == DeviceIdentity(Self.digits))
        #expect(DeviceIdentity("\(identity.key.secretText)") == identity)
    }

    @Test func `a file without a key, or with the keys of several devices, gives none`() throws {
        let other = "hex:00,01,02,03,04,05,06,07,08,09,0a,0b,0c,0d,0e,0f"
        for text in [
            Self.info.replacing("[IdentityResolvingKey]", with: "[RemoteSignatureKey]"), "[IdentityResolvingKey]",
            "Key=",
            Self.registry.replacing("IRK", with: "CSRK"), Self.registry + "\n\"IRK\"=" + other, "hex:ec,02", "hex:\\",
            "Key=\(Self.wire)\nKey=000102030405060708090A0B0C0D0E0F",
        ] {
            #expect(DeviceIdentity(text) == nil, "\(text)")
        }
        #expect(DeviceIdentity(Self.registry + "\n" + Self.registry) == DeviceIdentity(Self.digits), "the same twice")
    }

    @Test func `an export of the registry is read in the encoding of Windows`() throws {
        let folder = try TemporaryFolder()
        var bytes: [UInt8] = [0xFF, 0xFE]
        for unit in Self.registry.utf16 { bytes += [UInt8(truncatingIfNeeded: unit), UInt8(unit >> 8)] }
        let file = try folder.file("keys.reg", bytes)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        #expect(try IdentityFile.load(file) == DeviceIdentity(Self.digits))
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
        try Data((Self.digits + String(repeating: " ", count: 1 << 16)).utf8).write(to: URL(filePath: file))
        #expect(problem() == .file(.tooLarge(limit: 1 << 16 + 1)))
    }
}
