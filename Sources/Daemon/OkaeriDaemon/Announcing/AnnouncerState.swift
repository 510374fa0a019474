import OkaeriPlumbing

/// The state of an announcement at Avahi.
enum AnnouncerState: Equatable {
    /// Avahi does not run, or is not ready. Next: ``registering(name:attempt:)``, when it is ready.
    case waiting
    /// Avahi asks the network whether another machine has the name. Next: ``published(name:)``; ``renaming(name:attempt:)`` if one has
    /// it; ``refused(_:)``; ``waiting`` when Avahi ends.
    case registering(name: String, attempt: Int)
    /// Another machine has the name. Next: ``registering(name:attempt:)`` with the name that Avahi proposes; ``refused(_:)``.
    case renaming(name: String, attempt: Int)
    /// Other machines find the service. Next: ``renaming(name:attempt:)`` if a machine with that name joins the network; ``waiting``
    /// when Avahi ends.
    case published(name: String)
    /// Avahi does not publish it. Next: ``registering(name:attempt:)`` when Avahi is ready again; ``waiting`` when it ends.
    case refused(String)
    /// A call failed, for the reason that is given, and the connection is closed. Next: ``waiting``, over a new connection.
    case interrupted(String)

    enum Event: Equatable {
        case ready, gone, established, collided
        /// Avahi proposes another name.
        case proposed(String)
        case failed(String)
    }

    enum Action: Equatable {
        case publish(name: String)
        case proposeName(instead: String)
    }

    /// The maximum number of names that are tried.
    private static let attempts = 16

    /// Returns the next step.
    ///
    /// - Parameter name: The name that is wanted.
    mutating func handle(_ event: Event, wanted name: String) -> Action? {
        switch (self, event) {
        case (_, .ready): return publish(name, attempt: 1)
        case (_, .gone): self = .waiting
        case (.registering(let name, _), .established): self = .published(name: name)
        case (.registering(let name, let attempt), .collided): return rename(name, attempt: attempt)
        case (.published(let name), .collided): return rename(name, attempt: 1)
        case (.renaming(let old, let attempt), .proposed(let new)):
            guard new != old, Announcement.isName(new) else {
                self = .refused("Avahi proposes no other name for \(old)")
                return nil
            }
            return publish(new, attempt: attempt + 1)
        case (.registering, .failed(let reason)), (.renaming, .failed(let reason)), (.published, .failed(let reason)):
            self = .refused(reason)
        case (.waiting, _), (.refused, _), (.interrupted, _), (.registering, _), (.renaming, _), (.published, _): break
        }
        return nil
    }

    private mutating func publish(_ name: String, attempt: Int) -> Action {
        self = .registering(name: name, attempt: attempt)
        return .publish(name: name)
    }

    private mutating func rename(_ name: String, attempt: Int) -> Action? {
        guard attempt < Self.attempts else {
            self = .refused("other machines have \(Self.attempts) names of this service")
            return nil
        }
        self = .renaming(name: name, attempt: attempt)
        return .proposeName(instead: name)
    }
}

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
