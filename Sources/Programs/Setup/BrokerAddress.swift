import OkaeriPlumbing

/// The address of a broker as it is typed: `mqtt.lan`, `mqtt.lan:1884`, `[fe80::1]:1884`, `::1`.
package struct BrokerAddress: Equatable, Sendable {
    package var host: String
    package var port: UInt16?

    package init?(_ text: String) {
        if IPAddress(text)?.isVersion6 == true {
            host = text
            return
        }
        guard let colon = text.lastIndex(of: ":"), !text.hasSuffix("]") else {
            guard !text.hasPrefix("[") else {
                guard let address = IPAddress(String(text.dropFirst().dropLast())) else { return nil }
                host = address.description
                return
            }
            guard !text.isEmpty else { return nil }
            host = text
            return
        }
        guard let port = UInt16(decimal: text[text.index(after: colon)...]), port > 0 else { return nil }
        let name = text[..<colon]
        let isBracketed = name.hasPrefix("[") && name.hasSuffix("]")
        host = isBracketed ? String(name.dropFirst().dropLast()) : String(name)
        self.port = port
        guard !host.isEmpty, isBracketed == host.contains(":") else { return nil }
    }
}
