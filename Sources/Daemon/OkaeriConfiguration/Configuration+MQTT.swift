import OkaeriEvents
package import OkaeriMQTT
import OkaeriPlumbing

extension Configuration {
    /// The broker that several nodes and Home Assistant meet at.
    package struct MQTT: Sendable, Equatable {
        package var broker: MQTTSettings.Broker
        /// The name that distinguishes the houses at one broker.
        package var site = "home"
        /// The first level of Home Assistant's discovery topics; nil: nothing is announced there.
        package var discovery: String? = "homeassistant"
        /// The names of the nodes whose reports, and whose decisions as a standby, this node uses; `nil` for all nodes.
        package var radios: Set<String>?

        /// The address of the broker without a login: `mqtts://hub.lan:8883`.
        package var address: String {
            "\(broker.tls == nil ? "mqtt" : "mqtts")://\(broker)"
        }

        /// The file of the authorities that certify the broker, or `nil` for those of the system.
        package var authorities: String? { broker.tls?.authorities }

        /// Whether both are the same broker, and are recognized in the same way. The login may differ.
        package func hasSameBroker(as other: Self?) -> Bool {
            guard var other = other?.broker else { return false }
            other.login = broker.login
            return other == broker
        }
    }

    static let mqttKeys = ["host", "port", "tls", "username", "passwordFile", "site", "discovery", "radios"]
    static let tlsKeys = ["ca", "certificate", "key"]

    static func mqtt(_ node: JSONNode, _ problems: ObjectReader.Problems) -> MQTT? {
        guard
            let reader = ObjectReader(
                node, path: "mqtt", keys: mqttKeys, main: "host",
                meant: { node in
                    let meant = node.value.string.flatMap(ServerAddress.meant)
                    return JSON.text(meant?.host ?? "mqtt.lan") + (meant?.port.map { ", \"port\": \($0)" } ?? "")
                },
                problems: problems)
        else {
            return nil
        }
        let host = host(reader)
        let port = reader.integer("port", in: 1...65_535)
        let encryption = tls(reader, problems)
        let username = reader.string("username", expected: "a name of the broker's users") { isText($0) }
        let password = reader.string("passwordFile", expected: SecretFile.expected, where: SecretFile.isPath)
        let site = reader.string(
            "site", expected: "1 to 64 letters of ASCII, digits, hyphens and underscores", where: isNodeName)
        if password != nil, reader.node("username") == nil {
            reader.report("username", found: "nothing", expected: "a name beside the password")
        }
        guard let host else { return nil }
        var mqtt = MQTT(
            broker: .init(
                host: host, port: port.map { UInt16($0) } ?? MQTTSettings.Broker.usualPort(with: encryption),
                tls: encryption,
                allowsClearPassword: reader.node("tls")?.value == .bool(false),
                login: username.map { .init(username: $0, passwordFile: password) }))
        if reader.node("tls") == nil, mqtt.broker.exposesPassword {
            reader.report(
                "tls", found: "nothing",
                expected:
                    "true or {\"ca\": …} beside a password, which every device in the network could read otherwise; or false, to "
                    + "send it unencrypted")
        }
        if let site { mqtt.site = site }
        mqtt.radios = radios(reader)
        if let discovery = discovery(reader) { mqtt.discovery = discovery }
        return mqtt
    }

    private static func host(_ reader: ObjectReader) -> String? {
        let text = reader.node("host")?.value.string
        let written = text.flatMap(ServerAddress.init)
        let expected =
            text.flatMap { hostMeant(by: $0, isEncrypted: reader.node("tls") != nil) }
            ?? "the broker's name or address, such as \"mqtt.lan\""
        return reader.required("host", expected: expected) { _ in written?.port == nil ? written?.host : nil }
    }

    /// The schemes of encrypted connections.
    private static let encryptedSchemes: Set = ["mqtts", "ssl", "tls", "https", "wss"]

    /// Returns the right form of a host that was written with its port, as a URL, or as a name in brackets; `nil` for any other text.
    private static func hostMeant(by text: String, isEncrypted: Bool) -> String? {
        let (scheme, rest) =
            text.firstRange(of: "://").map { (text[..<$0.lowerBound], text[$0.upperBound...]) } ?? ("", text[...])
        // A URL may have a login before the host, and a path behind it.
        let authority = scheme.isEmpty ? rest : rest.prefix { $0 != "/" }
        let place = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
        let isBracketed = place.first == "[" && place.count { $0 == "]" } == 1
        let unbracketed = isBracketed ? place.dropFirst().filter { $0 != "]" } : String(place)
        guard let meant = ServerAddress.meant(by: String(place)) ?? .meant(by: unbracketed) else { return nil }
        if isBracketed, scheme.isEmpty, meant.port == nil {
            return "the name without brackets, \"\(meant.host)\": only an IPv6 address has them"
        }
        var parts = ["the host alone, \"\(meant.host)\""]
        if !scheme.isEmpty { parts.append("without \"\(scheme)://\"") }
        if let port = meant.port { parts.append("and its port as \"port\": \(port)") }
        if !isEncrypted, encryptedSchemes.contains(scheme.lowercased()) { parts.append("and \"tls\": true") }
        return parts.joined(separator: ", ")
    }

    /// The maximum number of names of radios: that of the nodes of a house.
    private static let radioLimit = 1024

    private static func radios(_ reader: ObjectReader) -> Set<String>? {
        reader.value("radios", expected: "a list of at most \(radioLimit) names of Pis, such as [\"hall\"]") { value in
            value.strings.flatMap { $0.count <= radioLimit && $0.allSatisfy(isNodeName) ? Set($0) : nil }
        }
    }

    /// `nil` if it is not set; `nil` inside if it is switched off.
    private static func discovery(_ reader: ObjectReader) -> String?? {
        let expected = "Home Assistant's prefix, \"homeassistant\" mostly, or false"
        return reader.value("discovery", expected: expected) { (value) -> String?? in
            if case .bool(false) = value { return .some(nil) }
            guard let prefix = value.string, isNodeName(prefix) else { return .none }
            return .some(prefix)
        }
    }

    private static func tls(_ top: ObjectReader, _ problems: ObjectReader.Problems) -> MQTTSettings.TLS? {
        guard let node = top.node("tls") else { return nil }
        switch node.value {
        case .bool(let isOn): return isOn ? .init() : nil
        case .object: break
        default:
            top.report(
                "tls", found: node.summary, expected: "true, false or an object with \(tlsKeys.joined(separator: ", "))"
            )
            return nil
        }
        guard let reader = ObjectReader(node, path: top.place(of: "tls"), keys: tlsKeys, problems: problems) else {
            return nil
        }
        let paths = tlsKeys.map {
            reader.string($0, expected: "an absolute path of a file in PEM") { $0.hasPrefix("/") }
        }
        for (key, other) in [("certificate", "key"), ("key", "certificate")]
        where reader.node(key) != nil && reader.node(other) == nil {
            reader.report(other, found: "nothing", expected: "the file that belongs to the \(key)")
        }
        return .init(authorities: paths[0], certificate: paths[1], key: paths[2])
    }

    /// Whether a byte is allowed in an MQTT topic and in a topic of Home Assistant's discovery.
    static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    package static func isText(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 1024 && text.plain() == text
    }
}
