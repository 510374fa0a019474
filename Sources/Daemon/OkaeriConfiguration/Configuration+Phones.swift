package import HCI
import OkaeriPlumbing
import RegionMonitoring

/// The phones of the regions.
extension Configuration {
    /// A configuration with the phone of a key file alone, which is called "phone". Blocking.
    package init(scoring file: String) throws(IdentityFileError) {
        self.init(regions: [
            Region(monitored: MonitoredRegion(identifier: "phone", RegionSign(.phone(file: file))))
        ])
        identities[file] = try IdentityFile.load(file)
    }

    /// The maximum number of different phones: each one costs a computation for an unknown address.
    static let phoneLimit = 64

    /// The key files of the regions' phones with their places in the file.
    var phones: [(place: String, file: String)] {
        regions.enumerated().flatMap { index, region in
            let signs = region.monitored.signs
            return signs.enumerated().compactMap { position, sign in
                sign.phoneFile.map { ("regions[\(index)].\(signs.count > 1 ? "anyOf[\(position)]." : "")phone", $0) }
            }
        }
    }

    /// Reads the key files, and returns that of the phone with a key; `nil` if no region has the phone. Blocking.
    package func readPhoneFile(of key: IdentityResolvingKey) -> String? {
        var copy = self
        // A file that cannot be used is not the phone's.
        try? copy.readIdentities(file: "")
        return copy.phoneFile(of: key)
    }

    /// The places of files with the key of an earlier file, as far as the files were read. A phone is received by one of them.
    var repeatedKeys: [(place: String, other: String)] {
        var firstFiles: [String] = []
        return phones.compactMap { place, file in
            guard let key = identities[file]?.key, !firstFiles.contains(file) else { return nil }
            let other = firstFiles.first { identities[$0].map { $0.key == key || $0.key == key.reversed } ?? false }
            if other == nil { firstFiles.append(file) }
            return other.map { (place, $0) }
        }
    }

    /// The file with a key, whose bytes may be in the wrong order.
    private func phoneFile(of key: IdentityResolvingKey) -> String? {
        identities.filter { $0.value.key == key || $0.value.key == key.reversed }.keys.min()
    }

    /// Reads the key files of the phones. Blocking. A daemon without a phone's key would wait for the phone for ever, and so it does not
    /// start.
    ///
    /// - Parameter file: The configuration's file, for the messages.
    package mutating func readIdentities(file: String) throws(ConfigurationError) {
        var problems: [ConfigurationError.Problem] = []
        for (place, path) in phones where identities[path] == nil {
            do throws(IdentityFileError) {
                identities[path] = try IdentityFile.load(path)
            } catch {
                problems.append(.init(place: place, found: "an unusable key file", expected: "a key: \(error)"))
            }
        }
        problems += repeatedKeys.map { place, other in
            .init(
                place: place, found: "a second file with the key of \(other)",
                expected: "the key of another phone; to have one phone in several regions, write \(other) here")
        }
        guard problems.isEmpty else { throw ConfigurationError(file: file, problems: problems) }
    }
}
