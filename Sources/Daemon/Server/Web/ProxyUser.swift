package import OkaeriPlumbing

/// A user of Home Assistant, as the proxy of its Supervisor names it with each request (ingress).
package struct ProxyUser: Hashable, Sendable {
    /// The identifier in Home Assistant.
    package let id: String
    /// The readable name.
    package let name: String

    /// Home Assistant makes identifiers of 32 hexadecimal digits.
    private static let longestIdentifier = 64

    /// - Parameters:
    ///   - id: The value of X-Remote-User-Id.
    ///   - names: The values of the fields with names, the best one first.
    /// - Returns: `nil` without an identifier, and for one that Home Assistant does not make.
    package init?(id: String?, names: [String?]) {
        guard let id, 1...Self.longestIdentifier ~= id.utf8.count, id.utf8.allSatisfy(Self.isPlain) else { return nil }
        self.id = id
        name = names.lazy.compactMap { $0.flatMap(BrowserSession.visible) }.first ?? id
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte.hexadecimalValue != nil || byte == UInt8(ascii: "-")
    }
}

/// The proxy of Home Assistant's Supervisor, which logs its users in.
package struct IngressProxy: Hashable, Sendable {
    private let address: IPAddress

    /// - Parameter address: The IPv4 address from which the proxy connects.
    package init(_ address: IPAddress) { self.address = address }

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
