import OkaeriPlumbing

/// An address of a web server, `https://user:password@host:port/path?query`. Everything but its ``origin`` may be a secret.
package struct WebURL: Sendable, Hashable {
    /// The whole address.
    package let text: String
    /// Scheme, host and port: the part for logs and reports.
    package let origin: String
    /// The path, without the query.
    package let path: String
    /// Whether the address has a user's name, which each request sends as a login.
    package let hasLogin: Bool
    /// Whether a request leaves this machine unencrypted.
    package let isUnencrypted: Bool
    private let hasQuery: Bool

    private static let byteLimit = 2048

    /// - Returns: `nil` for anything but an address in printable ASCII that begins with `http://` or `https://`.
    package init?(_ text: String) {
        let isPlain = text.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"\"<>\\^`{|}#".utf8.contains($0) }
        guard isPlain, text.utf8.count <= Self.byteLimit,
            let scheme = ["https://", "http://"].first(where: text.hasPrefix)
        else { return nil }
        let rest = text.dropFirst(scheme.count)
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        let parts = authority.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count <= 2, let server = parts.last, let address = ServerAddress(String(server)),
            !address.isVersion6 || server.hasPrefix("[") && !server.contains("%")
        else { return nil }
        hasLogin = parts.count > 1
        isUnencrypted = scheme == "http://" && !ServerAddress.isLoopback(host: address.host)
        let behind = rest[authority.endIndex...]
        self.text = text
        origin = scheme + server
        path = String(behind.prefix { $0 != "?" })
        hasQuery = behind.contains("?")
    }

    /// The topic of ntfy, and the address of its server; `nil` if the last part of the path is not a topic.
    package var topic: (name: String, server: String)? {
        guard !hasQuery, let name = path.split(separator: "/", omittingEmptySubsequences: false).last,
            1...64 ~= name.utf8.count, name.utf8.allSatisfy(Configuration.isPlain)
        else { return nil }
        return (String(name), String(text.dropLast(name.utf8.count)))
    }
}
