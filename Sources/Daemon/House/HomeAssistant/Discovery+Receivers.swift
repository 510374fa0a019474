import OkaeriEvents

extension Discovery {
    /// Returns a receiver of another make, announced by the hub: whether it reports, and its figures.
    ///
    /// - Parameters:
    ///   - make: The make, as its makers write it.
    ///   - room: The receiver's room, which Home Assistant proposes as the area of the device.
    func receiver(_ name: String, make: String, room: String?) -> Announcement {
        let part = TopicName(name).part
        let identifier = "\(root)_receiver_\(part)"
        let topic = topics.receiver(name)
        func component(_ key: String, _ platform: String, _ title: String?) -> Component {
            Component(
                key, platform, identifier: "\(identifier)_\(key)", name: title,
                entity: entity("\(names.node(name))_\(key)")
            )
            .with(["ent_cat": "diagnostic"])
        }
        return announcement(
            "receiver_\(part)",
            device(
                make, identifier: identifier, name: "Okaeri \(name)",
                EventField.text("sa", room) + [EventField("via_device", .text(root))]),
            [],
            [
                component("connected", "binary_sensor", nil).with(["dev_cla": "connectivity"])
                    .state(topic, "{{ 'ON' if value_json.online else 'OFF' }}"),
                component("receptions", "sensor", "Receptions")
                    .with(["unit_of_meas": "1/min", "stat_cla": "measurement", "ic": "mdi:bluetooth-audio"])
                    .state(topic, "{{ value_json.receptions }}"),
                component("interval", "sensor", "Report interval")
                    .with(["dev_cla": "duration", "unit_of_meas": "s", "stat_cla": "measurement"])
                    .state(topic, "{{ value_json.interval | default('None', true) }}"),
                component("rejected", "sensor", "Rejected messages")
                    .with(["stat_cla": "total_increasing", "ic": "mdi:message-alert"])
                    .state(topic, "{{ value_json.rejected }}"),
            ])
    }
}
