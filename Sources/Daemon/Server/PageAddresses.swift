import Glibc
package import Plumbing

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
    private static func machineAddresses(ofVersion6 wantsVersion6: Bool) -> [IPAddress] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [] }
        defer { freeifaddrs(first) }
        return sequence(first: first, next: { $0?.pointee.ifa_next }).compactMap { entry -> IPAddress? in
            guard let entry, let address = entry.pointee.ifa_addr, entry.pointee.ifa_flags & UInt32(IFF_UP) != 0,
                // The first member of every socket address. Its name is not visible in a static build: there the compiler takes
                // CNIOLinux, which swift-nio does not offer, for the module that defines it.
                UnsafeRawPointer(address).load(as: sa_family_t.self) == (wantsVersion6 ? AF_INET6 : AF_INET)
            else { return nil }
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            let size = wantsVersion6 ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size
            guard getnameinfo(address, socklen_t(size), &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0
            else {
                return nil
            }
            let name = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            guard let known = IPAddress(name), !known.isLoopback else { return nil }
            return known
        }
    }
}
