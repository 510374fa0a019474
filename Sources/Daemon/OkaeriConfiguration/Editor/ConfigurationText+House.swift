package import MQTT
import Events

/// The place of this machine in a house, for `beacons.json`.
package struct HouseDraft: Sendable, Equatable {
    package var broker: MQTTSettings.Broker
    package var site: String
    package var node: String
    package var room: String?
    /// Whether it decides while no hub does.
    package var isStandby: Bool

    package init(broker: MQTTSettings.Broker, site: String, node: String, room: String?, isStandby: Bool = false) {
        (self.broker, self.site) = (broker, site)
        (self.node, self.room, self.isStandby) = (node, room, isStandby)
    }
}

extension ConfigurationText {
    /// Returns the text of a receiver or a standby: with the broker and this node. The regions of a receiver stay its own.
    ///
    /// - Throws: every mistake there would be in the text, with its place, also those that are there already.
    package func joining(_ house: HouseDraft) throws(ConfigurationError) -> String {
        var text = try setting("mqtt") { Self.members(of: house, in: &$0) }
        text = try ConfigurationText(text, file: file).setting("node") { node in
            node.set("name", to: Self.json(house.node))
            if let room = house.room { node.set("room", to: Self.json(room)) } else { node.remove("room") }
        }
        let (kind, other) = house.isStandby ? ("standby", "receiver") : ("receiver", "standby")
        return try ConfigurationText(text, file: file).editing { text in
            text.remove(other)
            text.set(kind, to: Array("true".utf8))
        }
    }

    private static func members(of house: HouseDraft, in mqtt: inout ObjectText) {
        let broker = house.broker
        mqtt.set("host", to: json(broker.host))
        if broker.port == (broker.tls == nil ? 1883 : 8883) {
            mqtt.remove("port")
        } else {
            mqtt.set("port", to: Array("\(broker.port)".utf8), after: ["host"])
        }
        mqtt.set("tls", to: tls(broker.tls), after: ["host", "port"])
        for (key, value) in [("username", broker.login?.username), ("passwordFile", broker.login?.passwordFile)] {
            if let value { mqtt.set(key, to: json(value)) } else { mqtt.remove(key) }
        }
        mqtt.set("site", to: json(house.site))
    }

    private static func tls(_ tls: MQTTSettings.TLS?) -> [UInt8] {
        guard let tls else { return Array("false".utf8) }
        let files = [("ca", tls.authorities), ("certificate", tls.certificate), ("key", tls.key)]
        let members = files.compactMap { key, path in path.map { Layout.line.member(key, json($0)) } }
        return members.isEmpty ? Array("true".utf8) : Layout.line.object(members)
    }

    private static func json(_ text: String) -> [UInt8] { Array(JSON.text(text).utf8) }

    /// Returns the text with an object of the outermost one changed, or added.
    private func setting(
        _ key: String, _ change: (inout ObjectText) -> Void
    ) throws(ConfigurationError) -> String {
        try editing { top in
            guard var object = top.text(of: key).flatMap(ObjectText.init) ?? ObjectText(Array("{}".utf8)) else {
                return
            }
            change(&object)
            top.set(key, to: object.bytes)
        }
    }
}
