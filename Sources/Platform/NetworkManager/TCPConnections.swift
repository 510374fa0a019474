import COkaeriNetworkManager
import Glibc
import OkaeriPlumbing

/// An address of IPv4 or IPv6; an IPv4 address in IPv6 is the IPv4 address.
struct NetworkAddress: Hashable, Sendable {
    /// 4 or 16 bytes in network order.
    let bytes: [UInt8]

    init(bytes: [UInt8]) {
        let isMapped = bytes.count == 16 && bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10...11] == [0xFF, 0xFF]
        self.bytes = isMapped ? Array(bytes.suffix(4)) : bytes
    }

    /// Reads an address, possibly with a zone; `nil` for anything else, such as a host's name.
    init?(_ text: String) {
        let address = text.prefix { $0 != "%" }
        var four = in_addr()
        var six = in6_addr()
        if inet_pton(AF_INET, String(address), &four) == 1 {
            self.init(bytes: Swift.withUnsafeBytes(of: four) { Array($0) })
        } else if inet_pton(AF_INET6, String(address), &six) == 1 {
            self.init(bytes: Swift.withUnsafeBytes(of: six) { Array($0) })
        } else {
            return nil
        }
    }
}

/// An open TCP connection of this machine.
struct TCPConnection: Hashable, Sendable {
    let local: NetworkAddress
    let localPort: UInt16
    let remote: NetworkAddress
}

/// The kernel's tables of TCP connections (proc_pid_net(5)).
enum TCPConnections {
    static let sshPort: UInt16 = 22

    /// The number of the state ESTABLISHED.
    private static let established = "01"

    /// The connections of both tables; `nil` if one of them is too long. A table that is missing is that of a protocol that is off.
    static var ofThisMachine: [TCPConnection]? {
        let tables = ["/proc/self/net/tcp", "/proc/self/net/tcp6"].map(content)
        return tables.contains { $0.utf8.count >= longestTable } ? nil : tables.flatMap(parsed)
    }

    /// A machine with so many connections is not a home's.
    private static let longestTable = 4 << 20

    /// Returns the content of a file of the kernel, which ends only when a read returns nothing: FoundationEssentials reads once.
    static func content(_ path: String) -> String {
        let descriptor = OwnedDescriptor(owning: open(path, O_RDONLY | O_CLOEXEC))
        var content: [UInt8] = []
        while descriptor.number >= 0, content.count < longestTable {
            let part = [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
                count = max(0, read(descriptor.number, buffer.baseAddress, buffer.count))
            }
            if part.isEmpty { break }
            content += part
        }
        return String(decoding: content, as: UTF8.self)
    }

    /// Returns the established connections of a table.
    static func parsed(_ table: String) -> [TCPConnection] {
        table.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ", maxSplits: 4)
            guard fields.count > 4, fields[3] == established, let local = endpoint(fields[1]),
                let remote = endpoint(fields[2])
            else { return nil }
            return TCPConnection(local: local.address, localPort: local.port, remote: remote.address)
        }
    }

    /// Reads `0100007F:0016`: the address as words of 32 bits in the machine's own order, and the port.
    private static func endpoint(_ field: Substring) -> (address: NetworkAddress, port: UInt16)? {
        let parts = field.split(separator: ":")
        guard parts.count == 2, let port = UInt16(parts[1], radix: 16), [8, 32].contains(parts[0].utf8.count) else {
            return nil
        }
        var bytes: [UInt8] = []
        var rest = parts[0]
        while !rest.isEmpty {
            guard let word = UInt32(rest.prefix(8), radix: 16) else { return nil }
            bytes += Swift.withUnsafeBytes(of: word) { Array($0) }
            rest = rest.dropFirst(8)
        }
        return (NetworkAddress(bytes: bytes), port)
    }
}
