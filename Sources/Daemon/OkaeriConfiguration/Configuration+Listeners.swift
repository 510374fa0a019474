import OkaeriEvents
package import OkaeriPlumbing

extension Configuration {
    static let listenerKeys = ["listen"]

    /// Parses the address of a TCP listener.
    ///
    /// - Parameter path: the key that sets it.
    static func listener(
        _ node: JSONNode, path: String, _ problems: ObjectReader.Problems
    ) -> ListenAddress? {
        ObjectReader(
            node, path: path, keys: listenerKeys, main: "listen", meant: { meantAddress($0, usualPort: 9464) },
            problems: problems
        ).flatMap { listenAddress($0, usualPort: 9464) }
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
        /// Whether a browser with a session may download a backup, which has all keys and passwords of this machine.
        package var offersBackup = false
        /// The address from which the proxy of Home Assistant's Supervisor connects, whose users are logged in.
        package var ingress: IPAddress?
        /// The users of Home Assistant with all rights on the page, by identifier or name for the login; empty: each user may change
        /// regions, and no user gets secrets.
        package var users: [String] = []

        /// Whether browsers reach the page at the addresses of the listener. One for the proxy alone has an address that only the
        /// apps of Home Assistant reach.
        package var isDirect: Bool { ingress == nil || listen.address.isUnspecified }
    }

    static let webKeys = ["listen", "open", "hosts", "mdns", "backup", "ingress", "users"]

    static func web(_ node: JSONNode, _ problems: ObjectReader.Problems) -> Web? {
        let reader = ObjectReader(
            node, path: "web", keys: webKeys, main: "listen", meant: { meantAddress($0, usualPort: 8080) },
            problems: problems)
        guard let reader else { return nil }
        let listen = listenAddress(reader, usualPort: 8080)
        let isOpen = reader.bool("open") ?? false
        let hosts = hosts(reader)
        let mdns = reader.bool("mdns") ?? true
        let offersBackup = reader.bool("backup") ?? false
        let ingress = ingress(reader)
        let users = users(reader)
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
        return Web(
            listen: listen, isOpen: isOpen, hosts: hosts ?? [], mdns: mdns, offersBackup: offersBackup,
            ingress: ingress, users: users)
    }

    /// Each user of the machine can connect from a loopback address, and would be logged in.
    private static func ingress(_ reader: ObjectReader) -> IPAddress? {
        reader.value(
            "ingress",
            expected:
                "the IPv4 address of Home Assistant's Supervisor, such as \"172.30.32.2\", and not one of this machine"
        ) { value in
            value.string.flatMap(IPAddress.init).flatMap { address in
                address.isVersion6 || address.isLoopback || address.isUnspecified ? nil : address
            }
        }
    }

    /// The maximum number of users, and the longest name in bytes.
    private static let (userLimit, longestUser) = (64, 256)

    private static func users(_ reader: ObjectReader) -> [String] {
        let expected =
            "a list of at most \(userLimit) users of Home Assistant by their names for the login, such as [\"anna\"]"
        let users = reader.value("users", expected: expected) { value in
            value.strings.flatMap { $0.count <= userLimit && $0.allSatisfy(isUser) ? $0 : nil }
        }
        if users != nil, reader.node("ingress") == nil {
            reader.report(
                "users", found: "a list without \"ingress\"",
                expected: "the address of the proxy that names them as \"ingress\"")
        }
        return users ?? []
    }

    private static func isUser(_ name: String) -> Bool {
        1...longestUser ~= name.utf8.count && name.hasVisibleCharacter && name == name.plain(replacesFormat: true)
    }

    private static func hosts(_ reader: ObjectReader) -> [String]? {
        let expected = "a list of names without a port, such as [\"okaeri.example.org\"]"
        let nodes = reader.value("hosts", expected: expected) { value -> [JSONNode]? in
            if case .array(let nodes) = value { nodes } else { nil }
        }
        let wrong = (nodes ?? []).enumerated().filter { $1.value.string.map(isHostName) != true }
        for (index, node) in wrong {
            let meant = node.value.string.flatMap(ServerAddress.init)?.host
            let name = meant.flatMap { isHostName($0) ? $0 : nil } ?? "okaeri.example.org"
            reader.problems.add(
                .init(
                    place: "\(reader.place(of: "hosts"))[\(index)]", found: node.summary,
                    expected: "a name without a port, such as \"\(name)\""), line: node.line)
        }
        return wrong.isEmpty ? nodes?.compactMap(\.value.string) : nil
    }

    /// RFC 1123, 2.1.
    private static func isHostName(_ name: String) -> Bool {
        ServerAddress(name)?.host == name
            && name.utf8.allSatisfy { $0 == UInt8(ascii: ".") || $0 != UInt8(ascii: "_") && isPlain($0) }
    }

    private static func meantAddress(_ node: JSONNode, usualPort: UInt16) -> String? {
        ListenAddress(meantBy: node.value, usualPort: usualPort).map { JSON.text($0.description) }
    }

    /// - Parameter usualPort: The port of a proposal, if the wrong value has none.
    static func listenAddress(_ reader: ObjectReader, usualPort: UInt16) -> ListenAddress? {
        let meant = reader.node("listen").flatMap { ListenAddress(meantBy: $0.value, usualPort: usualPort) }
        let port = meant?.port ?? usualPort
        // An address for the network must not be proposed for this machine alone.
        let local = meant.flatMap { $0.address.isLoopback ? "\($0)" : nil } ?? "127.0.0.1:\(port)"
        let shared = meant.flatMap { $0.address.isLoopback ? nil : "\($0)" } ?? "0.0.0.0:\(port)"
        return reader.required(
            "listen",
            expected:
                "an address of this machine and a port, such as \"\(local)\" for this machine alone, or \"\(shared)\" for the network"
        ) { $0.string.flatMap(ListenAddress.init) }
    }
}

extension ListenAddress {
    /// The address that a wrong value probably means: `:8080`, `8080`, `localhost:8080`, `127.0.0.1`.
    fileprivate init?(meantBy value: JSONNode.Value, usualPort: UInt16) {
        let text =
            switch value {
            case .string(let text): text
            case .number(let number): number.plain
            case .null, .bool, .array, .object: ""
            }
        let port = text.split(separator: ":").last ?? ""
        // IPv6 without brackets, and a port: the port would be a part of the address.
        for host in ["::1", "::"] where text == "\(host):\(port)" && UInt16(decimal: port) != nil {
            self.init("[\(host)]:\(port)")
            return
        }
        let known = ServerAddress(text).flatMap { address in
            IPAddress(address.host).map { _ in
                "\(ServerAddress.bracketed(address.host)):\(address.port ?? usualPort)"
            }
        }
        self.init(known ?? "127.0.0.1:\(UInt16(decimal: port) ?? usualPort)")
    }
}
