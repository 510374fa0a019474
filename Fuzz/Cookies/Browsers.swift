import OkaeriFuzzSupport
import OkaeriPlumbing
import Synchronization

@testable import OkaeriServer

/// Three browsers with a login, one after another, and one whose login was revoked.
enum Browsers {
    private static let beginning: Int64 = 1_795_000_000
    private static let day: Int64 = 86_400
    private static let digests = Mutex(0)
    private static let secrets = Mutex<UInt8>(0)

    /// Digests are counted: each costs what a client can make the daemon spend.
    private static let digest: Logins.Digest = { bytes in
        digests.withLock { $0 += 1 }
        let hash = bytes.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return (0..<32).map { UInt8(truncatingIfNeeded: hash >> (8 * UInt64($0 % 8))) &+ UInt8($0) }
    }

    /// The logins, and the cookies: of a browser that came on the first day, on the tenth, on the twentieth, and of one that
    /// may look no more.
    private static let (logins, passes, revoked) = {
        var logins = Logins(digest: digest) {
            // 0101…, 0202…: the dictionary has them.
            let octet = secrets.withLock { secret in
                secret += 1
                return secret
            }
            return [UInt8](repeating: octet, count: 32)
        }
        var passes: [(cookie: String, day: Int64)] = []
        var revoked = ""
        for day: Int64 in [0, 10, 20, 30] {
            let now = time(after: day)
            let token = logins.link(at: now)
            guard let pass = logins.redeem(token, name: "a phone", at: now) else { fatalError("nobody is let in") }
            if day == 30 {
                _ = logins.revoke(pass.device.id)
                revoked = pass.cookie
            } else {
                passes.append((pass.cookie, day))
            }
        }
        return (logins, passes, revoked)
    }()

    private static func time(after days: Int64) -> Moment {
        Moment(instant: days * day * 1_000_000_000, wall: (beginning + days * day) * 1_000_000_000)
    }

    /// A request is answered if it has a cookie of a browser that was let in, and for no more work than its cookies.
    static func check(_ request: WebRequest, _ values: [String], after days: Int64) {
        var logins = Self.logins
        let valid = passes.filter { days - $0.day < 90 }.map(\.cookie)
        let accepted = values.first { valid.contains($0) }
        digests.withLock { $0 = 0 }
        var found: Logins.Session?
        var refusal: WebRefusal?
        do throws(WebRefusal) {
            _ = try RequestGate(isOpen: false).session(of: request, for: .readers) { cookie in
                var isNews = false
                let pass = logins.pass(for: cookie, at: time(after: days), isNews: &isNews)
                if pass != nil { found = pass }
                return pass
            }
        } catch {
            refusal = error
        }
        require(digests.withLock(\.self) <= values.count + 1, "a cookie costs more than one digest")
        require(found?.cookie == accepted, "another browser is let in")
        require(found?.cookie != revoked, "a login that was revoked is one")
        require(refusal == (accepted == nil ? .noLogin : nil), "the request is refused: \(String(describing: refusal))")
        require(logins.devices.count <= passes.count, "a request makes a login")
    }
}
