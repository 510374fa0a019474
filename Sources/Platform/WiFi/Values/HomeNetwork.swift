import OkaeriPlumbing

/// A network to offer on arrival, as a region's `wifi` entry names it.
public struct HomeNetwork: Hashable, Sendable {
    /// The longest name a network can bear, in bytes (IEEE Std 802.11-2020, 9.4.2.2).
    public static let longestSSID = 32

    /// The text of the network's name, which has 1 to 32 bytes; see ``SSID``.
    public var ssid: String { name.text }

    /// The same, for comparisons.
    public let name: SSID

    /// The reaction to an arrival.
    public let join: JoinPolicy

    /// The file that holds the passphrase, for a network NetworkManager has no profile of. See ``PassphraseFile``.
    public let passphraseFile: String?

    /// The security that the network must have; `nil` if what is in sight and the saved profiles decide.
    public let security: PersonalSecurity?

    /// The reaction to an arrival while this machine has another connection.
    public let whenOnline: OnlinePolicy

    /// The action of an arrival: one of ``NetworkAction/ofArrivals``.
    public let onArrival: NetworkAction

    /// The action of a departure, when the last region of the network was left: one of ``NetworkAction/ofDepartures``; `nil`: nothing.
    /// ``JoinPolicy/once`` includes ``NetworkAction/leave``.
    public let onDeparture: NetworkAction?

    /// The name of NetworkManager's profile of the hotspot; `nil`: the profile with the network's name.
    public let hotspot: String?

    /// Checks the length of the name; the passphrase file is read when it is needed, no sooner.
    public init(
        ssid: String, join: JoinPolicy = .prompt, passphraseFile: String? = nil, security: PersonalSecurity? = nil,
        whenOnline: OnlinePolicy = .once, onArrival: NetworkAction = .join, onDeparture: NetworkAction? = nil,
        hotspot: String? = nil
    ) throws(SSIDLengthError) {
        name = SSID(ssid)
        let length = name.bytes.count
        guard (1...Self.longestSSID).contains(length) else { throw SSIDLengthError(length: length) }
        self.join = join
        self.passphraseFile = passphraseFile
        self.security = security
        self.whenOnline = whenOnline
        self.onArrival = onArrival
        self.onDeparture = onDeparture ?? (join == .once ? .leave : nil)
        self.hotspot = hotspot
    }
}

/// The action of an arrival or a departure.
public enum NetworkAction: String, Hashable, Sendable, CaseIterable {
    /// Joins the network.
    case join

    /// Opens the hotspot of that name, with a profile of NetworkManager.
    case hotspot

    /// Switches Wi-Fi on. NetworkManager then connects as its profiles say.
    case radioOn = "radio-on"

    /// Leaves the network. NetworkManager does not connect to it by itself then.
    case leave

    /// Closes the hotspot of that name.
    case hotspotOff = "hotspot-off"

    /// Switches Wi-Fi off.
    case radioOff = "radio-off"

    public static let ofArrivals: [NetworkAction] = [.join, .hotspot, .radioOn]
    public static let ofDepartures: [NetworkAction] = [.leave, .hotspotOff, .radioOff]

    public var isOfDeparture: Bool { Self.ofDepartures.contains(self) }

    /// The only actions with ``JoinPolicy/once``.
    public static let ofOnce: (arrival: NetworkAction, departure: NetworkAction) = (.join, .leave)

    /// Whether a connection results that can be lost.
    var connects: Bool { self == .join || self == .hotspot }
}

/// The reaction of an arrival to a network.
public enum JoinPolicy: String, Hashable, Sendable, CaseIterable {
    /// Ask, and join when the answer is to join.
    case prompt

    /// Join without a question.
    case auto

    /// Ask, and join when the answer is to join. A departure leaves the network without a question, if the join has made its profile
    /// from the passphrase file, and deletes that profile. NEHotspotConfiguration's `joinOnce`.
    case once

    /// Neither ask nor join.
    case off

    /// Whether an arrival asks.
    public var asks: Bool { self == .prompt || self == .once }

    /// Whether a join may end the connection of a device to another network. The answer to a prompt is the user's consent;
    /// without a question there is none.
    public var mayLeaveOtherNetwork: Bool { asks }
}

/// The name of a network as its access points send it, compared byte by byte.
///
/// Swift compares strings by canonical equivalence: "Café" with a composed and with a decomposed "é" would be one network.
public struct SSID: Hashable, Sendable, Comparable, ExpressibleByStringLiteral {
    /// The name, with an escape such as `\xE9` for each byte that is not UTF-8, and `\x5C` for a backslash that begins such a text.
    /// So different names have different texts.
    public let text: String

    /// Creates the name of a ``text``.
    public init(_ text: String) { self.text = text }

    /// Creates the name of the bytes that an access point sends.
    public init(bytes: [UInt8]) { text = Self.text(bytes) }

    /// The bytes as the access points send them.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let first = rest.first {
            let escaped = Self.escaped(rest)
            bytes.append(escaped ?? first)
            rest = rest.dropFirst(escaped == nil ? 1 : Self.escapeLength)
        }
        return bytes
    }

    /// Whether the name is text in UTF-8.
    public var isUTF8: Bool { String(validating: bytes, as: UTF8.self) != nil }

    /// The number of bytes of an escape, `\xE9`.
    private static let escapeLength = 4

    /// Returns the byte of the escape that a text begins with, or `nil`.
    private static func escaped(_ text: ArraySlice<UInt8>) -> UInt8? {
        let escape = text.prefix(escapeLength)
        guard escape.count == escapeLength, escape.starts(with: #"\x"#.utf8) else { return nil }
        return String(validating: escape.dropFirst(2), as: UTF8.self).flatMap { UInt8(hexadecimal: $0) }
    }

    private static func text(_ bytes: [UInt8]) -> String {
        var text = ""
        var rest = bytes[...]
        while let first = rest.first {
            // UTF-8 has at most four bytes for a scalar (RFC 3629).
            let scalar = (1...4).lazy.compactMap { String(validating: rest.prefix($0), as: UTF8.self) }.first
            if let scalar, escaped(rest) == nil {
                text += scalar
                rest = rest.dropFirst(scalar.utf8.count)
            } else {
                text += #"\x"# + [first].hexadecimal
                rest = rest.dropFirst()
            }
        }
        return text
    }

    public init(stringLiteral text: String) { self.text = text }

    public static func == (one: SSID, other: SSID) -> Bool { one.text.utf8.elementsEqual(other.text.utf8) }

    public static func < (one: SSID, other: SSID) -> Bool { one.text.utf8.lexicographicallyPrecedes(other.text.utf8) }

    public func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
        hasher.combine(text.utf8.count)
    }
}

/// A network's name is empty, or longer than the air can carry.
public struct SSIDLengthError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The length of the name, in bytes.
    public let length: Int

    public var description: String {
        length == 0
            ? "the network's name is empty; give the SSID as the access point sends it"
            : "the network's name is too long: it has \(length) bytes of UTF-8, and at most "
                + "\(HomeNetwork.longestSSID) are allowed; give the SSID as the access point sends it"
    }
}
