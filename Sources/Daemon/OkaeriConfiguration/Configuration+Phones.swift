package import HCI
import Plumbing
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
        guard problems.isEmpty else { throw ConfigurationError(file: file, problems: problems) }
    }
}
