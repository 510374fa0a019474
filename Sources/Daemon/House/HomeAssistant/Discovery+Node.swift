import Events

extension Discovery {
    /// A node, announced by itself: whether it runs and receives, since when, and its Wi-Fi prompt.
    ///
    /// - Parameters:
    ///   - name: letters of ASCII, digits, hyphens and underscores.
    ///   - room: The node's room, which Home Assistant proposes as the area of the device.
    ///   - page: The URL of the node's page, if other devices reach it.
    package func node(_ name: String, room: String? = nil, page: String? = nil) -> Announcement {
        let part = TopicName(name).part
        let identifier = "\(root)_node_\(part)"
        return announcement(
            "node_\(part)",
            device(
                "Presence node", identifier: identifier, name: "Okaeri \(name)",
                [EventField("sw", .text(version)), EventField("sn", .text(name))] + area(room)
                    + [EventField("via_device", .text(root))] + link(page)),
            [],
            health(name, identifier) + maintenance(name, identifier) + questions(name, identifier)
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

    private func maintenance(_ node: String, _ identifier: String) -> [Component] {
        let status = topics.status(node)
        return [
            component("uptime", "sensor", identifier, "Uptime", node)
                .with(["dev_cla": "timestamp", "ent_cat": "diagnostic", "avty_t": status])
                .state(topics.about(node), "{{ value_json.since | default('None', true) }}"),
            component("restart", "button", identifier, "Restart", node)
                .with(["dev_cla": "restart", "ent_cat": "diagnostic", "avty_t": status])
                .with(["cmd_t": topics.restart(node), "pl_prs": "restart"])
                // The broker drops a press that it cannot deliver in time.
                .with([EventField("msg_exp_int", .integer(30))]),
        ]
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
