import Events

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
