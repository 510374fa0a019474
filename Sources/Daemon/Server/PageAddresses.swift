import COkaeri
import Glibc
package import OkaeriPlumbing

/// The addresses of the page for a browser.
package enum PageAddresses {
    /// The likeliest first: a proxy's name, else this machine's addresses.
    ///
    /// - Parameters:
    ///   - listen: The address of the daemon's listener.
    ///   - hosts: other names, which a proxy with TLS serves.
    package static func list(_ listen: ListenAddress, hosts: [String]) -> [String] {
        let own =
            switch "\(listen.address)" {
            case "0.0.0.0": machineAddresses(ofVersion6: false)
            case "::": machineAddresses(ofVersion6: false) + machineAddresses(ofVersion6: true)
            default: [listen.address]
            }
        // A machine without a network is still reached from itself.
        let reachable = own.isEmpty ? [IPAddress("127.0.0.1")].compactMap(\.self) : own
        return hosts.map { "https://\($0)/" }
            + reachable.map { "http://\($0.isVersion6 ? "[\($0)]" : "\($0)"):\(listen.port)/" }
    }

    /// Returns the likeliest address for another device; `nil` if only this machine reaches the page.
    package static func reachable(_ listen: ListenAddress, hosts: [String]) -> String? {
        let first = list(listen, hosts: hosts).first
        let isLocal = hosts.isEmpty && (listen.address.isLoopback || first == "http://127.0.0.1:\(listen.port)/")
        return isLocal ? nil : first
    }

    /// Those of interfaces that are up, without loopback and those that are good on one link only.
    private static func machineAddresses(ofVersion6 isVersion6: Bool) -> [IPAddress] {
        let all = isVersion6 ? version6(in: interfaceTable, isUp: { okaeri_is_up($0) != 0 }) : version4
        return all.filter { !$0.isLoopback }
    }

    private static var version4: [IPAddress] {
        let limit = 64
        var bytes = [UInt8](repeating: 0, count: 4 * limit)
        let count = okaeri_ipv4_addresses(&bytes, limit)
        return (0..<count).compactMap { index in
            IPAddress(bytes[4 * index..<4 * index + 4].map { "\($0)" }.joined(separator: "."))
        }
    }

    /// The kernel's list of IPv6 addresses, proc_net(5). The service's unit hides `/proc/net`, and shows the process's own folder.
    private static var interfaceTable: String {
        let limit = 65_536
        guard let file = fopen("/proc/self/net/if_inet6", "re") else { return "" }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = fread(&bytes, 1, limit, file)
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    /// Returns the usable addresses of a table, by the number of the interface.
    ///
    /// - Parameter table: Lines of six columns: address, number, prefix length, scope and flags in hexadecimal digits, and the name.
    static func version6(in table: String, isUp: (_ interface: String) -> Bool) -> [IPAddress] {
        let found = table.split(separator: "\n").compactMap { line -> (interface: Int, address: IPAddress)? in
            let columns = line.split(separator: " ")
            guard columns.count == 6, columns[0].utf8.count == 32, let interface = Int(columns[1], radix: 16),
                let scope = Int(columns[3], radix: 16), let flags = Int(columns[4], radix: 16),
                scope & (localScope | linkScope) == 0, flags & (failed | tentative) == 0, isUp(String(columns[5])),
                let address = address(columns[0])
            else { return nil }
            return (interface, address)
        }
        return found.sorted { $0.interface < $1.interface }.map(\.address)
    }

    /// IPV6_ADDR_LOOPBACK and IPV6_ADDR_LINKLOCAL of the kernel's net/ipv6.h.
    private static let (localScope, linkScope) = (0x10, 0x20)
    /// IFA_F_DADFAILED and IFA_F_TENTATIVE of linux/if_addr.h: another machine may have the address.
    private static let (failed, tentative) = (0x08, 0x40)

    /// Returns the address in its short form (RFC 5952).
    private static func address(_ digits: Substring) -> IPAddress? {
        let groups = stride(from: 0, to: 32, by: 4).map { start in digits.dropFirst(start).prefix(4) }
        var bytes = [UInt8](repeating: 0, count: 16)
        guard inet_pton(AF_INET6, groups.joined(separator: ":"), &bytes) == 1 else { return nil }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(AF_INET6, &bytes, &text, socklen_t(text.count)) != nil else { return nil }
        return IPAddress(String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
    }
}
