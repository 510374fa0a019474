import OkaeriConfiguration

/// The name of a file in a backup. But for the keys of phones there is a fixed set.
enum BackupFileName: Hashable, Sendable {
    /// `beacons.json`.
    case configuration
    case state(StateDirectory.File)
    /// A file that the configuration names, by its position in `Configuration.secretPaths`.
    case secret(Int)
    /// The key file of a phone in the state directory, by its name there.
    case key(String)

    /// The maximum number of files that a configuration may name.
    static let mostSecrets = 64
    /// The limit of such a file in bytes: certificates are the longest.
    private static let longestSecret = 256 << 10
    /// The maximum number of key files of phones.
    static let mostKeys = SavedRegions.countLimit
    private static let secretPrefix = "secret-"

    var isSecret: Bool {
        if case .secret = self { true } else { false }
    }

    var isKey: Bool {
        if case .key = self { true } else { false }
    }

    var sizeLimit: Int {
        switch self {
        case .configuration: Configuration.sizeLimit
        case .state(let file): file.sizeLimit
        case .secret, .key: Self.longestSecret
        }
    }
}

extension BackupFileName: RawRepresentable, Codable {
    var rawValue: String {
        switch self {
        case .configuration: "beacons.json"
        case .state(let file): file.rawValue
        case .secret(let index): "\(Self.secretPrefix)\(index + 1)"
        case .key(let name): name
        }
    }

    init?(rawValue: String) {
        if PhoneKeyFile.isName(rawValue) {
            self = .key(rawValue)
            return
        }
        let all =
            [.configuration] + StateDirectory.File.allCases.map(BackupFileName.state)
            + (0..<Self.mostSecrets).map(BackupFileName.secret)
        guard let name = all.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = name
    }
}
