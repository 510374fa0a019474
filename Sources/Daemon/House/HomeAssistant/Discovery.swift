import OkaeriEvents

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
        case receiver(String)
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
        case (2, "receiver"): .receiver(String(words[1]))
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

extension Discovery {
    /// A node, announced by itself: whether it runs and receives, since when, and its Wi-Fi prompt.
    ///
    /// - Parameters:
    ///   - name: letters of ASCII, digits, hyphens and underscores.
    ///   - room: The node's room, which Home Assistant proposes as the area of the device.
    ///   - page: The URL of the node's page, if other devices reach it.
    ///   - restarts: Whether the daemon is started again after it has ended on request.
    package func node(
        _ name: String, room: String? = nil, page: String? = nil, restarts: Bool = true
    ) -> Announcement {
        let part = TopicName(name).part
        let identifier = "\(root)_node_\(part)"
        return announcement(
            "node_\(part)",
            device(
                "Presence node", identifier: identifier, name: "Okaeri \(name)",
                [EventField("sw", .text(version)), EventField("sn", .text(name))] + area(room)
                    + [EventField("via_device", .text(root))] + link(page)),
            [],
            health(name, identifier) + maintenance(name, identifier, restarts: restarts) + questions(name, identifier)
                + answers(name, identifier))
    }

    private func area(_ room: String?) -> [EventField] {
        guard let room, !room.allSatisfy(\.isWhitespace) else { return [] }
        return [EventField("sa", .text(room))]
    }

    private func health(_ node: String, _ identifier: String) -> [Component] {
        let status = topics.status(node), scanner = topics.scanner(node)
        return [
            // Always available: else it could not show that the node is off.
            component("connected", "binary_sensor", identifier, nil, node)
                .with(["dev_cla": "connectivity", "ent_cat": "diagnostic", "pl_on": "online", "pl_off": "offline"])
                .state(status),
            component("scanner", "binary_sensor", identifier, "Scanner", node)
                .with(["dev_cla": "problem", "ent_cat": "diagnostic", "avty_t": status, "json_attr_t": scanner])
                .state(scanner, "{{ 'OFF' if value_json.ok else 'ON' }}"),
        ]
    }

    private func maintenance(_ node: String, _ identifier: String, restarts: Bool) -> [Component] {
        let status = topics.status(node)
        return [
            component("uptime", "sensor", identifier, "Uptime", node)
                .with(["dev_cla": "timestamp", "ent_cat": "diagnostic", "avty_t": status])
                .state(topics.about(node), "{{ value_json.since | default('None', true) }}"),
            // A button of an earlier start, under a service manager, would stay in Home Assistant.
            restarts ? restart(node, identifier) : Component(removed: "restart", "button"),
        ]
    }

    private func restart(_ node: String, _ identifier: String) -> Component {
        component("restart", "button", identifier, "Restart", node)
            .with(["dev_cla": "restart", "ent_cat": "diagnostic", "avty_t": topics.status(node)])
            .with(["cmd_t": topics.restart(node), "pl_prs": "restart"])
            // The broker drops a press that it cannot deliver in time.
            .with([EventField("msg_exp_int", .integer(30))])
    }

    private func questions(_ node: String, _ identifier: String) -> [Component] {
        let status = topics.status(node), prompt = topics.prompt(node)
        return [
            component("question", "event", identifier, "Wi-Fi question", node)
                .with([EventField("evt_typ", .values(["asked", "answered", "withdrawn"].map { .text($0) }))])
                .with(["avty_t": status, "ic": "mdi:wifi-alert"])
                .state(topics.promptEvent(node)),
            component("ssid", "sensor", identifier, "Wi-Fi asked about", node, entity: "wifi_asked")
                .with(["avty_t": status, "json_attr_t": prompt, "ic": "mdi:wifi-alert"])
                .state(prompt, "{{ value_json.ssid | default('None', true) }}"),
        ]
    }

    private func answers(_ node: String, _ identifier: String) -> [Component] {
        [
            ("join", "Join Wi-Fi", "mdi:wifi-plus"), ("later", "Ask later", "mdi:wifi-arrow-down"),
            ("never", "Never ask", "mdi:wifi-off"),
        ].map { answer, name, icon in
            component(answer, "button", identifier, name, node)
                .with(["cmd_t": topics.promptAnswer(node), "pl_prs": "{\"answer\":\"\(answer)\"}", "ic": icon])
                .with(
                    Availability.all([
                        Availability.topic(topics.status(node)),
                        // Only while there is a question.
                        Availability.topic(topics.prompt(node), "{{ 'online' if value_json.id else 'offline' }}"),
                    ])
                )
                // A press that comes late is for another question.
                .with([EventField("msg_exp_int", .integer(30))])
        }
    }

    private func component(
        _ key: String, _ platform: String, _ identifier: String, _ name: String?, _ node: String, entity: String? = nil
    ) -> Component {
        Component(
            key, platform, identifier: "\(identifier)_\(key)", name: name,
            entity: self.entity("\(names.node(node))_\(entity ?? key)"))
    }
}

extension Discovery {
    /// A region as the house knows it, announced by its owner.
    ///
    /// - Parameters:
    ///   - identifier: the region's, in whatever script.
    ///   - nodes: all that are known, online or not.
    ///   - hasBattery: Whether the battery level of one of its beacons is known.
    package func region(_ identifier: String, nodes: [String], hasBattery: Bool = false) -> Announcement {
        let name = TopicName(identifier)
        return announcement(
            "region_\(name.part)", device(of: identifier), Availability.any(of: nodes.sorted(), topics),
            presence(identifier) + details(identifier) + (hasBattery ? battery(identifier) : []))
    }

    /// Returns the distance of a region's beacon from a node.
    ///
    /// - Parameter isReceiver: Whether the node is a receiver of another make, of which the hub publishes whether it is online.
    package func part(region identifier: String, node: String, isReceiver: Bool = false) -> Announcement {
        let name = TopicName(identifier), ranging = topics.ranging(name, by: node)
        let nodeName = TopicName(node)
        let components = [
            ("distance", "Distance to \(node)", "distance", "m", "{{ value_json.accuracy | default('None', true) }}"),
            ("signal", "Signal at \(node)", "signal_strength", "dBm", "{{ value_json.rssi | default('None', true) }}"),
        ].map { key, title, kind, unit, template in
            Component(
                key, "sensor", identifier: "\(root)_\(name.part)_\(nodeName.part)_\(key)", name: title,
                entity: entity("\(names.region(identifier))_\(names.node(node))_\(key)")
            )
            .with(["dev_cla": kind, "unit_of_meas": unit, "stat_cla": "measurement"])
            // A node that stopped does not withdraw its last value.
            .with([EventField("exp_aft", .integer(120))])
            .state(ranging, template)
        }
        return announcement(
            "region_\(name.part)_\(nodeName.part)", device(of: identifier),
            [
                EventField(
                    "avty",
                    .list([
                        isReceiver
                            ? Availability.topic(
                                topics.receiver(node), "{{ 'online' if value_json.online else 'offline' }}")
                            : Availability.topic(topics.status(node))
                    ]))
            ],
            [
                components[0].with([EventField("sug_dsp_prc", .integer(1))]),
                // For finding faults: off until the user switches it on.
                components[1].with(["ent_cat": "diagnostic"]).with([EventField("en", .flag(false))]),
            ])
    }

    private func device(of identifier: String) -> EventField {
        device(
            "iBeacon region", identifier: "\(root)_\(TopicName(identifier).part)", name: identifier,
            [EventField("via_device", .text(root))])
    }

    /// Returns the components of presence. Anything but these states would make the tracker show the whole message.
    private func presence(_ region: String) -> [Component] {
        let name = TopicName(region), topic = topics.region(name)
        let attributes = ["room", "since", "beacon"].map { "'\($0)':value_json.\($0)|default(none)" }
        return [
            Component(
                "tracker", "device_tracker", identifier: "\(root)_\(name.part)", name: nil,
                entity: entity(names.region(region))
            )
            .with(["src_type": "bluetooth_le", "json_attr_t": topic])
            .with(["json_attr_tpl": "{{ {\(attributes.joined(separator: ","))} | tojson }}"])
            .state(topic, "{{ {'inside':'home','outside':'not_home'}.get(value_json.state,'None') }}"),
            component("presence", "binary_sensor", region, "Presence")
                .with(["dev_cla": "presence"])
                // The only end of a presence whose node and broker lost their power together.
                .with([EventField("exp_aft", .integer(900))])
                .state(topic, "{{ {'inside':'ON','outside':'OFF'}.get(value_json.state,'None') }}"),
        ]
    }

    private func details(_ region: String) -> [Component] {
        let name = TopicName(region), topic = topics.region(name)
        let room = "value_json.room | default('None', true) if value_json.state == 'inside' else 'None'"
        return [
            component("room", "sensor", region, "Room").with(["ic": "mdi:map-marker"])
                .state(topic, "{{ 'not_home' if value_json.state == 'outside' else \(room) }}"),
            component("changed", "sensor", region, "Last change")
                .with(["dev_cla": "timestamp", "ent_cat": "diagnostic"])
                .state(topic, "{{ value_json.since | default('None', true) }}"),
            Component(
                "event", "event", identifier: "\(root)_\(name.part)_event", name: "Event",
                entity: entity(names.region(region))
            )
            .with([EventField("evt_typ", .values([.text("enter"), .text("exit")]))])
            .state(topics.event(name)),
        ]
    }

    private func battery(_ region: String) -> [Component] {
        let topic = topics.battery(TopicName(region))
        return [
            component("battery", "sensor", region, "Battery")
                .with(["dev_cla": "battery", "unit_of_meas": "%", "stat_cla": "measurement", "ent_cat": "diagnostic"])
                .with(["json_attr_t": topic])
                .state(topic, "{{ value_json.percent }}"),
            component("battery_low", "binary_sensor", region, "Battery low")
                .with(["dev_cla": "battery", "ent_cat": "diagnostic"])
                .state(topic, "{{ 'ON' if value_json.low else 'OFF' }}"),
        ]
    }

    private func component(_ key: String, _ platform: String, _ region: String, _ title: String) -> Component {
        Component(
            key, platform, identifier: "\(root)_\(TopicName(region).part)_\(key)", name: title,
            entity: entity("\(names.region(region))_\(key)"))
    }
}

/// An entity of a device: Home Assistant's view of some topics.
struct Component {
    /// The key that distinguishes it from the device's others.
    let key: String
    private(set) var fields: [EventField]

    /// - Parameters:
    ///   - platform: `sensor`, `button`, ….
    ///   - identifier: The identifier that distinguishes it from all entities, for ever.
    ///   - name: beside the device's; nil: the device's alone.
    ///   - entity: the entity's identifier behind its platform, until its owner changes it.
    init(_ key: String, _ platform: String, identifier: String, name: String?, entity: String) {
        self.key = key
        fields = [
            EventField("p", .text(platform)), EventField("uniq_id", .text(identifier)),
            EventField("name", name.map(EventField.Value.text) ?? .null),
            EventField("def_ent_id", .text("\(platform).\(entity)")),
        ]
    }

    /// The removal of a component: its platform alone.
    init(removed key: String, _ platform: String) {
        self.key = key
        fields = [EventField("p", .text(platform))]
    }

    /// The same with more settings, by Home Assistant's abbreviations.
    func with(_ more: [EventField]) -> Component {
        var component = self
        component.fields += more
        return component
    }

    func with(_ texts: KeyValuePairs<String, String>) -> Component {
        with(texts.map { EventField($0, .text($1)) })
    }

    /// With the topic of its state, and the template that takes the state out of that.
    func state(_ topic: String, _ template: String? = nil) -> Component {
        with([EventField("stat_t", .text(topic))] + EventField.text("val_tpl", template))
    }
}

/// Whether entities are available.
enum Availability {
    /// - Returns: available while at least one of these nodes is online.
    static func any(of nodes: [String], _ topics: Topics) -> [EventField] {
        [EventField("avty_mode", .text("any")), EventField("avty", .list(nodes.map { topic(topics.status($0)) }))]
    }

    /// - Returns: available while all of these are `online`.
    static func all(_ topics: [[EventField]]) -> [EventField] {
        [EventField("avty_mode", .text("all")), EventField("avty", .list(topics))]
    }

    static func topic(_ topic: String, _ template: String? = nil) -> [EventField] {
        [EventField("t", .text(topic))] + EventField.text("val_tpl", template)
    }
}
