package import OkaeriPlumbing

/// A user of Home Assistant, as the proxy of its Supervisor names it with each request (ingress).
package struct ProxyUser: Hashable, Sendable {
    /// The identifier in Home Assistant.
    package let id: String
    /// The readable name.
    package let name: String
    /// The name with which the user logs in; `nil` if Home Assistant has none, or one that is not readable.
    package let login: String?

    /// Home Assistant makes identifiers of 32 hexadecimal digits.
    private static let longestIdentifier = 64

    /// - Parameters:
    ///   - id: The value of X-Remote-User-Id.
    ///   - display: The value of X-Remote-User-Display-Name.
    ///   - login: That of X-Remote-User-Name.
    /// - Returns: `nil` without an identifier, and for one that Home Assistant does not make.
    package init?(id: String?, display: String? = nil, login: String? = nil) {
        guard let id, 1...Self.longestIdentifier ~= id.utf8.count, id.utf8.allSatisfy(Self.isPlain) else { return nil }
        self.id = id
        name = [display, login].lazy.compactMap { $0.flatMap(BrowserSession.visible) }.first ?? id
        // A name that is shown otherwise than it is sent might be shown as another user's.
        self.login = login.flatMap { BrowserSession.visible($0) == $0 ? $0 : nil }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte.hexadecimalValue != nil || byte == UInt8(ascii: "-")
    }
}

/// The rights of a session of the page, from the fewest to all.
package enum SessionRights: String, CaseIterable, Comparable, Encodable, Sendable {
    /// To look at the page.
    case look
    /// To change regions and settings without a network, too.
    case change
    /// Everything: also the passphrases of networks, the networks of regions, backups, and the sessions of browsers.
    case all

    package static func < (one: SessionRights, other: SessionRights) -> Bool { one.rank < other.rank }

    private var rank: Int {
        switch self {
        case .look: 0
        case .change: 1
        case .all: 2
        }
    }
}

/// The proxy of Home Assistant's Supervisor, which logs its users in.
package struct IngressProxy: Hashable, Sendable {
    private let address: IPAddress
    private let users: Set<String>

    /// - Parameters:
    ///   - address: The IPv4 address from which the proxy connects.
    ///   - users: The identifiers, or the names for the login, of the users with all rights. Display names do not count: several
    ///     users may have the same.
    package init(_ address: IPAddress, users: [String] = []) {
        (self.address, self.users) = (address, Set(users))
    }

    /// Returns the rights of a user. Without a list, each user may change regions, and no user gets secrets.
    package func rights(of user: ProxyUser) -> SessionRights {
        guard !users.isEmpty else { return .change }
        return users.contains(user.id) || user.login.map(users.contains) == true ? .all : .look
    }

    /// Whether a connection comes from the proxy.
    ///
    /// - Parameter peer: The address of the other end of the socket, also as an IPv6 socket writes it (RFC 4291, 2.5.5.2). Fields of
    ///   the request do not count.
    package func isPeer(_ peer: String?) -> Bool {
        guard let peer else { return false }
        let mapped = "::ffff:"
        return address.description == (peer.hasPrefix(mapped) ? String(peer.dropFirst(mapped.count)) : peer)
    }
}
