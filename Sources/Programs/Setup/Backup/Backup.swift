import Glibc
import OkaeriChecksum
import OkaeriConfiguration
package import OkaeriEncryption
import OkaeriEvents
import OkaeriHistory
import OkaeriPlumbing
import Synchronization
package import SystemPackage

/// The configuration, the files with secrets that it names, and the state of the daemon, in one archive.
///
/// The archive is read while the daemon runs: each file is one moment's, the history a copy by SQLite.
package struct Backup: Sendable {
    /// The content of a backup.
    package struct Report: Sendable, Equatable, Encodable {
        /// A file that is not in the backup.
        package struct Missing: Sendable, Equatable, Encodable {
            package var path: String
            package var reason: String
        }

        package var bytes: Int64 = 0
        /// The paths of the files on this machine.
        package var files: [String] = []
        package var missing: [Missing] = []
    }

    private typealias File = (entry: BackupManifest.Entry, content: [UInt8])

    private static let command = "backup FILE"

    private let configurationFile: String
    private let directory: String
    private let version: String
    private let rights: OwnerRights

    /// - Parameters:
    ///   - directory: The state directory.
    ///   - version: The version of this program.
    ///   - actsAsOwner: Whether root acts as the owner of the state directory. That changes the rights of the whole process.
    package init(configurationFile: String, directory: String, version: String, actsAsOwner: Bool = true) {
        (self.configurationFile, self.directory, self.version) = (configurationFile, directory, version)
        rights = actsAsOwner ? OwnerRights(ofDirectory: directory, command: Self.command) : .own
    }

    /// Writes the archive. Blocking.
    ///
    /// - Parameters:
    ///   - passphrase: Encrypts the archive, in the format of age; `nil`: it is written as it is.
    ///   - now: The present in nanoseconds since the Unix epoch.
    package func write(
        to output: FileDescriptor, passphrase: AgePassphrase? = nil, now: Int64 = KernelClock.realtime,
        _ interruption: Interruption = Interruption()
    ) throws(BackupFailure) -> Report {
        var report = Report()
        let encryptor = try passphrase.map { passphrase throws(BackupFailure) in try Self.encryptor(passphrase) }
        let (text, configuration) = try loadedConfiguration()
        report.files.append(configurationFile)
        let files = [Self.file(.configuration, text)] + (try filesOf(configuration, &report))
        try interruption.check()
        let history = try historyCopy(&report, interruption)
        let historyEntry = try history.map { history throws(BackupFailure) in try history.entry }
        let manifest = BackupManifest(
            version: version, node: configuration.node.name ?? NodeName.local, time: Timestamp.text(now),
            files: files.map(\.entry) + [historyEntry].compactMap(\.self))
        try manifest.refuseUnreadable()
        var archive = try ArchiveWriter(output: output, modified: now / 1_000_000_000, encryptor)
        try archive.add(BackupManifest.fileName, manifest.text)
        for file in files { try archive.add(file.entry.name.rawValue, file.content) }
        if let history, let historyEntry {
            try archive.add(historyEntry.name.rawValue, size: historyEntry.size) { write throws(BackupFailure) in
                try history.forEachPiece(write)
            }
        }
        report.bytes = try archive.end()
        return report
    }

    private static func encryptor(_ passphrase: AgePassphrase) throws(BackupFailure) -> AgeEncryptor {
        do throws(AgeFailure) {
            return try AgeEncryptor(passphrase: passphrase.bytes)
        } catch {
            throw BackupFailure(.io, "cannot encrypt the backup: \(error)")
        }
    }

    private static func file(_ name: BackupFileName, _ content: [UInt8], path: String? = nil) -> File {
        let checksum = CRC32(of: content[...]).description
        return (.init(name: name, size: Int64(content.count), checksum: checksum, path: path), content)
    }

    private func loadedConfiguration() throws(BackupFailure) -> (text: [UInt8], Configuration) {
        do throws(ConfigurationError) {
            let text = try Configuration.contents(of: configurationFile)
            return (text, try Configuration(json: text, file: configurationFile))
        } catch {
            throw BackupFailure(.configuration, error.description)
        }
    }
}

// MARK: The files

extension Backup {
    /// Returns the files with secrets, and those of the state directory that fit in memory.
    private func filesOf(_ configuration: Configuration, _ report: inout Report) throws(BackupFailure) -> [File] {
        var files: [File] = []
        for (index, path) in configuration.secretPaths.enumerated() {
            guard let content = try secret(path, at: index, &report) else { continue }
            files.append(Self.file(.secret(index), content, path: path))
        }
        for file in [StateDirectory.File.state, .regions] {
            if let content = try state(file, &report) { files.append(Self.file(.state(file), content)) }
        }
        let regions = files.first { $0.entry.name == .state(.regions) }?.content
        return files + (try keys(namedBy: regions, &report))
    }

    /// Returns the keys of the phones that the page has enrolled.
    ///
    /// - Parameter regions: The content of `regions.json`; one that is malformed names none.
    private func keys(namedBy regions: [UInt8]?, _ report: inout Report) throws(BackupFailure) -> [File] {
        guard let regions, let saved = try? SavedRegions(json: regions, file: SavedRegions.fileName) else { return [] }
        var files: [File] = []
        for name in saved.phones {
            let content = try rights { () throws(BackupFailure) in
                try contents(of: "\(directory)/\(name)", limit: BackupFileName.key(name).sizeLimit, &report)
            }
            if let content { files.append(Self.file(.key(name), content)) }
        }
        return files
    }

    private func secret(_ path: String, at index: Int, _ report: inout Report) throws(BackupFailure) -> [UInt8]? {
        guard index < BackupFileName.mostSecrets else {
            report.missing.append(
                .init(path: path, reason: "a backup has at most \(BackupFileName.mostSecrets) secrets"))
            return nil
        }
        guard !path.hasPrefix(SecretFile.credentialPrefix) else {
            report.missing.append(.init(path: path, reason: "it is a credential of the unit; save its source"))
            return nil
        }
        guard BackupManifest.isPath(path) else {
            report.missing.append(.init(path: path, reason: Errno.fileNameTooLong.description))
            return nil
        }
        return try contents(of: path, limit: BackupFileName.secret(index).sizeLimit, &report)
    }

    private func state(
        _ file: StateDirectory.File, _ report: inout Report
    ) throws(BackupFailure) -> [UInt8]? {
        try rights { () throws(BackupFailure) in
            try contents(of: "\(directory)/\(file.rawValue)", limit: file.sizeLimit, &report)
        }
    }

    /// Returns the content of a file, or `nil` if it cannot be in the backup; then the report has the reason.
    private func contents(of path: String, limit: Int, _ report: inout Report) throws(BackupFailure) -> [UInt8]? {
        let reason: String
        do throws(FilePlace.Problem) {
            if let content = try FilePlace(path).contents(limit: limit) {
                report.files.append(path)
                return content
            }
            reason = Errno.noSuchFileOrDirectory.description
        } catch {
            if [.failed(.permissionDenied), .failed(.notPermitted)].contains(error) {
                throw BackupFailure("cannot read \(path)", error, command: Self.command)
            }
            reason = error.description
        }
        report.missing.append(.init(path: path, reason: reason))
        return nil
    }

    private func historyCopy(
        _ report: inout Report, _ interruption: Interruption
    ) throws(BackupFailure) -> HistoryCopy? {
        let path = "\(directory)/\(HistoryStore.fileName)"
        let parents: [String]
        do throws(FilePlace.Problem) {
            parents = try PrivateFolder.parents(forStateIn: directory)
        } catch {
            throw HistoryCopy.noFolder(error, for: directory)
        }
        let copy = try rights { () throws(BackupFailure) in
            try HistoryCopy(ofDirectory: directory, in: parents, command: Self.command, interruption)
        }
        if copy != nil {
            report.files.append(path)
        } else {
            report.missing.append(.init(path: path, reason: Errno.noSuchFileOrDirectory.description))
        }
        return copy
    }
}

/// A copy of the history without a name, which ends with this value.
private final class HistoryCopy {
    private let source: ArchiveSource
    private let interruption: Interruption

    /// Returns `nil` if there is no history.
    ///
    /// - Parameter parents: The folders for the copy, the best one first, on a disk and not in memory.
    init?(
        ofDirectory directory: String, in parents: [String], command: String, _ interruption: Interruption
    ) throws(BackupFailure) {
        self.interruption = interruption
        let folder: PrivateFolder
        do throws(FilePlace.Problem) {
            folder = try PrivateFolder.made(prefix: "okaeri-backup", inOneOf: parents)
        } catch {
            throw Self.noFolder(error, for: directory)
        }
        defer { folder.remove() }
        do throws(HistoryError) {
            try HistoryReader(directory: directory).copy(
                to: "\(folder.path)/\(HistoryStore.fileName)", unless: { interruption.isRequested })
        } catch {
            try interruption.check()
            switch error {
            case .missing: return nil
            case .denied(let file, let reason):
                throw BackupFailure(
                    .permission, "cannot read \(file): \(reason); run \(Remedy.root("okaeri \(command)"))")
            case .notPermitted(let file):
                throw BackupFailure("cannot read \(file)", Errno.permissionDenied, command: command)
            case .full:
                throw BackupFailure(.io, "cannot copy the history to \(folder.path): the disk is full; make room")
            case .damaged, .foreign, .newer: throw BackupFailure(.data, error.description)
            case .locked, .failed, .notAFile: throw BackupFailure(.io, error.description)
            }
        }
        source = try ArchiveSource(Self.opened(folder, command))
    }

    private static func opened(_ folder: PrivateFolder, _ command: String) throws(BackupFailure) -> OwnedDescriptor {
        do throws(FilePlace.Problem) {
            return try folder.openedFile(HistoryStore.fileName)
        } catch {
            throw BackupFailure("cannot read the copy of the history", error, command: command)
        }
    }

    /// - Parameter directory: The state directory.
    static func noFolder(_ problem: FilePlace.Problem, for directory: String) -> BackupFailure {
        let remedy =
            PrivateFolder.named == nil ? "make \(directory) writable for this user" : "name another one with `TMPDIR`"
        return BackupFailure(.io, "cannot make a folder for a copy of the history: \(problem); \(remedy)")
    }

    var entry: BackupManifest.Entry {
        get throws(BackupFailure) {
            var (size, checksum) = (0 as Int64, CRC32())
            try forEachPiece { piece throws(BackupFailure) in
                size += Int64(piece.count)
                checksum.append(piece)
            }
            return BackupManifest.Entry(name: .state(.history), size: size, checksum: checksum.description)
        }
    }

    func forEachPiece(_ body: (ArraySlice<UInt8>) throws(BackupFailure) -> Void) throws(BackupFailure) {
        try ArchiveReader(source, interruption).forEachPiece(from: 0, size: nil, body)
    }
}

/// The reason why a backup is not written or not restored, and the remedy.
package struct BackupFailure: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Kind: Sendable, Equatable {
        /// The backup is damaged, foreign or newer.
        case data
        /// A configuration does not load.
        case configuration
        case permission
        /// A file cannot be read or written.
        case io
        /// The service cannot be stopped or started, or another daemon runs.
        case service
        /// The user has ended the command.
        case interrupted
    }

    package var kind: Kind
    package var description: String

    package init(_ kind: Kind, _ description: String) {
        (self.kind, self.description) = (kind, description)
    }

    /// - Parameter remedy: The remedy, unless a permission is missing.
    package init(_ what: String, _ errno: Errno, command: String, remedy: String = "check the disk") {
        let isPermission = [.permissionDenied, .notPermitted].contains(errno)
        self.init(
            isPermission ? .permission : .io,
            "\(what): \(errno.description); \(isPermission ? "run \(Remedy.root("okaeri \(command)"))" : remedy)")
    }

    /// A file that no backup contains.
    static func tooLarge(_ name: String) -> BackupFailure {
        BackupFailure(.io, "\(name) is too large for a backup; keep less with \"history\" in beacons.json")
    }

    /// - Parameter what: The action that the path does not allow.
    init(_ what: String, _ problem: FilePlace.Problem, command: String) {
        switch problem {
        case .failed(let errno): self.init(what, errno, command: command)
        case .foreign, .open: self.init(.permission, "\(what) as root: \(problem); \(problem.remedy)")
        case .notAFile: self.init(.io, "\(what): \(problem); \(problem.remedy)")
        }
    }
}

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

/// A request to end a step that blocks. The step then leaves no unfinished file.
package final class Interruption: Sendable {
    private let isSet = Atomic(false)
    private let deadline: ContinuousClock.Instant?

    /// - Parameter deadline: Requests the end by itself; `nil`: never.
    package init(at deadline: ContinuousClock.Instant? = nil) { self.deadline = deadline }

    package func request() { isSet.store(true, ordering: .relaxed) }

    package var isRequested: Bool {
        isSet.load(ordering: .relaxed) || deadline.map { $0 <= .now } ?? false
    }

    /// Throws if the end was requested.
    func check() throws(BackupFailure) {
        if isRequested { throw BackupFailure(.interrupted, "nothing was written") }
    }
}
