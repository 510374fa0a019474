import Glibc

/// An address of the Internet Protocol: `192.168.1.2`, `fe80::1`.
package struct IPAddress: Hashable, Sendable, CustomStringConvertible {
    package let description: String
    package let isVersion6: Bool
    /// Whether only this machine reaches the address: 127.0.0.0/8 and ::1, the former also as IPv6 writes it.
    package let isLoopback: Bool
    /// Whether it stands for all addresses of this machine: 0.0.0.0 and ::.
    package var isUnspecified: Bool {
        description == "0.0.0.0" || isVersion6 && description.allSatisfy { "0:.".contains($0) }
    }

    /// - Parameter text: four numbers with points, or as RFC 4291 (2.2) has it, without brackets and zone.
    /// - Returns: nil for anything else, be it the name of a machine.
    package init?(_ text: String) {
        description = text
        if let bytes = Self.parsed(text, AF_INET, count: 4) {
            isVersion6 = false
            isLoopback = bytes[0] == 127
        } else if let bytes = Self.parsed(text, AF_INET6, count: 16) {
            isVersion6 = true
            let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF, 127]
            isLoopback = bytes == [UInt8](repeating: 0, count: 15) + [1] || bytes.starts(with: mapped)
        } else {
            return nil
        }
    }

    private static func parsed(_ text: String, _ family: CInt, count: Int) -> [UInt8]? {
        // C would take what stands before a NUL for the whole.
        guard !text.utf8.contains(0) else { return nil }
        var bytes = [UInt8](repeating: 0, count: count)
        // Safe: it writes as many bytes as an address of the family has.
        let isParsed = unsafe bytes.withUnsafeMutableBytes { buffer in
            unsafe inet_pton(family, text, buffer.baseAddress) == 1
        }
        return isParsed ? bytes : nil
    }
}

/// The address and port of a server: `127.0.0.1:9464`, `[::1]:9464`.
package struct ListenAddress: Hashable, Sendable, CustomStringConvertible {
    package var address: IPAddress
    package var port: UInt16

    package init?(_ text: String) {
        guard let server = ServerAddress(text), let port = server.port, let address = IPAddress(server.host) else {
            return nil
        }
        (self.address, self.port) = (address, port)
    }

    package var description: String {
        "\(ServerAddress.bracketed(address.description)):\(port)"
    }
}
