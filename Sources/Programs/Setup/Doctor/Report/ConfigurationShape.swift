import OkaeriConfiguration
import OkaeriPlumbing

/// The keys of a configuration with the kinds of their values, and the values themselves, to be replaced where sentences quote them.
struct ConfigurationShape: Sendable {
    private(set) var names: [KnownName] = []
    /// The configuration with placeholders for all texts; the reason, if it is not JSON.
    private(set) var text = ""

    /// The keys whose texts are words of Okaeri.
    private static let plainKeys: Set = ["sensitivity", "join", "security", "scope", "type", "events"]

    /// The keys whose numbers a report shows: settings. Any other number may distinguish a beacon, or be a secret without its
    /// quotation marks.
    static let plainNumbers: Set = [
        "port", "validFor", "keep", "interval", "window", "lateShare", "offset", "enterRSSI", "exitRSSI", "exitAfter",
        "measuredPower", "pathLossExponent",
    ]

    private static let kinds = [
        "identifier": "region", "uuid": "uuid", "ssid": "ssid", "ssidHex": "ssid", "host": "host", "hosts": "host",
        "username": "user",
        "url": "url", "regions": "region", "site": "site", "room": "room", "name": "node", "listen": "address",
        "service": "uuid", "radios": "node",
    ]

    init(_ bytes: [UInt8]) {
        do throws(ConfigurationError) {
            let node = try JSONNode(json: bytes, file: "beacons.json")
            text = shape(node, key: "", indent: "")
        } catch {
            text = "no JSON"
        }
    }

    private mutating func add(_ name: String, _ kind: String) { names.append(KnownName(name, kind)) }

    private mutating func shape(_ node: JSONNode, key: String, indent: String) -> String {
        switch node.value {
        case .null: return "null"
        case .bool(let bool): return "\(bool)"
        case .number(let number): return Self.plainNumbers.contains(key) ? number.plain : "<number>"
        case .string(let string):
            if Self.plainKeys.contains(key), Configuration.words.contains(string) { return "\"\(string)\"" }
            if key == "adapter", string.hasPrefix("hci"), UInt16(string.dropFirst(3)) != nil { return string }
            let kind =
                Configuration.commandKeys.contains(key)
                ? "argument" : Self.kinds[key] ?? (string.hasPrefix("/") ? "path" : "text")
            add(string, kind)
            return "<\(kind)>"
        case .array(let elements):
            let inner = indent + "  "
            let parts = elements.map { inner + shape($0, key: key, indent: inner) }
            return parts.isEmpty ? "[]" : "[\n" + parts.joined(separator: ",\n") + "\n\(indent)]"
        case .object(let members):
            let inner = indent + "  "
            let parts = members.map { member -> String in
                let isKey = key != "nodes" && Configuration.words.contains(member.key)
                if !isKey { add(member.key, "node") }
                return inner + (isKey ? member.key : "<name>") + ": "
                    + shape(member.node, key: member.key, indent: inner)
            }
            return parts.isEmpty ? "{}" : "{\n" + parts.joined(separator: ",\n") + "\n\(indent)}"
        }
    }
}
