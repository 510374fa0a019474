package import OkaeriPlumbing

extension Configuration {
    static let listenerKeys = ["listen"]

    /// Parses the address of a TCP listener.
    ///
    /// - Parameter path: the key that sets it.
    static func listener(
        _ node: JSONNode, path: String, _ problems: ObjectReader.Problems
    ) -> ListenAddress? {
        ObjectReader(node, path: path, keys: listenerKeys, problems: problems).flatMap(listenAddress)
    }

    /// The page.
    package struct Web: Sendable, Hashable {
        package var listen: ListenAddress
        /// Whether all users of this machine may read without a login.
        package var isOpen = false
        /// Other names by which the page is asked for, as by a proxy before it.
        package var hosts: [String] = []
        /// Whether other machines of the network find the page by mDNS.
        package var mdns = true
    }

    static let webKeys = ["listen", "open", "hosts", "mdns"]

    static func web(_ node: JSONNode, _ problems: ObjectReader.Problems) -> Web? {
        guard let reader = ObjectReader(node, path: "web", keys: webKeys, problems: problems) else { return nil }
        let listen = listenAddress(reader)
        let isOpen = reader.bool("open") ?? false
        let hosts = reader.value(
            "hosts", expected: "a list of names without a port, such as [\"okaeri.example.org\"]"
        ) { $0.strings.flatMap { $0.allSatisfy(isHostName) ? $0 : nil } }
        let mdns = reader.bool("mdns") ?? true
        guard let listen else { return nil }
        if isOpen, !listen.address.isLoopback {
            reader.report(
                "open", found: "true", expected: "false, because users of other machines reach \(listen)")
        }
        if isOpen, hosts?.isEmpty == false {
            reader.report(
                "open", found: "true",
                expected: "false, because a proxy serves the page to other machines under the names of web.hosts")
        }
        return Web(listen: listen, isOpen: isOpen, hosts: hosts ?? [], mdns: mdns)
    }

    /// RFC 1123, 2.1.
    private static func isHostName(_ name: String) -> Bool {
        1...253 ~= name.utf8.count
            && name.utf8.allSatisfy { $0 == UInt8(ascii: ".") || $0 != UInt8(ascii: "_") && isPlain($0) }
    }

    static func listenAddress(_ reader: ObjectReader) -> ListenAddress? {
        reader.required(
            "listen", expected: "an address of this machine and a port, such as \"127.0.0.1:9464\" or \"[::1]:9464\""
        ) { $0.string.flatMap(ListenAddress.init) }
    }
}
