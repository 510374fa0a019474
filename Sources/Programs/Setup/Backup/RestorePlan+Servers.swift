import OkaeriConfiguration
import OkaeriPlumbing

extension RestorePlan {
    /// A server that the restored configuration names and the present one does not: one that receives events, with a password or a token
    /// of this machine, or an address at which this machine serves.
    package struct Server: Sendable, Equatable, Encodable {
        /// The path of the key: `notify[0]`.
        package var key: String
        /// The address without a path, a user or a password, which may be secrets.
        package var address: String

        fileprivate static let download = "web.backup"

        /// Whether browsers with a session may download all keys and passwords there.
        package var isDownload: Bool { key == Self.download }
    }

    /// Whether this machine has no configuration that loads, and therefore no servers.
    package var isFirst: Bool { present == nil }

    /// The keys of the configuration beside the commands that have another value after the restoring, and that determine the
    /// receivers and the causes of events.
    package var changedKeys: [String] {
        let former = present ?? Configuration(regions: [])
        var broker = configuration.mqtt
        broker?.radios = former.mqtt?.radios
        return [
            ("mqtt", broker != former.mqtt), ("mqtt.radios", configuration.mqtt?.radios != former.mqtt?.radios),
            ("notify", configuration.notify != former.notify), ("web", configuration.web != former.web),
            ("metrics", configuration.metrics != former.metrics),
        ].filter(\.1).map(\.0)
    }

    /// The servers that the restored configuration names and the present one does not, in the order of ``changedKeys``.
    package var newServers: [Server] {
        let metrics = configuration.metrics.flatMap { address in
            address == present?.metrics ? nil : Server(key: "metrics", address: "\(address)")
        }
        return [newBroker].compactMap(\.self) + newTargets + [newPage, newDownload, metrics].compactMap(\.self)
    }

    /// The broker, if it is another one, or is recognized in another way.
    private var newBroker: Server? {
        guard let broker = configuration.mqtt,
            !broker.hasSameBroker(as: present?.mqtt) || broker.authorities.map(isWritten) ?? false
        else { return nil }
        return Server(key: "mqtt", address: broker.address)
    }

    private var newTargets: [Server] {
        let former = Set(present?.notify.map(\.url) ?? [])
        return configuration.notify.enumerated().filter { !former.contains($1.url) }.map {
            Server(key: "notify[\($0)]", address: $1.url.origin)
        }
    }

    /// The page, if a browser may download a backup from it, and could not before.
    private var newDownload: Server? {
        guard let page = configuration.web, page.offersBackup, present?.web?.offersBackup != true else { return nil }
        return Server(key: Server.download, address: page.listen.description)
    }

    /// The page, if it has another address or name, requires no login any more, or leaves the login to another proxy or for other users.
    private var newPage: Server? {
        guard let page = configuration.web else { return nil }
        let former = present?.web
        let isKnown =
            page.listen == former?.listen && (!page.isOpen || former?.isOpen == true)
            && Set(page.hosts).isSubset(of: former?.hosts ?? [])
            && (page.ingress == nil
                || page.ingress == former?.ingress && Set(page.users) == Set(former?.users ?? []))
        guard !isKnown else { return nil }
        let proxy = page.ingress.map { [$0.description] } ?? []
        return Server(key: "web", address: ([page.listen.description] + page.hosts + proxy).joined(separator: " "))
    }
}
