import FoundationEssentials
import OkaeriPlumbing
import Testing

@testable import OkaeriServer

@Suite struct LoginsTests {
    private var logins = Logins(digest: Self.digest, random: Logins.randomBytes)

    /// Not one to keep secrets with: 32 bytes that depend on all.
    private static let digest: Logins.Digest = { bytes in
        (0..<32).map { place in
            bytes.reduce(UInt64(place) &+ 0x9E37_79B9_7F4A_7C15) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 &+ $0 >> 29 }
        }.map { UInt8(truncatingIfNeeded: $0 >> 32) }
    }

    private static func time(_ seconds: Int64) -> Moment {
        Moment(instant: seconds * 1_000_000_000, wall: (1_795_000_000 + seconds) * 1_000_000_000)
    }

    private mutating func comes(_ name: String = "a phone", at seconds: Int64 = 0) throws -> Logins.Session {
        let token = logins.link(at: Self.time(seconds))
        return try #require(redeem(token, name, at: seconds))
    }

    private mutating func redeem(_ token: String, _ name: String = "", at seconds: Int64) -> Logins.Session? {
        logins.redeem(token, name: name, at: Self.time(seconds))
    }

    private mutating func pass(_ cookie: String, at seconds: Int64) -> Logins.Session? {
        var isNews = false
        return logins.pass(for: cookie, at: Self.time(seconds), isNews: &isNews)
    }

    @Test mutating func `a link logs one device in`() throws {
        let token = logins.link(at: Self.time(0))
        #expect(token.utf8.count == 64)
        let first = redeem(token, "Chrome on Android", at: 599)
        #expect(first?.device.name == "Chrome on Android")
        let second = redeem(token, "another", at: 599)
        #expect(second == nil)
        let known = pass(try #require(first).cookie, at: 600)
        #expect(known == first)
        #expect(logins.devices.map(\.name) == ["Chrome on Android"])
    }

    @Test mutating func `a link is good for ten minutes`() {
        let token = logins.link(at: Self.time(0))
        let late = redeem(token, at: 600)
        #expect(late == nil)
    }

    @Test mutating func `the oldest of many links is deleted`() {
        let tokens = (0..<9).map { logins.link(at: Self.time($0)) }
        let (oldest, second) = (redeem(tokens[0], at: 10), redeem(tokens[1], at: 10))
        #expect(oldest == nil && second != nil)
    }

    @Test mutating func `wrong tokens do not keep a right one out`() {
        let token = logins.link(at: Self.time(0))
        let wrong = (0..<300).compactMap { redeem("\($0)", at: 1) }
        #expect(wrong.isEmpty)
        let right = redeem(token, at: 1)
        #expect(right != nil)
    }

    @Test mutating func `a session lasts as long as it is used`() throws {
        let pass = try comes()
        let days: Int64 = 86_400
        var isNews = false
        _ = logins.pass(for: pass.cookie, at: Self.time(1800), isNews: &isNews)
        #expect(!isNews, "the card is not written each time")
        _ = logins.pass(for: pass.cookie, at: Self.time(89 * days), isNews: &isNews)
        #expect(isNews)
        let later = self.pass(pass.cookie, at: 178 * days)
        #expect(later != nil)
        #expect(self.pass(pass.cookie, at: (178 + 90) * days) == nil)
        #expect(logins.devices.isEmpty)
    }

    @Test mutating func `a clock that goes back ends no session`() throws {
        let pass = try comes()
        let known = self.pass(pass.cookie, at: -1_000_000_000)
        #expect(known != nil)
    }

    @Test mutating func `a revoked device is not logged in`() throws {
        let first = try comes("first"), second = try comes("second")
        let revoked = [logins.revoke(first.device.id), logins.revoke(first.device.id)]
        #expect(revoked == [true, false])
        let unknown = pass(first.cookie, at: 1)
        #expect(unknown == nil)
        let other = pass(second.cookie, at: 1)
        #expect(other?.device.name == "second")
    }

    @Test mutating func `stored digests open no session`() throws {
        let pass = try comes("Sofa\u{1B}[2J\n\u{202E}tablet")
        let kept = try JSONEncoder().encode(logins.memory)
        let text = String(decoding: kept, as: UTF8.self)
        #expect(!text.contains(pass.cookie) && !text.contains(pass.token))
        var later = Logins(digest: Self.digest)
        later.restore(try JSONDecoder().decode(LoginsMemory.self, from: kept))
        var isNews = false
        let known = later.pass(for: pass.cookie, at: Self.time(1), isNews: &isNews)
        #expect(known == pass)
        #expect(later.devices[0].name == "Sofa [2J  tablet")
        let stolen = later.pass(for: later.devices[0].digest, at: Self.time(1), isNews: &isNews)
        #expect(stolen == nil)
    }

    @Test(arguments: [
        #"{"webDevices":[{"id":"","name":"x","since":0,"seen":0,"digest":""}]}"#, #"{"webDevices":3}"#,
        #"{"webDevices":[{"id":"abcdef","name":"x","since":0,"seen":-1,"digest":"00"}]}"#,
    ])
    func `a damaged memory is discarded`(text: String) {
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(LoginsMemory.self, from: Data(text.utf8)) }
    }

    @Test func `a longer name of an earlier version is cut, and its login stays`() throws {
        func devices(named name: String) throws -> [BrowserSession] {
            let digest = String(repeating: "0a", count: 32)
            let device = "{\"id\":\"abcdef\",\"name\":\"\(name)\",\"since\":0,\"seen\":1,\"digest\":\"\(digest)\"}"
            let text = "{\"webDevices\":[\(device)]}"
            return try JSONDecoder().decode(LoginsMemory.self, from: Data(text.utf8)).webDevices ?? []
        }
        let long = try devices(named: "Anna’s " + String(repeating: "👩‍👩‍👧‍👦", count: 40))
        #expect(long.count == 1 && long[0].name.hasPrefix("Anna’s 👩") && long[0].name.utf8.count <= 240)
        #expect(try devices(named: "\u{3164}").map(\.name) == ["a browser"])
    }

    @Test func `a memory from before there were devices has none`() throws {
        #expect(try JSONDecoder().decode(LoginsMemory.self, from: Data("{}".utf8)).webDevices == nil)
    }

    @Test mutating func `a name that a user gives is readable and bounded`() throws {
        let id = try comes("Chrome on Android").device.id
        let plain = logins.rename(id, to: "Anna’s phone")
        #expect(plain == "Anna’s phone" && logins.devices.map(\.name) == ["Anna’s phone"])
        for name in ["", " ", "\u{1B}", "\u{202E}", "\u{3164}", "\u{115F}\u{2800}", "\u{301}", "\u{FE0F}"] {
            #expect(logins.rename(id, to: name) == nil, "\(name.debugDescription)")
        }
        #expect(logins.rename(id, to: "An\u{3164}na") == "An na")
        let other = logins.rename("000000", to: "Anna")
        #expect(other == nil || id == "000000")
        let accents = "a" + String(repeating: "\u{301}", count: 50_000)
        for name in [accents, "Anna" + accents, String(repeating: "あ", count: 500)] {
            _ = logins.rename(id, to: name)
            #expect(logins.devices[0].name.utf8.count <= 240 && logins.devices[0].name.count <= 60)
        }
        let areSound = logins.devices.allSatisfy(\.isSound)
        #expect(areSound)
    }

    @Test mutating func `the number of devices is limited`() throws {
        let first = try comes("first")
        for index in 0..<64 { _ = try comes("\(index)", at: 7200 + Int64(index)) }
        #expect(logins.devices.count == 64)
        let known = pass(first.cookie, at: 8000)
        #expect(known == nil, "the one that was not seen for longest goes")
    }
}
