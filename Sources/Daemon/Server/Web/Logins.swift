package import OkaeriPlumbing

/// The sessions of the page: devices that followed a link, and the links that were not followed yet.
///
/// Only digests of links and cookies are stored: a reader of the state file cannot log in. A link is good for one
/// device and ten minutes, a device for ninety days from when it was last seen, or until it is revoked.
package struct Logins: Sendable {
    /// A digest of bytes, such as SHA-256.
    package typealias Digest = @Sendable ([UInt8]) -> [UInt8]

    /// The session of a device.
    package struct Session: Sendable, Equatable {
        package var device: BrowserSession
        /// The value of its cookie; empty for a user of Home Assistant, which the proxy names with each request.
        package var cookie: String
        /// The token that each of its changes must carry beside the cookie.
        package var token: String
        package var rights = SessionRights.all
        /// The value for a user of Home Assistant in the list of those with all rights; empty for a browser's session.
        package var account = ""

        /// Whether the login is Home Assistant's: it is not stored, and not revoked here.
        package var isOfProxy: Bool { cookie.isEmpty }
    }

    /// The validity of a link in nanoseconds, and the maximum number of links: the oldest is dropped.
    package static let linkValidity: Int64 = 600 * second
    private static let mostLinks = 8

    /// The time for which a device may stay away in seconds, and the maximum number of devices.
    package static let deviceValidity: Int64 = 90 * 86_400
    package static let mostDevices = 64

    /// Whether a device is seen is stored once in so many seconds, to limit writes to the SD card.
    private static let seenInterval: Int64 = 3600

    private static let second: Int64 = 1_000_000_000

    private let digest: Digest
    private let random: @Sendable () -> [UInt8]
    /// The secret of the tokens for users of Home Assistant, another one after each start.
    private let proxySecret = BrowserSession.text(Self.randomBytes())
    private var links: [(digest: [UInt8], until: Int64)] = []

    /// In the order in which they came.
    package private(set) var devices: [BrowserSession] = []

    /// - Parameters:
    ///   - digest: A one-way hash.
    ///   - random: Returns 32 bytes that cannot be guessed, others each time.
    package init(digest: @escaping Digest, random: @escaping @Sendable () -> [UInt8] = Logins.randomBytes) {
        self.digest = digest
        self.random = random
    }

    package static func randomBytes() -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<32).map { _ in generator.next() }
    }

    // MARK: - In

    /// The token of a new link.
    package mutating func link(at now: Moment) -> String {
        links.removeAll { $0.until <= now.instant }
        if links.count >= Self.mostLinks { links.removeFirst() }
        let token = newSecret()
        links.append((digest(of: token), now.instant + Self.linkValidity))
        return token
    }

    /// A device follows a link, which is used up by that. A token has 256 bits, so the number of attempts needs no
    /// limit: one would only lock out the owner.
    ///
    /// - Parameter name: The name that it gives itself.
    /// - Returns: `nil` for a token of no valid link.
    package mutating func redeem(_ token: String, name: String, at now: Moment) -> Session? {
        let offered = digest(of: token)
        // All are compared, each in the same time.
        let matches = links.indices.filter { Self.isEqual(links[$0].digest, offered) && links[$0].until > now.instant }
        guard let index = matches.first else { return nil }
        links.remove(at: index)
        expire(at: now.seconds)
        if devices.count >= Self.mostDevices {
            devices.indices.min { devices[$0].seen < devices[$1].seen }.map { _ = devices.remove(at: $0) }
        }
        let cookie = newSecret()
        let device = BrowserSession(
            id: freeIdentifier(), name: BrowserSession.readable(name), since: now.seconds, seen: now.seconds,
            digest: BrowserSession.text(digest(of: cookie)))
        devices.append(device)
        return Session(device: device, cookie: cookie, token: requestToken(of: cookie))
    }

    /// Returns the session of this cookie; `nil`: there is none, or none any more.
    ///
    /// - Parameter isNews: whether what is kept of it is another now.
    package mutating func pass(for cookie: String, at now: Moment, isNews: inout Bool) -> Session? {
        let offered = BrowserSession.text(digest(of: cookie))
        let before = devices.count
        expire(at: now.seconds)
        if devices.count != before { isNews = true }
        let matches = devices.indices.filter { Self.isEqual(Array(devices[$0].digest.utf8), Array(offered.utf8)) }
        guard let index = matches.first else { return nil }
        if now.seconds - devices[index].seen >= Self.seenInterval {
            devices[index].seen = now.seconds
            isNews = true
        }
        return Session(device: devices[index], cookie: cookie, token: requestToken(of: cookie))
    }

    /// Returns the session of a user that Home Assistant's proxy has logged in.
    package func session(of user: ProxyUser, rights: SessionRights) -> Session {
        let device = BrowserSession(id: "", name: user.name, since: 0, seen: 0, digest: "")
        return Session(
            device: device, cookie: "", token: requestToken(of: "\(proxySecret) \(user.id)"), rights: rights,
            account: user.login ?? user.id)
    }

    // MARK: - Out

    /// The device is let in no more. Returns whether there was one.
    package mutating func revoke(_ id: String) -> Bool {
        let before = devices.count
        devices.removeAll { $0.id == id }
        return devices.count != before
    }

    /// Gives a device another name. Returns the stored name; `nil` for an unknown device, or a name without a visible character.
    package mutating func rename(_ id: String, to name: String) -> String? {
        guard let index = devices.firstIndex(where: { $0.id == id }), let name = BrowserSession.visible(name) else {
            return nil
        }
        devices[index].name = name
        return name
    }

    /// A device that was last seen in the future was seen with a clock that was wrong: it stays.
    private mutating func expire(at seconds: Int64) {
        devices.removeAll { seconds - $0.seen >= Self.deviceValidity }
    }

    // MARK: - Persistable

    package var memory: LoginsMemory { LoginsMemory(devices) }

    package mutating func restore(_ memory: LoginsMemory) { devices = memory.webDevices ?? [] }

    // MARK: - Secrets

    private func newSecret() -> String { BrowserSession.text(random()) }

    private func digest(of text: String) -> [UInt8] { digest(Array(text.utf8)) }

    /// Follows from the cookie, and does not lead back to it: nothing more is kept for it.
    private func requestToken(of cookie: String) -> String { BrowserSession.text(digest(of: "request \(cookie)")) }

    private func freeIdentifier() -> String {
        while true {
            let identifier = BrowserSession.text(Array(random().prefix(3)))
            if !devices.contains(where: { $0.id == identifier }) { return identifier }
        }
    }

    /// Whether both are equal, in a time that does not depend on their difference.
    package static func isEqual(_ first: [UInt8], _ second: [UInt8]) -> Bool {
        guard first.count == second.count else { return false }
        return zip(first, second).reduce(0 as UInt8) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

extension Moment {
    /// Whole seconds since the Unix epoch.
    fileprivate var seconds: Int64 { wall / 1_000_000_000 }
}
