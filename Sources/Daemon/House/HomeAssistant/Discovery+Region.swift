import Events

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
    package func part(region identifier: String, node: String) -> Announcement {
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
            [EventField("avty", .list([Availability.topic(topics.status(node))]))],
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
