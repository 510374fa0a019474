import OkaeriEvents
package import OkaeriReceivers

/// A receiver of another make that the user chose to use, and its room.
///
/// In a request and in `regions.json` it is `{"type": "espresense", "name": "kitchen", "room": "kitchen"}`.
package struct ReceiverChoice: Hashable, Sendable {
    package var make: ReceiverMake
    /// Its own name.
    package var name: String
    /// `nil` for one that is not to be used any more.
    package var room: String?

    package init(_ make: ReceiverMake, name: String, room: String?) {
        (self.make, self.name, self.room) = (make, name, room)
    }

    /// The maximum number of choices.
    static let limit = 100

    /// Reads the value of the key `receivers`.
    package static func list(_ node: JSONNode) throws(ConfigurationError) -> [ReceiverChoice] {
        guard case .array(let nodes) = node.value, nodes.count <= limit else {
            throw mistake("receivers", found: node.summary, expected: "an array of at most \(limit) receivers")
        }
        var choices: [ReceiverChoice] = []
        for (index, node) in nodes.enumerated() {
            choices.append(try ReceiverChoice(node, place: "receivers[\(index)]"))
        }
        return choices
    }

    private init(_ node: JSONNode, place: String) throws(ConfigurationError) {
        guard case .object(let members) = node.value,
            members.allSatisfy({ ["type", "name", "room"].contains($0.key) })
        else { throw Self.mistake(place, found: node.summary, expected: "type, name and room alone") }
        guard let make = node["type"]?.value.string.flatMap(ReceiverMake.init) else {
            let makes = ReceiverMake.allCases.map(\.rawValue).joined(separator: ", ")
            throw Self.mistake("\(place).type", found: Self.summary(node["type"]), expected: "one of \(makes)")
        }
        guard let name = node["name"]?.value.string, ReceiverName.isShown(name) else {
            throw Self.mistake(
                "\(place).name", found: Self.summary(node["name"]),
                expected: "the name of a receiver, of up to 64 bytes")
        }
        self.init(make, name: name, room: nil)
        guard let room = node["room"], room.value != .null else { return }
        self.room = try SavedRegions.room(room)
    }

    private static func summary(_ node: JSONNode?) -> String { node?.summary ?? "nothing" }

    private static func mistake(_ place: String, found: String, expected: String) -> ConfigurationError {
        ConfigurationError(file: "the request", place: place, found: found, expected: expected)
    }

    /// The choice in JSON.
    var text: String {
        let room = room.map { ", \"room\": \(JSON.text($0))" } ?? ""
        return "{ \"type\": \"\(make.rawValue)\", \"name\": \(JSON.text(name))\(room) }"
    }
}

extension ConfigurationText {
    /// Returns the text with receivers that are used from now on.
    ///
    /// - Throws: Every mistake that the text would have, with its place, also those that it has already.
    package func adding(_ receivers: [ReceiverChoice]) throws(ConfigurationError) -> String {
        try checked(document.adding(receivers)).text
    }
}

extension JSONNode {
    /// Returns the tree of a configuration with receivers: each in the entry of its make that has the usual topics, or in a new one. An
    /// entry without `rooms` uses all receivers, and stays as it is.
    func adding(_ receivers: [ReceiverChoice]) -> JSONNode {
        var entries: [JSONNode] = if case .array(let nodes)? = self["receivers"]?.value { nodes } else { [] }
        for receiver in receivers {
            guard let room = receiver.room else { continue }
            var places: Value = [:]
            places[receiver.name] = ["room": .string(room)]
            guard let index = entries.firstIndex(where: { $0.hasUsualTopics(of: receiver.make) }) else {
                entries.append(JSONNode(value: ["type": .string(receiver.make.rawValue), "rooms": places]))
                continue
            }
            if case .object(let known)? = entries[index]["rooms"]?.value,
                !known.contains(where: { $0.key == receiver.name })
            {
                entries[index] = entries[index].merging(["rooms": places], order: Configuration.order)
            }
        }
        guard !entries.isEmpty else { return self }
        guard case .object(var members) = value, let index = members.firstIndex(where: { $0.key == "receivers" }) else {
            return merging(["receivers": .array(entries)], order: Configuration.order)
        }
        var changed = self
        members[index].node.value = .array(entries)
        changed.value = .object(members)
        return changed
    }

    /// Whether an entry of `receivers` has the usual topics of a make.
    private func hasUsualTopics(of make: ReceiverMake) -> Bool {
        let topic = (self["topic"] ?? self["base"])?.value.string
        return self["type"]?.value.string == make.rawValue && topic ?? make.usualTopic == make.usualTopic
    }
}

extension Configuration {
    /// Whether the configuration uses a receiver.
    package func uses(_ receiver: FoundReceiver) -> Bool {
        receivers.contains { entry in
            switch entry.topics.subject(of: receiver.topic) {
            case .report(let name, _)?, .status(let name)?, .version(let name)?, .telemetry(let name)?:
                entry.rooms.map { $0[name] != nil } ?? true
            case .settings?, nil: false
            }
        }
    }
}
