import OkaeriConfiguration

/// The name of a file in a backup, of which there is a fixed set.
enum BackupFileName: Hashable, Sendable {
    /// `beacons.json`.
    case configuration
    case state(StateDirectory.File)
    /// A file that the configuration names, by its position in `Configuration.secretPaths`.
    case secret(Int)

    /// The maximum number of files that a configuration may name.
    static let mostSecrets = 64
    /// The limit of such a file in bytes: certificates are the longest.
    private static let longestSecret = 256 << 10
    private static let secretPrefix = "secret-"

    var isSecret: Bool {
        if case .secret = self { true } else { false }
    }

    var sizeLimit: Int {
        switch self {
        case .configuration: Configuration.sizeLimit
        case .state(let file): file.sizeLimit
        case .secret: Self.longestSecret
        }
    }
}

extension BackupFileName: RawRepresentable, Codable {
    var rawValue: String {
        switch self {
        case .configuration: "beacons.json"
        case .state(let file): file.rawValue
        case .secret(let index): "\(Self.secretPrefix)\(index + 1)"
        }
    }

    init?(rawValue: String) {
        let all =
            [.configuration] + StateDirectory.File.allCases.map(BackupFileName.state)
            + (0..<Self.mostSecrets).map(BackupFileName.secret)
        guard let name = all.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = name
    }
}
