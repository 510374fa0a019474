import OkaeriMQTT
import OkaeriWiFi

extension Configuration {
    /// A file with a secret, or a certificate that belongs to one, to which the configuration refers.
    package struct SecretReference: Sendable, Equatable {
        package enum Kind: String, Sendable {
            case passphrase, password, token, phone, key, certificate, authorities
        }

        /// The path of the key: `regions[1].wifi.passphraseFile`.
        package var place: String
        /// An absolute path, or a credential; see `SecretFile`.
        package var path: String
        package var kind: Kind
    }

    /// The files with secrets, and the certificates beside them. A backup contains them, and `okaeri config check` examines them.
    package var secretFiles: [SecretReference] {
        let login = mqtt?.broker.login
        let tls = mqtt?.broker.tls
        let ofRegions: [(String, String?, SecretReference.Kind)] = regions.enumerated().map { index, region in
            ("regions[\(index)].wifi.passphraseFile", region.network?.passphraseFile, .passphrase)
        }
        let ofBroker: [(String, String?, SecretReference.Kind)] = [
            ("mqtt.passwordFile", login?.passwordFile, .password), ("mqtt.tls.ca", tls?.authorities, .authorities),
            ("mqtt.tls.certificate", tls?.certificate, .certificate), ("mqtt.tls.key", tls?.key, .key),
        ]
        let ofTargets: [(String, String?, SecretReference.Kind)] = notify.enumerated().map { index, target in
            ("notify[\(index)].tokenFile", target.tokenFile, .token)
        }
        let ofPhones = phones.map { ($0.place, Optional($0.file), SecretReference.Kind.phone) }
        return (ofRegions + ofPhones + ofBroker + ofTargets).compactMap { place, path, kind in
            path.map { SecretReference(place: place, path: $0, kind: kind) }
        }
    }

    /// The paths of ``secretFiles``, each once.
    package var secretPaths: [String] {
        secretFiles.map(\.path).reduce(into: []) { paths, path in if !paths.contains(path) { paths.append(path) } }
    }
}

extension Configuration.SecretReference {
    /// Returns whether a restore may write a file of this name: one that only Okaeri reads.
    ///
    /// A backup may be invented, and name the start-up file of a shell or a table of cron. The name has no folder, does not begin with a
    /// dot, and its last part belongs to the kind: `HomeNet.psk`, `mqtt-password`, `ca.pem`.
    package func isRestored(as name: String) -> Bool {
        guard !name.contains("/"), !name.hasPrefix("."),
            let last = name.split(whereSeparator: { ".-_".contains($0) }).last
        else { return false }
        return kind.nameEndings.contains(last.lowercased())
    }
}

extension Configuration.SecretReference.Kind {
    fileprivate var nameEndings: Set<String> {
        switch self {
        case .passphrase, .password, .token: ["psk", "passphrase", "password", "token", "secret"]
        case .phone: ["irk", "key"]
        case .key: ["key", "pem"]
        case .certificate, .authorities: ["pem", "crt", "cer"]
        }
    }
}
