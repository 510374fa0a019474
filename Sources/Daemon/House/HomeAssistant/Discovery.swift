import Events

/// The announcements with which Home Assistant shows the house without any configuration of its own
/// (https://www.home-assistant.io/integrations/mqtt/#mqtt-discovery): a device for the house, for each node and for
/// each region. Needs Home Assistant 2024.12 or later. A pure function of the house: the same on every node.
package struct Discovery: Sendable {
    /// A retained message; one without content takes the device or the part away.
    package struct Announcement: Hashable, Sendable {
        package var topic: String
        package var payload: String
    }

    package let topics: Topics

    /// Home Assistant's discovery prefix: `homeassistant` by default.
    package let prefix: String
    let version: String

    /// The names in the identifiers of entities.
    package var names: EntityNames

    /// - Parameters:
    ///   - version: this program's.
    ///   - names: the names in the identifiers of entities. Without them, those of two regions can be equal.
    package init(
        topics: Topics, prefix: String = "homeassistant", version: String, names: EntityNames = EntityNames()
    ) {
        self.topics = topics
        self.prefix = prefix
        self.version = version
        self.names = names
    }

    /// The beginning of every identifier in this house.
    var root: String { "okaeri_\(TopicName(topics.site).part)" }

    /// Returns an entity's identifier behind its platform: with the house's name, unless that is the default, so that two houses
    /// have different entities in one Home Assistant.
    func entity(_ name: String) -> String {
        let site = topics.site == Topics.defaultSite ? "" : "\(EntityNames.site(topics.site))_"
        return "okaeri_\(site)\(name)"
    }

    /// Returns the link from a device to its page. Home Assistant refuses a device with another link than one to a web page
    /// (home-assistant/core#78080), so that this omits such a link.
    func link(_ page: String?) -> [EventField] {
        guard let page, page.utf8.allSatisfy({ 0x21...0x7E ~= $0 }),
            let host = ["http://", "https://"].first(where: page.hasPrefix).map({ page.dropFirst($0.count) }),
            !host.isEmpty, !host.hasPrefix("/")
        else { return [] }
        return [EventField("cu", .text(page))]
    }

    /// The house.
    ///
    /// - Parameters:
    ///   - nodes: all that are known, online or not.
    ///   - rooms: the rooms whose regions are counted.
    ///   - formerRooms: The rooms of the announcement before. Home Assistant removes the sensors of those that are no longer in `rooms`.
    ///   - page: The URL of the house's page, if other devices reach it.
    package func hub(
        nodes: [String], rooms: [String] = [], formerRooms: [String] = [], page: String? = nil
    ) -> Announcement {
        let count = Component(
            "nodes", "sensor", identifier: "\(root)_nodes", name: "Nodes online", entity: entity("nodes")
        )
        .with(["ent_cat": "diagnostic", "stat_cla": "measurement", "ic": "mdi:access-point-network"])
        .state(topics.house, "{{ value_json.online }}")
        return announcement(
            "hub",
            device("House", identifier: root, name: "Okaeri", [EventField("sw", .text(version))] + link(page)),
            Availability.any(of: nodes.sorted(), topics),
            [count] + occupancy + rooms.map(inside) + removed(formerRooms, without: rooms))
    }

    /// Whether any region is inside, and how many are. No region's identifier begins with `nodes`, see ``TopicName/part``.
    private var occupancy: [Component] {
        [
            Component(
                "presence", "binary_sensor", identifier: "\(root)_nodes_presence", name: "Home occupied",
                entity: entity("home_occupied")
            )
            .with(["dev_cla": "presence"]).with([EventField("exp_aft", .integer(900))])
            .state(topics.house, "{{ {'inside':'ON','outside':'OFF'}.get(value_json.presence,'None') }}"),
            Component(
                "inside", "sensor", identifier: "\(root)_nodes_inside", name: "Regions inside",
                entity: entity("regions_inside")
            )
            .with(["stat_cla": "measurement", "ic": "mdi:home-account"])
            .state(topics.house, "{{ value_json.inside }}"),
        ]
    }

    /// Returns the number of regions that are inside in a room.
    private func inside(_ room: String) -> Component {
        let name = TopicName(room)
        return Component(
            Self.key(ofRoom: room), "sensor", identifier: "\(root)_nodes_room_\(name.part)", name: "Inside: \(room)",
            entity: entity("room_\(names.room(room))")
        )
        .with(["stat_cla": "measurement", "ic": "mdi:home-account"])
        // A part of an identifier has no character that a template reads.
        .state(topics.house, "{{ value_json.rooms.get('\(name.part)', 0) }}")
    }

    private static func key(ofRoom room: String) -> String { "room_\(TopicName(room).part)" }

    /// Returns the removals of rooms' sensors. A component that is absent from a later announcement of its device stays in Home Assistant.
    private func removed(_ former: [String], without rooms: [String]) -> [Component] {
        let keys = Set(former.map(Self.key)).subtracting(rooms.map(Self.key))
        return keys.sorted().map { Component(removed: $0, "sensor") }
    }

    /// The filter of the topics of all devices of this house.
    package var everyDevice: String { topic("+") }

    /// The subject of an announcement.
    package enum Subject: Hashable, Sendable {
        case hub
        /// By the names' ``TopicName/part``.
        case node(String)
        case region(String)
        case part(region: String, node: String)
    }

    /// Returns the subject of a topic that this program announces; `nil` for any other.
    package func subject(of topic: String) -> Subject? {
        let (start, end) = ("\(prefix)/device/\(root)/", "/config")
        guard topic.hasPrefix(start), topic.hasSuffix(end), topic.utf8.count <= 400 else { return nil }
        let words = topic.dropFirst(start.count).dropLast(end.count).split(
            separator: "_", omittingEmptySubsequences: false)
        guard words.allSatisfy(TopicName.isLevel) else { return nil }
        return switch (words.count, words[0]) {
        case (1, "hub"): .hub
        case (2, "node"): .node(String(words[1]))
        case (2, "region"): .region(String(words[1]))
        case (3, "region"): .part(region: String(words[1]), node: String(words[2]))
        default: nil
        }
    }

    func topic(_ object: String) -> String { "\(prefix)/device/\(root)/\(object)/config" }

    func device(_ model: String, identifier: String, name: String, _ more: [EventField]) -> EventField {
        EventField(
            "dev",
            .object(
                [
                    EventField("ids", .values([.text(identifier)])), EventField("name", .text(name)),
                    EventField("mf", .text("Okaeri")), EventField("mdl", .text(model)),
                ] + more))
    }

    func announcement(
        _ object: String, _ device: EventField, _ settings: [EventField], _ components: [Component]
    ) -> Announcement {
        let origin = [EventField("name", .text("okaeri")), EventField("sw", .text(version))]
        let components = components.map { EventField($0.key, .object($0.fields)) }
        let fields =
            [device, EventField("o", .object(origin)), EventField("qos", .integer(1))] + settings
            + [EventField("cmps", .object(components))]
        return Announcement(topic: topic(object), payload: fields.json)
    }
}
