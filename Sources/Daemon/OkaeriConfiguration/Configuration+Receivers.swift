import OkaeriPlumbing
package import OkaeriReceivers

extension Configuration {
    /// The receivers of one make that report over the broker.
    package struct Receivers: Sendable, Equatable {
        /// Their topics.
        package var topics: ReceiverTopics
        /// The rooms and offsets by the receivers' own names; `nil`: all that are found, each in a room of its own name.
        package var rooms: [String: Node]?

        package init(topics: ReceiverTopics, rooms: [String: Node]? = nil) {
            (self.topics, self.rooms) = (topics, rooms)
        }
    }

    static let receiverKeys = ["type", "base", "topic", "rooms"]

    /// The maximum number of entries, and of rooms in an entry.
    private static let (receiverLimit, roomLimit) = (16, 300)

    static func receivers(_ top: ObjectReader, _ problems: ObjectReader.Problems) -> [Receivers] {
        let nodes = top.value("receivers", expected: "an array of at most \(receiverLimit) receivers") {
            value -> [JSONNode]? in
            if case .array(let nodes) = value, nodes.count <= receiverLimit { nodes } else { nil }
        }
        let all = (nodes ?? []).enumerated().compactMap { index, node in
            ObjectReader(node, path: "receivers[\(index)]", keys: receiverKeys, problems: problems).flatMap {
                receivers($0, path: "receivers[\(index)]", problems)
            }
        }
        if !all.isEmpty, top.node("mqtt") == nil {
            top.report("receivers", found: "a list without \"mqtt\"", expected: "\"mqtt\" beside it, their broker")
        }
        for (index, receivers) in all.enumerated()
        where all[..<index].contains(where: { $0.topics.topic == receivers.topics.topic }) {
            top.report(
                "receivers", found: "the topic \"\(receivers.topics.topic)\" twice", expected: "each topic once")
        }
        return all
    }

    private static func receivers(
        _ reader: ObjectReader, path: String, _ problems: ObjectReader.Problems
    ) -> Receivers? {
        let makes = ReceiverMake.allCases.map { "\"\($0.rawValue)\"" }
        let expected = "\(makes.dropLast().joined(separator: ", ")) or \(makes.last ?? "")"
        let make = reader.required("type", expected: expected) { $0.string.flatMap(ReceiverMake.init) }
        let rooms = reader.node("rooms").flatMap { self.rooms($0, path: "\(path).rooms", problems) }
        guard let make else { return nil }
        let (key, other) = make == .espresense ? ("base", "topic") : ("topic", "base")
        if reader.node(other) != nil {
            reader.report(other, found: "a key of other receivers", expected: "\"\(key)\" in its place")
        }
        let topic = reader.string(key, expected: expectedTopic(make)) { ReceiverTopics(make, topic: $0) != nil }
        guard let topics = ReceiverTopics(make, topic: topic) else { return nil }
        return Receivers(topics: topics, rooms: rooms)
    }

    private static func expectedTopic(_ make: ReceiverMake) -> String {
        switch make {
        case .espresense: "the first levels of the topics, without + and #, such as \"\(make.usualTopic)\""
        case .shelly, .esphome:
            "a topic with + in the place of the receiver's name, and without #, such as \"\(make.usualTopic)\""
        case .openmqttgateway, .theengs:
            "a topic with BTtoMQTT/# at its end, and one + at most, such as \"\(make.usualTopic)\""
        }
    }

    private static func rooms(
        _ node: JSONNode, path: String, _ problems: ObjectReader.Problems
    ) -> [String: Node]? {
        let found = places(
            node, path: path, expected: "an object with at most \(roomLimit) receivers", atMost: roomLimit,
            "the name of a receiver, of up to 64 bytes", problems, isName: ReceiverName.isShown)
        return found?.mapValues { place in
            var place = place
            place.room = place.room ?? place.name
            return place
        }
    }
}
