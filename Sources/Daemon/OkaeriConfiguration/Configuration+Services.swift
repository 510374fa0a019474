import BlueZ

extension Configuration {
    static let serviceKeys = ["identifier", "service", "onConnect", "onDisconnect"]

    /// The rules for peripherals that are kept connected.
    static func services(_ top: ObjectReader, _ problems: ObjectReader.Problems) -> [ServiceRule] {
        let nodes = top.value("services", expected: "an array of services") { value -> [JSONNode]? in
            if case .array(let nodes) = value { nodes } else { nil }
        }
        var seen: [String: Int] = [:]
        return (nodes ?? []).enumerated().compactMap { index, node in
            service(node, index: index, seen: &seen, problems)
        }
    }

    private static func service(
        _ node: JSONNode, index: Int, seen: inout [String: Int], _ problems: ObjectReader.Problems
    ) -> ServiceRule? {
        let path = "services[\(index)]"
        guard let reader = ObjectReader(node, path: path, keys: serviceKeys, problems: problems) else { return nil }
        let identifier = reader.string("identifier", expected: "a name for the rule, such as \"remote\"") {
            !$0.isEmpty
        }
        let uuid = reader.required("service", expected: "a service's UUID of 4, 8 or 32 digits, such as \"180F\"") {
            $0.string.flatMap { BluetoothUUID($0) }
        }
        let commands = ["onConnect", "onDisconnect"].map { command($0, reader) }
        guard let uuid else { return nil }
        let rule = ServiceRule(
            identifier: identifier, service: uuid, onConnect: commands[0], onDisconnect: commands[1])
        if let first = seen.updateValue(index, forKey: rule.label) {
            reader.report(
                identifier == nil ? "service" : "identifier",
                found: "\"\(rule.label)\", which services[\(first)] has too",
                expected: identifier == nil ? "an identifier of its own beside it" : "a name of its own")
        }
        return rule
    }
}
