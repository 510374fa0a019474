/// The topics of one house on a broker. The nodes and Home Assistant read the same topics.
package struct Topics: Hashable, Sendable {
    /// The house's name; several can share a broker.
    package let site: String

    /// The house's name without another in the configuration.
    package static let defaultSite = "home"

    /// - Parameter site: letters of ASCII, digits, hyphens and underscores.
    package init(site: String = defaultSite) {
        self.site = site
    }

    var root: String { "okaeri/\(site)" }

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
