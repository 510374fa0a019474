/// The name or the IP address of a server, and a port that may follow: `mqtt.lan`, `mqtt.lan:1884`, `::1`, `[fe80::1%eth0]:1884`.
/// Every host that a user writes is read here.
package struct ServerAddress: Equatable, Sendable {
    /// The maximum length of a name, and of one of its labels, in bytes (RFC 1035, 2.3.4).
    private static let (nameLimit, labelLimit) = (253, 63)

    /// The maximum length of the name of an interface, in bytes: `IFNAMSIZ` without the NUL.
    private static let zoneLimit = 15

    /// The name or the address, without brackets, as the resolver reads it.
    package var host: String
    package var port: UInt16?

    /// - Returns: `nil` for any other text, such as a URL.
    package init?(_ text: String) {
        if Self.isVersion6(text) {
            host = text
            return
        }
        var name = text[...]
        if !text.hasSuffix("]"), let colon = text.lastIndex(of: ":") {
            guard let port = UInt16(decimal: text[text.index(after: colon)...]), port > 0 else { return nil }
            self.port = port
            name = text[..<colon]
        }
        let isBracketed = name.hasPrefix("[") && name.hasSuffix("]")
        host = String(isBracketed ? name.dropFirst().dropLast() : name)
        guard isBracketed ? Self.isVersion6(host) : Self.isName(host) else { return nil }
    }

    /// Returns the address in a text that may lack the brackets before a port: `fe80::1%eth0:1884` means `[fe80::1%eth0]:1884`.
    package static func meant(by text: String) -> ServerAddress? {
        if let address = Self(text) { return address }
        guard text.contains("%"), let colon = text.lastIndex(of: ":"), Self.isVersion6(String(text[..<colon])) else {
            return nil
        }
        return Self("[\(text[..<colon])]\(text[colon...])")
    }

    /// Whether the host is an IPv6 address, with or without a zone.
    package var isVersion6: Bool { host.contains(":") }

    /// Returns the host as a URL and an address with a port have it: an IPv6 address has brackets.
    package static func bracketed(_ host: String) -> String { host.contains(":") ? "[\(host)]" : host }

    /// Whether a name or an address, with or without brackets, is the one of this machine alone.
    package static func isLoopback(host: String) -> Bool {
        guard let name = Self(host)?.host.lowercased() else { return false }
        return ["localhost", "localhost."].contains(name)
            || IPAddress(String(name.prefix { $0 != "%" }))?.isLoopback == true
    }

    /// Whether a text is an IPv6 address, with a zone (RFC 4007, 11) or without.
    private static func isVersion6(_ text: String) -> Bool {
        let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, IPAddress(String(first))?.isVersion6 == true else { return false }
        guard let zone = parts.dropFirst().first else { return true }
        return 1...zoneLimit ~= zone.utf8.count
            && zone.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !":%/[]".utf8.contains($0) }
    }

    /// Whether a text is an IPv4 address, or a name that a resolver accepts. Names have underscores in networks of containers, and
    /// letters beyond ASCII in mDNS.
    private static func isName(_ text: String) -> Bool {
        let name = text.hasSuffix(".") ? text.dropLast() : text[...]
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        guard name.utf8.count <= nameLimit, text.plain() == text,
            labels.allSatisfy({ 1...labelLimit ~= $0.utf8.count && $0.utf8.allSatisfy(isOfName) && !$0.hasPrefix("-") })
        else { return false }
        // The C library reads 192.168.1 as an address, too, and 192.168.1.300 as a name.
        let endsInNumber = labels.last?.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 } == true
        return !endsInNumber || IPAddress(text) != nil
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), 0x80...:
            true
        default: false
        }
    }
}
