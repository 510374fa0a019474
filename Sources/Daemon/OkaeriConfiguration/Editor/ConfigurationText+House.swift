package import IBeacon
package import MQTT
import Events

/// The place of this machine in a house, for `beacons.json`.
package struct HouseDraft: Sendable, Equatable {
    package var broker: MQTTSettings.Broker
    package var site: String
    package var node: String
    package var room: String?
    /// The beacons of the house, by the identifiers of their regions.
    package var regions: [(identifier: String, beacons: BeaconConstraint)]

    package init(
        broker: MQTTSettings.Broker, site: String, node: String, room: String?,
        regions: [(identifier: String, beacons: BeaconConstraint)]
    ) {
        (self.broker, self.site) = (broker, site)
        (self.node, self.room) = (node, room)
        self.regions = regions
    }

    package static func == (left: HouseDraft, right: HouseDraft) -> Bool {
        (left.broker, left.site, left.node, left.room) == (right.broker, right.site, right.node, right.room)
            && left.regions.elementsEqual(right.regions) { $0 == $1 }
    }
}

extension ConfigurationText {
    /// Returns the text with the broker, this node, and the regions of the house. A region that is there keeps everything but
    /// its beacons.
    ///
    /// - Throws: every mistake there would be in the text, with its place, also those that are there already.
    package func joining(_ house: HouseDraft) throws(ConfigurationError) -> String {
        var text = try setting("mqtt") { Self.members(of: house, in: &$0) }
        text = try ConfigurationText(text, file: file).setting("node") { node in
            node.set("name", to: Self.json(house.node))
            if let room = house.room { node.set("room", to: Self.json(room)) } else { node.remove("room") }
        }
        for region in house.regions {
            let draft = RegionDraft(identifier: region.identifier, region.beacons)
            text = try ConfigurationText(text, file: file).setting(draft)
        }
        return text
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
