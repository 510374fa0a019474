import Glibc

/// The name of this machine among several in a house.
package enum NodeName {
    /// The machine's host name up to the first dot, with hyphens for what Home Assistant and an MQTT topic do not take.
    package static var local: String {
        let name = withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(HOST_NAME_MAX) + 1) { buffer in
            buffer.initialize(repeating: 0)
            guard let start = buffer.baseAddress, gethostname(start, buffer.count - 1) == 0 else { return "" }
            return String(cString: start)
        }
        return plain(name)
    }

    /// Letters of ASCII, digits, hyphens and underscores; `node` where nothing is left.
    package static func plain(_ hostName: String) -> String {
        let label = hostName.prefix { $0 != "." }.unicodeScalars.map { scalar -> Character in
            let isPlain = scalar.isASCII && (Character(scalar).isLetter || Character(scalar).isNumber || scalar == "_")
            return isPlain ? Character(scalar) : "-"
        }
        return label.contains { $0 != "-" } ? String(label) : "node"
    }
}
