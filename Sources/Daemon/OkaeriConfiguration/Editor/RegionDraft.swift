package import IBeacon
import Plumbing

/// A change of a region of `beacons.json`, as a JSON merge patch (RFC 7396): a named member is set or removed, the
/// others stay as they are in the file.
///
/// Two things go together: with the UUID come major and minor, so that one that is not named is any; and a passphrase
/// file belongs to its network, so that another SSID has none unless it is named.
package struct RegionDraft: Sendable, Equatable {
    /// The members that can be set. Commands, which run with the daemon's rights, are for an editor only.
    package enum Member: String, Sendable, CaseIterable {
        case uuid, major, minor, enterRSSI, exitRSSI, exitAfter, sensitivity, measuredPower, pathLossExponent
        case notifyOnEntry, notifyOnExit, ranging, wifi
    }

    /// The members of a region's only sign.
    static let signMembers: [Member] = [
        .uuid, .major, .minor, .enterRSSI, .exitRSSI, .exitAfter, .sensitivity, .measuredPower, .pathLossExponent,
    ]

    /// The members of the region's network that can be set.
    package enum WiFiMember: String, Sendable, CaseIterable {
        case ssid, join, passphraseFile, whenOnline

        /// Those that a request can set.
        static let ofRequests: [WiFiMember] = [.ssid, .join]
    }

    /// The change of a member.
    package enum Setting: Sendable, Equatable {
        case removed
        case bool(Bool)
        case number(Double)
        case string(String)
        /// Of ``Member/wifi`` only.
        case network([WiFiMember: Setting])
    }

    /// The region's name: that of one in the file, or of a new one.
    package let identifier: String

    private(set) var settings: [Member: Setting] = [:]

    /// The key file of the phone that a new region consists of: in `regions.json` its name in the state directory, in a text that
    /// is merged its path. A request cannot set it, because a client must not name files of this machine.
    package internal(set) var phone: String?

    package init(identifier: String) {
        self.identifier = identifier
    }

    /// A region of these beacons.
    package init(identifier: String, _ constraint: BeaconConstraint) {
        self.init(identifier: identifier)
        self[.uuid] = .string("\(constraint.uuid)")
        self[.major] = constraint.major.map { .number(Double($0)) }
        self[.minor] = constraint.minor.map { .number(Double($0)) }
    }

    /// The change of a member; `nil`: it stays as it is in the file.
    package subscript(member: Member) -> Setting? {
        get {
            let goesWithUUID = member == .major || member == .minor
            return settings[member] ?? (goesWithUUID && settings[.uuid] != nil ? .removed : nil)
        }
        set { settings[member] = newValue }
    }
}

extension RegionDraft {
    /// Reads the request of a client that must not name files of this machine: an object such as `{"identifier":
    /// "keys", "uuid": "…", "enterRSSI": -85, "wifi": {"ssid": "HomeNet"}}`, with null for members to remove.
    ///
    /// - Parameters:
    ///   - place: Its place in the request, for the messages.
    ///   - isSaved: Whether it is an entry of `regions.json`, which may have the key file of a phone.
    package init(_ node: JSONNode, place: String, isSaved: Bool = false) throws(ConfigurationError) {
        let members = try Self.members(of: node, place: place)
        guard let identifier = node["identifier"]?.value.string else {
            throw Self.mistake("\(place).identifier", found: "no name", expected: "the region's name, such as \"home\"")
        }
        self.init(identifier: identifier)
        for member in members where member.key != "identifier" {
            let own = "\(place).\(member.key)"
            if isSaved, member.key == "phone" {
                phone = try Self.keyFile(member.node, place: own)
                continue
            }
            guard let known = Member(rawValue: member.key) else {
                throw Self.unknown(own, Member.allCases.map(\.rawValue))
            }
            if known == .wifi, case .object = member.node.value {
                self[known] = .network(try Self.network(member.node, place: own))
            } else {
                self[known] = try Self.setting(member.node, place: own)
            }
        }
    }

    private static func keyFile(_ node: JSONNode, place: String) throws(ConfigurationError) -> String {
        guard let name = node.value.string, PhoneKeyFile.isName(name) else {
            throw mistake(
                place, found: node.summary,
                expected: "the name of a key file in the state directory, such as \"anna.irk\"")
        }
        return name
    }

    private static func network(
        _ node: JSONNode, place: String
    ) throws(ConfigurationError) -> [WiFiMember: Setting] {
        var network: [WiFiMember: Setting] = [:]
        for member in try members(of: node, place: place) {
            let own = "\(place).\(member.key)"
            guard let known = WiFiMember(rawValue: member.key), WiFiMember.ofRequests.contains(known) else {
                throw unknown(own, WiFiMember.ofRequests.map(\.rawValue))
            }
            network[known] = try setting(member.node, place: own)
        }
        return network
    }

    private static func setting(_ node: JSONNode, place: String) throws(ConfigurationError) -> Setting {
        switch node.value {
        case .null: return .removed
        case .bool(let bool): return .bool(bool)
        case .number(let number): return .number(number)
        case .string(let string): return .string(string)
        case .array, .object: throw mistake(place, found: node.summary, expected: "one value, or null")
        }
    }

    private static func members(of node: JSONNode, place: String) throws(ConfigurationError) -> [JSONNode.Member] {
        guard case .object(let members) = node.value else {
            throw mistake(place, found: node.summary, expected: "an object")
        }
        return members
    }

    private static func unknown(_ place: String, _ keys: [String]) -> ConfigurationError {
        mistake(place, found: "a key that is not set here", expected: "one of \(keys.joined(separator: ", "))")
    }

    private static func mistake(_ place: String, found: String, expected: String) -> ConfigurationError {
        ConfigurationError(file: "the request", place: place.plain(), found: found, expected: expected)
    }
}
