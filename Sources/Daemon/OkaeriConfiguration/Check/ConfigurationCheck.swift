import Glibc
import HCI
import IBeacon
package import OkaeriEvents
import OkaeriMQTT
import OkaeriPlumbing
import OkaeriWiFi
import RegionMonitoring
import SystemPackage

/// The programs, secrets and addresses on this machine to which a configuration refers.
package struct ConfigurationCheck: Sendable {
    /// One finding.
    package struct Remark: Sendable, Equatable, Encodable, CustomStringConvertible, LocalizedFailure {
        /// Whether the daemon cannot do what is configured. Otherwise it is a warning.
        package var isError: Bool
        /// The path of the key: `regions[1].onEnter`.
        package var place: String
        package var found: String
        /// The remedy.
        package var remedy: String
        /// The name of the region of the key; `nil` for a key outside the regions.
        package var region: String?

        package var description: String { sentence(in: .english) }

        package func sentence(in language: Language) -> String {
            let warning = isError ? "" : language(FailurePhrase.warning)
            let text = language.parts([language.value(found), language.value(remedy)])
            let colon = language == .english ? ": " : "："
            return "\(warning)\(place)\(colon)\(text)\(name(in: language))".escapedName
        }

        /// Returns the place and the finding, as the doctor has them.
        package func finding(in language: Language) -> String {
            "\(place)\(name(in: language))\(language == .english ? ": " : "：")\(language.value(found))"
        }

        /// Returns the name of the region in brackets.
        private func name(in language: Language) -> String {
            let name = region.map { language == .english ? "region \"\($0)\"" : language(FailurePhrase.region, $0) }
            return name.map { language(FailurePhrase.inBrackets, $0) } ?? ""
        }
    }

    private static let defaultPath = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"]
    /// Longer than any secret that is used.
    private static let secretLimit = 4096

    let configuration: Configuration
    let account: ServiceAccount
    /// The first port that every user may listen on.
    let firstPort: UInt16
    /// Whether the account may listen below ``firstPort``; `nil` if that is not known.
    let mayUseAllPorts: Bool?

    package init(_ configuration: Configuration, file: String) {
        let account = ServiceAccount.ofDaemon(reading: file)
        self.init(
            configuration, account: account, firstPort: Self.unprivilegedPort,
            mayUseAllPorts: account.user == 0 ? true : account.isOwn ? Self.hasPortCapability : nil)
    }

    init(_ configuration: Configuration, account: ServiceAccount, firstPort: UInt16, mayUseAllPorts: Bool?) {
        (self.configuration, self.account) = (configuration, account)
        (self.firstPort, self.mayUseAllPorts) = (firstPort, mayUseAllPorts)
    }

    /// Looks at the files and the addresses. Blocking.
    package var remarks: [Remark] {
        let beacons = identities + repeatedBeacons + unlimitedSigns
        return (beacons + commands + networks + secrets + repeatedKeys + logins + addresses).map { remark in
            var remark = remark
            remark.region =
                configuration.regions.enumerated()
                .first { remark.place.hasPrefix("regions[\($0.offset)]") }?.element.identifier
            return remark
        }
    }
}

// MARK: Beacons

extension ConfigurationCheck {
    /// The regions that are the same beacons as an earlier one, and are judged in the same way.
    private var repeatedBeacons: [Remark] {
        var first: [RegionSign: String] = [:]
        return configuration.regions.enumerated().flatMap { index, region in
            let signs = region.monitored.signs.compactMap { sign -> RegionSign? in
                guard case .beacon = sign.identity else { return nil }
                var sign = sign
                // They decide about distances alone.
                (sign.measuredPower, sign.pathLossExponent) = (nil, nil)
                return sign
            }
            let known = Set(signs.compactMap { first[$0] }).sorted()
            for sign in signs where first[sign] == nil { first[sign] = region.identifier }
            return known.map { other in
                Remark(
                    isError: false, place: "regions[\(index)]", found: "it has the beacon of region \"\(other)\"",
                    remedy: "both are always in the same state: give it another beacon, or delete one of them")
            }
        }
    }
}

// MARK: Signs

extension ConfigurationCheck {
    /// The signs without thresholds of regions whose other signs have them: each sign is judged by its own.
    private var unlimitedSigns: [Remark] {
        configuration.regions.enumerated().flatMap { index, region -> [Remark] in
            let signs = region.monitored.signs
            guard let limited = signs.firstIndex(where: \.isLimited) else { return [] }
            return signs.indices.filter { !signs[$0].isLimited }.map { sign in
                Remark(
                    isError: false, place: "regions[\(index)].anyOf[\(sign)]",
                    found:
                        "it has neither enterRSSI nor exitRSSI, which anyOf[\(limited)] has: wherever this sign is received, the region is inside",
                    remedy: "measure its signal and give it both, because another device sends with another strength")
            }
        }
    }
}

// MARK: Programs

extension ConfigurationCheck {
    private var commands: [Remark] {
        configuration.commands.flatMap { command in
            command.arguments.first.map { program($0, place: command.place) } ?? []
        }
    }

    private func program(_ name: String, place: String) -> [Remark] {
        guard name.hasPrefix("/") else { return inPath(name, place: place) }
        var status = stat()
        guard stat(name, &status) == 0 else {
            let code = errno
            let isHidden = code == EACCES && !account.isOwn
            return [
                Remark(
                    isError: !isHidden, place: place,
                    found: "\(name) cannot be examined: \(String(cString: strerror(code)))",
                    remedy: isHidden
                        ? "run \(Remedy.root("okaeri config check"))" : "install the program, or correct its path")
            ]
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            return [
                Remark(
                    isError: true, place: place, found: "\(name) is not a file", remedy: "name a program or a script")
            ]
        }
        var remarks: [Remark] = []
        if !account.may(S_IXUSR, status) {
            remarks.append(
                Remark(
                    isError: true, place: place, found: "\(name) is not executable for user \(account.user)",
                    remedy: "run \(Remedy.root("chmod +x \(name)"))"))
        }
        if status.st_mode & 0o022 != 0 {
            remarks.append(
                Remark(
                    isError: status.st_mode & 0o002 != 0, place: place,
                    found: "other users can write \(name), and so run commands as user \(account.user)",
                    remedy: "run \(Remedy.root("chmod go-w \(name)"))"))
        }
        if status.st_uid != 0, status.st_uid != account.user {
            remarks.append(
                Remark(
                    isError: account.user == 0, place: place,
                    found: "\(name) belongs to user \(status.st_uid), who can change what user \(account.user) runs",
                    remedy: "run \(Remedy.root("chown root \(name)"))"))
        }
        return remarks
    }

    private func inPath(_ name: String, place: String) -> [Remark] {
        let isFound = Self.defaultPath.contains { access("\($0)/\(name)", X_OK) == 0 }
        return isFound
            ? []
            : [
                Remark(
                    isError: false, place: place,
                    found: "no program \"\(name)\" is in \(Self.defaultPath.joined(separator: ":"))",
                    remedy: "write its absolute path")
            ]
    }
}

// MARK: Beacons

extension ConfigurationCheck {
    /// The identities that beacons of other households have.
    private var identities: [Remark] {
        configuration.regions.enumerated().flatMap { index, region in
            let signs = region.monitored.signs
            return signs.enumerated().compactMap { sign, value -> Remark? in
                guard let reason = value.constraint.flatMap(FactoryIdentity.reason) else { return nil }
                let place = signs.count == 1 ? "" : ".anyOf[\(sign)]"
                return Remark(
                    isError: false, place: "regions[\(index)]\(place).uuid", found: "the UUID is that of \(reason)",
                    remedy: FactoryIdentity.remedy)
            }
        }
    }
}

// MARK: Networks

extension ConfigurationCheck {
    /// Names of networks that no access point is likely to have.
    private var networks: [Remark] {
        configuration.regions.enumerated().compactMap { index, region in
            guard let ssid = region.network?.ssid else { return nil }
            let found: String
            if ssid.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
                found = "the name of the network contains control characters"
            } else if ssid.first?.isWhitespace == true || ssid.last?.isWhitespace == true {
                found = "the name of the network begins or ends with a space"
            } else {
                return nil
            }
            return Remark(
                isError: false, place: "regions[\(index)].wifi.ssid", found: found,
                remedy: "compare it with `nmcli device wifi list`: it must be the same, byte by byte")
        }
    }
}

// MARK: Secrets

extension ConfigurationCheck {
    /// The logins of notifications that are sent unencrypted.
    private var logins: [Remark] {
        configuration.notify.enumerated().compactMap { index, target in
            guard target.url.isUnencrypted, target.tokenFile != nil || target.url.hasLogin else { return nil }
            return Remark(
                isError: false, place: "notify[\(index)].url",
                found: "the login is sent to \(target.url.origin) unencrypted",
                remedy: "write https:// if the server has it")
        }
    }

    private var secrets: [Remark] {
        configuration.secretFiles.flatMap { file in
            switch file.kind {
            case .passphrase, .password, .token: secret(file.path, place: file.place, holding: file.kind.rawValue)
            case .phone: key(file.path, place: file.place)
            case .authorities, .certificate: self.file(file.path, file.place)
            case .key: self.file(file.path, file.place, isSecret: true)
            }
        }
    }

    /// The key files of phones without which the daemon does not start, with the first finding of each. Blocking.
    package var unusableKeys: [(path: String, remark: Remark)] {
        configuration.secretFiles.filter { $0.kind == .phone }.compactMap { file in
            key(file.path, place: file.place).first(where: \.isError).map { (file.path, $0) }
        }
    }

    private var repeatedKeys: [Remark] {
        var copy = configuration
        for (_, file) in copy.phones { copy.identities[file] = try? IdentityFile.load(file, user: account.user) }
        return copy.repeatedKeys.map { place, other in
            Remark(
                isError: true, place: place, found: "it has the key of \(other)",
                remedy: "to have one phone in several regions, write \(other) here")
        }
    }

    /// The same for the key file of a phone, and whether the content is a key.
    private func key(_ path: String, place: String) -> [Remark] {
        let remarks = secret(path, place: place, holding: "key")
        guard remarks.isEmpty else { return remarks }
        do throws(IdentityFileError) {
            _ = try IdentityFile.load(path, user: account.user)
        } catch {
            guard case .noKey = error.problem else { return [] }
            let words = error.description.split(separator: ";", maxSplits: 1)
            return [
                Remark(
                    isError: true, place: place, found: String(words[0]),
                    remedy: words.count > 1 ? String(words[1].drop { $0 == " " }) : "correct the file")
            ]
        }
        return []
    }

    /// By the rules of the daemon, which reads the file when it needs the secret.
    private func secret(_ path: String, place: String, holding kind: String) -> [Remark] {
        // Only the service itself has its credentials.
        guard !path.hasPrefix(SecretFile.credentialPrefix) || SecretFile.credentialsDirectory != nil else { return [] }
        do throws(SecretFileProblem) {
            try SecretFile.withContents(of: path, limit: Self.secretLimit, user: account.user, failure: { $0 }) {
                _ throws(SecretFileProblem) in
            }
            // Root reads a file that the daemon's user may not read.
            var status = stat()
            guard !account.isOwn, stat(path, &status) == 0, !account.may(S_IRUSR, status) else { return [] }
            return [
                Remark(
                    isError: true, place: place, found: "user \(account.user) may not read \(path)",
                    remedy: "run \(Remedy.root("chown \(account.user) \(path)"))")
            ]
        } catch {
            if case .unreadable(EACCES) = error, !account.isOwn {
                return [
                    Remark(
                        isError: false, place: place, found: "this user may not examine \(path)",
                        remedy: "run \(Remedy.root("okaeri config check"))")
                ]
            }
            let words = error.sentence(of: path, holding: kind).split(separator: ";", maxSplits: 1)
            return [
                Remark(
                    isError: true, place: place, found: String(words[0]),
                    remedy: words.count > 1 ? String(words[1].drop { $0 == " " }) : "correct the file")
            ]
        }
    }

    private func file(_ path: String, _ place: String, isSecret: Bool = false) -> [Remark] {
        var status = stat()
        guard stat(path, &status) == 0 else {
            let code = errno
            let isHidden = code == EACCES && !account.isOwn
            return [
                Remark(
                    isError: !isHidden, place: place,
                    found: "\(path) cannot be examined: \(String(cString: strerror(code)))",
                    remedy: isHidden
                        ? "run \(Remedy.root("okaeri config check"))" : "correct the path, or install the file")
            ]
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            return [Remark(isError: true, place: place, found: "\(path) is not a file", remedy: "name a file in PEM")]
        }
        var remarks: [Remark] = []
        if !account.may(S_IRUSR, status) {
            remarks.append(
                Remark(
                    isError: true, place: place, found: "user \(account.user) may not read \(path)",
                    remedy: "run \(Remedy.root("chown \(account.user) \(path)"))"))
        }
        guard isSecret else { return remarks }
        if status.st_mode & 0o007 != 0 {
            remarks.append(
                Remark(
                    isError: true, place: place,
                    found:
                        "\(path) has mode 0\(String(status.st_mode & 0o7777, radix: 8)), so every user can access the key",
                    remedy: "run \(Remedy.root("chmod o= \(path)"))"))
        }
        if status.st_uid != 0, status.st_uid != account.user {
            remarks.append(
                Remark(
                    isError: true, place: place,
                    found: "\(path) belongs to user \(status.st_uid), who can change the key",
                    remedy: "run \(Remedy.root("chown \(account.user) \(path)"))"))
        }
        return remarks
    }
}

// MARK: Addresses

extension ConfigurationCheck {
    private var addresses: [Remark] {
        brokerAddress + listenAddresses
    }

    /// An address of a link is of one interface: without its name the kernel refuses the connection.
    private var brokerAddress: [Remark] {
        guard let host = configuration.mqtt?.broker.host, let address = IPAddress(host), address.isLinkLocal else {
            return []
        }
        return [
            Remark(
                isError: true, place: "mqtt.host", found: "\(host) is an address of one link",
                remedy: "add the interface of this machine, such as \"\(host)%eth0\"")
        ]
    }

    private var listenAddresses: [Remark] {
        let listeners = [
            ("web.listen", configuration.web?.listen), ("metrics.listen", configuration.metrics),
        ].compactMap { place, address in address.map { (place: place, address: $0) } }
        let privileged = listeners.compactMap { place, address -> Remark? in
            guard address.port < firstPort, mayUseAllPorts != true else { return nil }
            return Remark(
                isError: mayUseAllPorts == false, place: place,
                found: "user \(account.user) may not use port \(address.port)",
                remedy: "name a port from \(firstPort) on, or add `AmbientCapabilities=CAP_NET_BIND_SERVICE` and "
                    + "`CapabilityBoundingSet=CAP_NET_BIND_SERVICE` under [Service] (\(Remedy.unit()))")
        }
        guard listeners.count == 2, listeners[0].address.conflicts(with: listeners[1].address) else {
            return privileged
        }
        return privileged + [
            Remark(
                isError: true, place: listeners[1].place,
                found: "\(listeners[1].address) has the port of \(listeners[0].place), \(listeners[0].address)",
                remedy: "name another port in one of them")
        ]
    }

    /// ip-sysctl: ip_unprivileged_port_start.
    private static var unprivilegedPort: UInt16 {
        let text = text(of: "/proc/sys/net/ipv4/ip_unprivileged_port_start")
        return UInt16(text.prefix { $0.isNumber }) ?? 1024
    }

    /// Whether this process has `CAP_NET_BIND_SERVICE` (bit 10 of capabilities(7)).
    private static var hasPortCapability: Bool {
        let line = text(of: "/proc/self/status").split(separator: "\n").first { $0.hasPrefix("CapEff:") }
        let mask = line.flatMap { UInt64($0.dropFirst("CapEff:".count).drop { $0 == "\t" || $0 == " " }, radix: 16) }
        return (mask ?? 0) & 1 << 10 != 0
    }

    private static func text(of path: String) -> String {
        String(decoding: (try? FileDescriptor.contents(of: path, limit: 1 << 16)) ?? [], as: UTF8.self)
    }
}

extension ListenAddress {
    /// Whether both cannot be open at once: the same port of the same address, or of all addresses.
    func conflicts(with other: ListenAddress) -> Bool {
        port == other.port
            && (address == other.address || address.isUnspecified || other.address.isUnspecified)
    }
}

extension IPAddress {
    /// Whether it is in fe80::/10 (RFC 4291, 2.5.6).
    fileprivate var isLinkLocal: Bool {
        let first = description.prefix { $0 != ":" }
        return isVersion6 && first.count == 4 && UInt16(hexadecimal: first).map { $0 & 0xFFC0 == 0xFE80 } == true
    }
}
