package import OkaeriMQTT

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
    /// - Throws: Every mistake that the text would have, with its place, also those that it has already.
    package func joining(_ house: HouseDraft) throws(ConfigurationError) -> String { try merging(house.patch) }
}

extension HouseDraft {
    /// The merge patch of the configuration.
    fileprivate var patch: JSONNode.Value {
        func text(_ text: String?) -> JSONNode.Value { text.map { .string($0) } ?? .null }
        let isUsualPort = broker.port == MQTTSettings.Broker.usualPort(with: broker.tls)
        let tls: JSONNode.Value? = broker.tls.map { tls in
            let files = [tls.authorities, tls.certificate, tls.key]
            guard files.contains(where: { $0 != nil }) else { return .bool(true) }
            return ["ca": text(files[0]), "certificate": text(files[1]), "key": text(files[2])]
        }
        let mqtt: JSONNode.Value = [
            "host": .string(broker.host), "port": isUsualPort ? .null : .number(Double(broker.port)),
            "tls": tls ?? (broker.allowsClearPassword ? .bool(false) : .null), "username": text(broker.login?.username),
            "passwordFile": text(broker.login?.passwordFile), "site": .string(site),
        ]
        return [
            "mqtt": mqtt, "node": ["name": .string(node), "room": text(room)],
            isStandby ? "receiver" : "standby": .null, isStandby ? "standby" : "receiver": .bool(true),
        ]
    }
}
