import FoundationEssentials
import Testing

@testable import OkaeriEncryption

@Suite struct AgeTests {
    static let passphrase = Array("お帰り, welcome home".utf8)
    /// The work of files in tests: the least that scrypt takes.
    static let logN = 1

    static func content(_ size: Int) -> [UInt8] { (0..<size).map { UInt8(($0 * 7 + 3) % 251) } }

    static func encrypted(_ content: [UInt8], step: Int = .max) throws -> [UInt8] {
        var encryptor = try AgeEncryptor(passphrase: passphrase, logN: logN)
        var file = encryptor.preamble
        var rest = content[...]
        while !rest.isEmpty {
            file += encryptor.encrypted(rest.prefix(step))
            rest = rest.dropFirst(step)
        }
        return file + encryptor.end()
    }

    static func decrypted(_ file: [UInt8], passphrase: [UInt8] = passphrase) throws(AgeFailure) -> [UInt8] {
        let beginning = Array(file.prefix(AgeDecryptor.beginningSize))
        let decryptor = try AgeDecryptor(passphrase: passphrase, beginning: beginning, fileSize: Int64(file.count))
        var content: [UInt8] = []
        repeat {
            let (offset, count) = decryptor.place(ofChunkAt: Int64(content.count))
            content += try decryptor.content(
                Array(file[Int(offset)..<Int(offset) + count]), ofChunkAt: Int64(content.count))
        } while content.count < decryptor.size
        return content
    }

    static func failure(_ file: [UInt8], passphrase: [UInt8] = passphrase) -> AgeFailure? {
        do throws(AgeFailure) {
            _ = try decrypted(file, passphrase: passphrase)
            return nil
        } catch {
            return error
        }
    }

    @Test func `a file of the program age is decrypted`() throws {
        // `age -p` of Debian 12 (1.1.1) wrote it, with its usual work, N = 2^18.
        let text = """
            YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IHNjcnlwdCBTTlJhM3U4YlhrSGU4WkxveE9Uc1dBIDE4Ck5SMUtDbXpPdGQ2ZE1qODNtMmRyRnF1YnlTbHNzd29Y\
            L3dsMzYyNlQ3UHMKLS0tIDZleXozUDhDcWRlVE9yU1hUeERVWVR5MWROTkxqV0dQTEIrVkp1bHBZcWMKZC9mvnP0lg10iuV66TDaeE3B095hNlepDmSPJRGW\
            9+Xv0hABx4KvkPw6zWD68IeW0Js7apNDjzty
            """
        let file = Array(try #require(Data(base64Encoded: text)))
        #expect(try Self.decrypted(file) == Self.content(25))
        #expect(Self.failure(file, passphrase: Array("Welcome home".utf8)) == .passphrase)
    }

    @Test(arguments: [0, 1, 65535, 65536, 65537, 131_072, 200_000])
    func `content of any size is decrypted as it was encrypted`(size: Int) throws {
        let content = Self.content(size)
        let file = try Self.encrypted(content)
        #expect(try Self.decrypted(file) == content)
        let chunks = max(1, (size + 65535) / 65536)
        let header = try AgeHeader(of: Array(file.prefix(AgeHeader.sizeLimit)))
        #expect(file.count == header.text.count + 16 + size + 16 * chunks)
        #expect(try Self.decrypted(Self.encrypted(content, step: 40_000)) == content, "in pieces")
    }

    @Test func `chunks are decrypted in any order`() throws {
        let content = Self.content(150_000)
        let file = try Self.encrypted(content)
        let decryptor = try AgeDecryptor(
            passphrase: Self.passphrase, beginning: Array(file.prefix(AgeDecryptor.beginningSize)),
            fileSize: Int64(file.count))
        #expect(decryptor.size == 150_000)
        for (position, part) in [(140_000, 131_072..<150_000), (0, 0..<65_536), (65_536, 65_536..<131_072)] {
            let (offset, count) = decryptor.place(ofChunkAt: Int64(position))
            let sealed = Array(file[Int(offset)..<Int(offset) + count])
            #expect(try decryptor.content(sealed, ofChunkAt: Int64(position)) == Array(content[part]))
        }
    }

    @Test func `two files of one content have nothing in common but the version`() throws {
        let (one, other) = (try Self.encrypted([1, 2, 3]), try Self.encrypted([1, 2, 3]))
        let (first, second) = (try AgeHeader(of: one), try AgeHeader(of: other))
        #expect(first.salt != second.salt && first.wrappedKey != second.wrappedKey)
        #expect(one.suffix(19) != other.suffix(19))
    }

    @Test func `a wrong passphrase is refused`() throws {
        let file = try Self.encrypted(Self.content(10))
        for wrong in ["", "お帰り, welcome home ", "Welcome home"] {
            #expect(Self.failure(file, passphrase: Array(wrong.utf8)) == .passphrase)
        }
    }

    @Test func `a file in which any byte is another one is refused`() throws {
        let file = try Self.encrypted(Self.content(40))
        for index in file.indices {
            var damaged = file
            damaged[index] ^= 1
            #expect(Self.failure(damaged) != nil, "byte \(index)")
        }
    }

    @Test func `a file that is cut anywhere is refused`() throws {
        let file = try Self.encrypted(Self.content(40))
        for count in 0..<file.count { #expect(Self.failure(Array(file[..<count])) != nil, "\(count) bytes") }
        let long = try Self.encrypted(Self.content(131_072))
        let start = long.count - 2 * AgeChunk.sealedSize
        #expect(Self.failure(Array(long[..<(start + AgeChunk.sealedSize)])) == .truncated)
        #expect(Self.failure(Array(long[..<(start + AgeChunk.sealedSize + 16)])) == .truncated)
        #expect(Self.failure(Array(long[..<start])) == .truncated)
        #expect(Self.failure(Array(long[..<(start + AgeChunk.sealedSize + 40)])) == .content)
    }

    @Test func `what follows the end is refused`() throws {
        let short = try Self.encrypted(Self.content(40))
        #expect(Self.failure(short + [0]) == .content)
        let whole = try Self.encrypted(Self.content(65_536))
        #expect(Self.failure(whole + Self.content(17)) == .trailing)
        #expect(Self.failure(whole + whole.suffix(AgeChunk.sealedSize)) == .trailing)
        #expect(Self.failure(whole + Self.content(16)) == .truncated)
    }

    @Test func `chunks in another order are refused`() throws {
        let file = try Self.encrypted(Self.content(131_073))
        let start = file.count - 2 * AgeChunk.sealedSize - 17
        let chunks = [0, 1].map { file[(start + $0 * AgeChunk.sealedSize)..<(start + ($0 + 1) * AgeChunk.sealedSize)] }
        let swapped = file[..<start] + chunks[1] + chunks[0] + file.suffix(17)
        #expect(Self.failure(Array(swapped)) == .content)
        let doubled = file[..<start] + chunks[0] + chunks[0] + file.suffix(17)
        #expect(Self.failure(Array(doubled)) == .content)
    }

    /// A header and its lines without line feeds.
    private static func header() throws -> (file: [UInt8], lines: [String]) {
        let file = try encrypted(content(5))
        let lines = file.split(separator: 0x0A, maxSplits: 4, omittingEmptySubsequences: false)
        return (file, lines.prefix(4).map { String(decoding: $0, as: UTF8.self) })
    }

    private static func failure(ofHeader lines: [String]) -> AgeFailure? {
        failure(Array((lines.joined(separator: "\n") + "\n").utf8) + content(60))
    }

    @Test func `foreign files and other versions are refused`() throws {
        let (_, lines) = try Self.header()
        #expect(Self.failure([]) == .foreign)
        #expect(Self.failure(Array("manifest".utf8)) == .foreign)
        #expect(Self.failure(ofHeader: ["-----BEGIN AGE ENCRYPTED FILE-----"]) == .foreign)
        #expect(Self.failure(ofHeader: ["age-encryption.org/v2"] + lines[1...]) == .version)
    }

    @Test func `other and further recipients are refused`() throws {
        let (_, lines) = try Self.header()
        let key = ["-> X25519 TEiF0ypqr+bpvcqXNyCVJpL7OuwPdVwPL7KQEbFDOCc", lines[2]]
        #expect(Self.failure(ofHeader: [lines[0]] + key + [lines[3]]) == .recipient)
        #expect(Self.failure(ofHeader: lines[..<3] + key + [lines[3]]) == .recipient)
        #expect(Self.failure(ofHeader: Array(lines[..<3]) + lines[1...]) == .recipient)
    }

    @Test func `a header of another form is refused, however long it is`() throws {
        let (_, lines) = try Self.header()
        let words = lines[1].split(separator: " ").map(String.init)
        let stanzas = [
            "->", "-> ", "-> scrypt", "-> scrypt \(words[2])", "\(lines[1]) 1", "\(lines[1]) ", " \(lines[1])",
            "-> scrypt  \(words[2]) 1", "-> scrypt \(words[2]) +1", "-> scrypt \(words[2]) 01",
            "-> scrypt \(words[2]) ", "-> scrypt \(words[2]) 1\r", "-> scrypt \(words[2]) ١",
            "-> scrypt \(words[2])== 1", "-> scrypt \(words[2].dropLast()) 1", "-> scrypt \(words[2])AAA 1",
            // The unused bits of the last digit are not zero.
            "-> scrypt \(words[2].dropLast())/ 1",
        ]
        for stanza in stanzas {
            let found = Self.failure(ofHeader: [lines[0], stanza] + lines[2...])
            #expect(found == .header || found == .recipient, "\(stanza)")
        }
        for key in ["", "=", String(lines[2].dropLast()), lines[2] + "A", lines[2] + "="] {
            #expect(Self.failure(ofHeader: [lines[0], lines[1], key, lines[3]]) == .header, "\(key)")
        }
        for end in ["", "---", "--- ", "---\(lines[3].dropFirst(4))", lines[3] + " ", lines[3] + "\r"] {
            #expect(Self.failure(ofHeader: lines[..<3] + [end]) == .header, "\(end)")
        }
        let long = String(repeating: "A", count: 1 << 20)
        for index in 0..<4 {
            var lines = lines
            lines[index] += long
            #expect(Self.failure(ofHeader: lines) != nil)
        }
        #expect(Self.failure(Array("\(lines[0])\n".utf8) + [0xFF, 0x0A]) == .header)
    }

    @Test func `a header with an authenticator of another one is refused`() throws {
        let (file, lines) = try Self.header()
        let other = try Self.header().lines
        let mixed = Array((lines[..<3] + [other[3]]).joined(separator: "\n").utf8)
        #expect(Self.failure(mixed + file.dropFirst(mixed.count)) == .header)
    }

    @Test(arguments: ["21", "63", "64", "99999999999999999999"])
    func `a passphrase that needs too much work is refused at once`(logN: String) throws {
        let (_, lines) = try Self.header()
        let stanza = lines[1].dropLast() + logN
        #expect(Self.failure(ofHeader: [lines[0], String(stanza)] + lines[2...]) == .work)
    }

    @Test func `each failure has a sentence with a remedy`() {
        #expect(AgeFailure.allCases.filter { $0 != .foreign }.allSatisfy { $0.description.contains(";") })
        #expect(Set(AgeFailure.allCases.map(\.description)).count == AgeFailure.allCases.count)
    }

    @Test func `keys are derived as by the standards`() {
        // RFC 4231, 4.3; RFC 5869, A.3, the first 32 bytes; RFC 7914, 12, the first 32 bytes.
        let text = Array("what do ya want for nothing?".utf8)
        #expect(
            Self.hex(Sodium.authenticator(of: text, key: Array("Jefe".utf8)))
                == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        let key = [UInt8](repeating: 0x0B, count: 22)
        #expect(
            Self.hex(Sodium.derivedKey(from: key, salt: [], purpose: ""))
                == "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d")
        let stretched = Sodium.stretchedKey(
            from: Array("pleaseletmein".utf8), salt: Array("SodiumChloride".utf8), logN: 14)
        #expect(
            stretched.map(Self.hex) == "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2")
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}
