import Plumbing

/// The houses at a broker by their retained messages, for a machine that joins one.
///
/// Any client of the broker can publish these messages, so the number of everything is bounded, and names that are not safe to
/// show are ignored.
package struct HouseDirectory: Sendable {
    /// A node of a house.
    package struct Node: Hashable, Sendable {
        package var room: String?
        package var isOnline: Bool?
    }

    /// A house.
    package struct Site: Hashable, Sendable {
        package fileprivate(set) var nodes: [String: Node] = [:]
        /// The node that last claimed to decide for the house.
        package fileprivate(set) var hub: String?

        /// The rooms of the nodes, in order, each once.
        package var rooms: [String] { Set(nodes.values.compactMap(\.room)).sorted() }
    }

    private static let siteLimit = 16
    private static let nodeLimit = 1000
    /// The maximum size of all payloads that are parsed.
    private static let byteLimit = 16 << 20

    /// The houses by name.
    package private(set) var sites: [String: Site] = [:]
    /// Whether a message was ignored because of a limit.
    package private(set) var isCut = false
    private var bytes = 0

    package init() {}

    /// The filters of the messages.
    ///
    /// - Parameter site: one house; `nil`: all houses that the broker lets this client read.
    package static func filters(site: String?) -> [String] {
        let topics = Topics(site: site ?? "+")
        return [topics.hub, topics.everyAbout, topics.everyStatus]
    }

    /// Receives a message.
    package mutating func receive(topic: String, payload: [UInt8]) {
        let levels = topic.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        guard levels.count == 3, levels[0] == "okaeri", TopicName.isLevel(levels[1]) else { return }
        let name = String(levels[1])
        guard let subject = Topics(site: name).subject(of: topic) else { return }
        bytes += payload.count
        guard bytes <= Self.byteLimit, sites[name] != nil || sites.count < Self.siteLimit else {
            isCut = true
            return
        }
        var site = sites[name] ?? Site()
        switch subject {
        case .hub: site.hub = HubClaim(payload)?.name
        case .about(let node):
            change(node, in: &site) { $0.room = NodeCard(payload)?.room }
        case .status(let node):
            change(node, in: &site) { $0.isOnline = payload == Array(Wire.online.utf8) }
        case .scanner, .observation, .promptAnswer, .event, .battery, .region, .heard, .wanted, .regions, .restart:
            return
        }
        // An empty message makes no house.
        sites[name] = site == Site() ? nil : site
    }

    private mutating func change(_ node: String, in site: inout Site, _ change: (inout Node) -> Void) {
        guard site.nodes[node] != nil || site.nodes.count < Self.nodeLimit else {
            isCut = true
            return
        }
        change(&site.nodes[node, default: Node()])
    }
}
