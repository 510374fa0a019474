import History

/// An event out of the history, in the forms it can be shown in.
struct RecordedEvent {
    let event: HistoryEvent

    /// What the JSON object has a member for, in the order of the columns.
    private static let columns = [
        "time", "event", "region", "state", "uuid", "major", "minor", "rssi", "accuracy", "proximity", "id", "ssid",
        "answer", "device", "adapter", "code", "reason", "identifier", "service", "address", "name",
    ]

    /// The names of the columns of ``csv`` (RFC 4180).
    static let header = columns.joined(separator: ",")

    /// A row of comma-separated values.
    var csv: String {
        let members = members
        return Self.columns.map { Self.quoted(members[$0] ?? "") }.joined(separator: ",")
    }

    /// A line for a person, in the machine's time zone.
    var line: String {
        let members = members
        var words = [LocalTime.text(event.time), event.name]
        if let region = event.region { words.append(region) }
        if event.name == "didDetermineState" || event.name == "bluetoothStateDidUpdate" {
            words += [members["state"], members["adapter"]].compactMap { $0 }
        }
        for (key, unit) in [("major", ""), ("minor", ""), ("rssi", " dBm"), ("accuracy", " m")] {
            guard let value = members[key] else { continue }
            words.append((unit.isEmpty ? "\(key) " : "") + value + unit)
        }
        words += [members["ssid"].map { "\"\($0)\"" }, members["answer"], members["device"]].compactMap { $0 }
        // Who connected because of a service.
        words += ["identifier", "service", "name", "address"].compactMap { members[$0] }
        if let reason = members["reason"], !reason.isEmpty { words.append("– \(reason)") }
        return words.joined(separator: "  ")
    }

    /// The members of the object and of the beacon in it, as text.
    private var members: [String: String] {
        // The history may hold what a newer version wrote, or be damaged: what is no JSON has no members.
        guard let object = try? JSONParser.parse(Array(event.json.utf8)) else { return [:] }
        return Self.members(object)
    }

    private static func members(_ node: JSONNode) -> [String: String] {
        guard case .object(let members) = node.value else { return [:] }
        var texts: [String: String] = [:]
        for (key, node) in members {
            switch node.value {
            case .string(let string): texts[key] = string
            case .number, .bool: texts[key] = node.summary
            case .object: texts.merge(Self.members(node)) { first, _ in first }
            case .null, .array: break
            }
        }
        return texts
    }

    private static let special: Set<Unicode.Scalar> = ["\"", ",", "\r", "\n"]

    /// Scalar by scalar: an accent after a quotation mark makes one character of both.
    private static func quoted(_ field: String) -> String {
        guard field.unicodeScalars.contains(where: special.contains) else { return field }
        var quoted = ""
        for scalar in field.unicodeScalars {
            if scalar == "\"" { quoted += "\"" }
            quoted.unicodeScalars.append(scalar)
        }
        return "\"\(quoted)\""
    }
}
