import Events
import FoundationEssentials
import Glibc
import History
import OkaeriConfiguration
import Plumbing
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
    package init(configurationFile: String, directory: String, version: String) {
        (self.configurationFile, self.directory, self.version) = (configurationFile, directory, version)
        rights = OwnerRights(ofDirectory: directory, command: Self.command)
    }

    /// Writes the archive. Blocking.
    ///
    /// - Parameter now: The present in nanoseconds since the Unix epoch.
    package func write(
        to output: FileDescriptor, now: Int64 = KernelClock.realtime, _ interruption: Interruption = Interruption()
    ) throws(BackupFailure) -> Report {
        var report = Report()
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
        var archive = ArchiveWriter(output: output, modified: now / 1_000_000_000)
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
        let copy = try rights { () throws(BackupFailure) in
            try HistoryCopy(ofDirectory: directory, command: Self.command, interruption)
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
    private let file: OwnedDescriptor
    private let interruption: Interruption

    /// Returns `nil` if there is no history.
    init?(ofDirectory directory: String, command: String, _ interruption: Interruption) throws(BackupFailure) {
        self.interruption = interruption
        let folder = try Self.temporaryFolder()
        let path = "\(folder)/\(HistoryStore.fileName)"
        defer {
            unlink(path)
            rmdir(folder)
        }
        do throws(HistoryError) {
            try HistoryReader(directory: directory).copy(to: path, unless: { interruption.isRequested })
        } catch {
            try interruption.check()
            switch error {
            case .missing: return nil
            case .denied(let file, let reason):
                throw BackupFailure(.permission, "cannot read \(file): \(reason); run `sudo okaeri \(command)`")
            case .full: throw BackupFailure(.io, "cannot copy the history to \(folder): the disk is full; make room")
            case .damaged, .foreign, .newer: throw BackupFailure(.data, error.description)
            case .locked, .failed: throw BackupFailure(.io, error.description)
            }
        }
        let number = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard number >= 0 else {
            throw BackupFailure("cannot read \(path)", Errno(rawValue: errno), command: command)
        }
        file = OwnedDescriptor(owning: number)
    }

    /// A new folder for this user alone, on a disk and not in memory.
    private static func temporaryFolder() throws(BackupFailure) -> String {
        let above = ProcessInfo.processInfo.environment["TMPDIR"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/var/tmp"
        var template = "\(above)/okaeri-XXXXXX".utf8CString.map(\.self)
        guard mkdtemp(&template) != nil else {
            throw BackupFailure(
                .io,
                "cannot make a folder in \(above) for a copy of the history: "
                    + "\(Errno(rawValue: errno).description); name another one with `TMPDIR`")
        }
        return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
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
        let reader = ArchiveReader(FileDescriptor(rawValue: file.number), interruption)
        try reader.forEachPiece(from: 0, size: nil, body)
    }
}
