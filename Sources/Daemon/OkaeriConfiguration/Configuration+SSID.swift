import OkaeriPlumbing
package import OkaeriWiFi

extension SSID {
    /// The value of `"ssid"`.
    ///
    /// - Returns: `nil` if the name has no bytes or more than 32.
    init?(name: String) { self.init(checking: Array(name.utf8)) }

    /// The value of `"ssidHex"`.
    ///
    /// - Returns: `nil` for anything but 2 to 64 hexadecimal digits in pairs.
    init?(hexadecimal text: String) {
        guard let bytes = [UInt8](hexadecimal: text) else { return nil }
        self.init(checking: bytes)
    }

    private init?(checking bytes: [UInt8]) {
        guard 1...HomeNetwork.longestSSID ~= bytes.count else { return nil }
        self.init(bytes: bytes)
    }

    /// The name in the object of a network; `nil` without one, or if it is not a name.
    init?(ofNetwork network: JSONNode.Value?) {
        let name =
            network?["ssidHex"]?.string.flatMap { SSID(hexadecimal: $0) }
            ?? network?["ssid"]?.string.flatMap { SSID(name: $0) }
        guard let name else { return nil }
        self = name
    }

    /// The object of a network with this name: as bytes if they are not text.
    package var network: JSONNode.Value {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            return ["ssidHex": .string(bytes.hexadecimal)]
        }
        return ["ssid": .string(text)]
    }
}
