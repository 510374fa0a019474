import OkaeriPlumbing

/// The topics of one house on a broker. The nodes and Home Assistant read the same topics.
package struct Topics: Hashable, Sendable {
    /// The house's name; several can share a broker.
    package let site: String

    /// The house's name without another in the configuration.
    package static let defaultSite = "home"

    /// - Parameter site: letters of ASCII, digits, hyphens and underscores.
    package init(site: String = defaultSite) {
        self.site = site
        root = "okaeri/\(site)"
        below = "\(root)/"
    }

    let root: String
    /// The prefix of every topic.
    private let below: String

    /// A node's `online`, or `offline`, which is its will. Retained.
    package func status(_ node: String) -> String { "\(root)/node/\(node)/status" }

    /// Whether a node's Bluetooth receives. Retained.
    package func scanner(_ node: String) -> String { "\(root)/node/\(node)/scanner" }

    /// Returns the topic of a node's description: kind, room, offset, version. Retained.
    package func about(_ node: String) -> String { "\(root)/node/\(node)/about" }

    /// Returns the topic of a receiver's receptions since its last message. Not retained.
    package func heard(_ node: String) -> String { "\(root)/node/\(node)/heard" }

    /// The request to start a node's daemon again. Not retained.
    package func restart(_ node: String) -> String { "\(root)/node/\(node)/restart" }

    /// The topic of a message without a login, by which a node finds out whether the broker accepts one. No node subscribes to it.
    func probe(_ node: String) -> String { "\(root)/node/\(node)/probe" }

    /// Returns the topic of a receiver of another make, by the hub: whether it is online, and its figures. Retained.
    package func receiver(_ name: String) -> String { "\(root)/receiver/\(name)" }

    /// The hub that decides for the site. Retained.
    package var hub: String { "\(root)/hub" }

    /// The beacons that the hub wants to receive. Retained.
    package var wanted: String { "\(root)/wanted" }

    /// The definitions of the hub's regions, for a standby. Retained.
    package var regions: String { "\(root)/regions" }

    /// The topic of a node's observation of a region in earlier versions, and now of its distance.
    package func observation(of region: TopicName, by node: String) -> String {
        "\(root)/node/\(node)/region/\(region.level)"
    }

    /// The distance of a region's strongest beacon from a node, every few seconds. Not retained.
    package func ranging(_ region: TopicName, by node: String) -> String {
        observation(of: region, by: node) + "/ranging"
    }

    /// The Wi-Fi prompt that a node waits for an answer to. Retained.
    package func prompt(_ node: String) -> String { "\(root)/node/\(node)/prompt" }

    /// Returns the topic of the events of a node's prompts. Not retained.
    package func promptEvent(_ node: String) -> String { prompt(node) + "/event" }

    /// Returns the topic of the answers to a node's prompts. Not retained.
    package func promptAnswer(_ node: String) -> String { prompt(node) + "/answer" }

    /// Returns the topic of a region's state. Retained.
    package func region(_ region: TopicName) -> String { "\(root)/region/\(region.level)" }

    /// The house's enter and exit. Not retained.
    package func event(_ region: TopicName) -> String { self.region(region) + "/event" }

    /// Returns the topic of the battery level of a region's beacon. Retained.
    package func battery(_ region: TopicName) -> String { self.region(region) + "/battery" }

    /// The topic of the occupancy of the house, and of the number of nodes that are online. Retained.
    package var house: String { "\(root)/house" }
}

extension Topics {
    /// The subject of a message, by its topic.
    package enum Subject: Hashable, Sendable {
        case status(node: String)
        case scanner(node: String)
        case about(node: String)

        case heard(node: String)
        case hub
        case wanted
        case regions

        /// A node's observation of a region, by an earlier version; `level` is the region's ``TopicName/level``.
        case observation(level: String, node: String)

        case promptAnswer(node: String)

        /// A request to restart a node's daemon.
        case restart(node: String)
        case region(level: String)
        case event(level: String)
        case battery(level: String)
    }

    /// The messages of every node.
    package var everyStatus: String { status("+") }
    package var everyScanner: String { scanner("+") }
    package var everyAbout: String { about("+") }
    package var everyHeard: String { heard("+") }

    /// A filter with a wildcard for a node's description alone.
    package func onlyAbout(_ node: String) -> String { "\(root)/+/\(node)/about" }

    /// The states and events of all regions; the observations that earlier versions of a node retained.
    package var everyRegion: String { "\(root)/region/+" }
    package var everyEvent: String { "\(root)/region/+/event" }
    package var everyBattery: String { "\(root)/region/+/battery" }
    package func everyObservation(by node: String) -> String { "\(root)/node/\(node)/region/+" }

    /// Returns the subject of a message with this topic; `nil` for a topic or a name that is not ours.
    package func subject(of topic: String) -> Subject? {
        guard topic.utf8.count <= Self.longest, topic.hasPrefix(below) else { return nil }
        if topic == hub { return .hub }
        if topic == wanted { return .wanted }
        if topic == regions { return .regions }
        let levels = topic.dropFirst(root.count + 1).split(separator: "/", omittingEmptySubsequences: false)
        guard levels.count >= 2, TopicName.isLevel(levels[1]) else { return nil }
        let name = String(levels[1])
        guard levels[0] != "node" || TopicName.isName(name) else { return nil }
        return switch (levels[0], levels.dropFirst(2).joined(separator: "/")) {
        case ("node", "status"): .status(node: name)
        case ("node", "heard"): .heard(node: name)
        case ("node", "scanner"): .scanner(node: name)
        case ("node", "about"): .about(node: name)
        case ("node", "prompt/answer"): .promptAnswer(node: name)
        case ("node", "restart"): .restart(node: name)
        case ("node", _) where levels.count == 4 && levels[2] == "region" && TopicName.isLevel(levels[3]):
            .observation(level: String(levels[3]), node: name)
        case ("region", ""): levels.count == 2 ? .region(level: name) : nil
        case ("region", "event"): .event(level: name)
        case ("region", "battery"): .battery(level: name)
        default: nil
        }
    }

    /// The longest topic of ours: site, node and region have 64 letters at most.
    private static let longest = 256
}

/// A region's identifier as one level of a topic, and as a part of Home Assistant's identifiers.
package struct TopicName: Hashable, Sendable {
    /// As a level of a topic: the identifier, where it is made of 1 to 64 letters of ASCII, digits, hyphens and underscores,
    /// or a hash of it. Home Assistant takes no other in a topic of its discovery.
    package let level: String

    /// The part of Home Assistant's identifiers, which are joined by underscores: it has no underscore, so that no two
    /// are equal.
    package var part: String {
        let isAlone = !level.contains("_") && !Self.taken.contains(level)
        return isAlone ? level : "\(level.replacing("_", with: "-"))-\(StableHash.text(of: level).prefix(6))"
    }

    /// Words which the contract puts where a region's name may stand.
    private static let taken: Set = ["node", "nodes"]

    package init(_ identifier: String) { level = Self.level(of: identifier) }

    /// Returns the level of a name alone.
    package static func level(of identifier: String) -> String {
        isLevel(identifier) ? identifier : "x\(StableHash.text(of: identifier))"
    }

    /// Whether a node's or a region's name may stand in a topic as it is.
    package static func isLevel(_ name: some StringProtocol) -> Bool {
        1...64 ~= name.utf8.count && name.utf8.allSatisfy(isPlain)
    }

    /// Whether a text is the name of a node or a site: a level that no command takes for an option.
    package static func isName(_ name: some StringProtocol) -> Bool { isLevel(name) && !name.hasPrefix("-") }

    private static func isPlain(_ octet: UInt8) -> Bool {
        switch octet {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

/// A hash that is the same on every node, today and after an upgrade; Swift's own is not.
enum StableHash {
    /// The upper 48 bits as hexadecimal digits.
    static func text(of string: String) -> String {
        let digits = String(string.utf8.fnv1a >> 16, radix: 16)
        return String(repeating: "0", count: 12 - digits.count) + digits
    }
}
