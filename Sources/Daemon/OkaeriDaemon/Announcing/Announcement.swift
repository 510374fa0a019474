import Plumbing

/// The services of this machine that other machines find by mDNS (DNS-SD, RFC 6763): the page, and the API at its address.
struct Announcement: Equatable, Sendable {
    /// The types of the service. Programs that list the web pages of a network look for the second one.
    static let types = ["_okaeri._tcp", "_http._tcp"]

    /// The longest name of a service in bytes (RFC 6763, 4.1.1).
    private static let longestName = 63

    /// The name for people; another one stands in for it where the network has it already.
    var name: String
    var port: UInt16
    /// The TXT record: no region, no person.
    var texts: [String]

    init(node: String, port: UInt16, version: String) {
        name = String(decoding: "Okaeri \(node)".utf8.prefix(Self.longestName), as: UTF8.self)
        self.port = port
        texts = ["path=/", "version=\(version)", "node=\(node)"]
    }

    /// Whether a name from Avahi can be a service's.
    static func isName(_ name: String) -> Bool { (1...longestName).contains(name.utf8.count) && name.isPlainName }
}
