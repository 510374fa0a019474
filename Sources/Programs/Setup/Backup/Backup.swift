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
    package func write(to output: FileDescriptor, now: Int64 = KernelClock.realtime) throws(BackupFailure) -> Report {
        var report = Report()
        let (text, configuration) = try loadedConfiguration()
        var files: [(name: BackupFileName, content: [UInt8])] = [(.configuration, text)]
        report.files.append(configurationFile)
        for (index, path) in configuration.secretPaths.enumerated() {
            if let content = try secret(path, at: index, &report) { files.append((.secret(index), content)) }
        }
        for file in [StateDirectory.File.state, .regions] {
            if let content = try state(file, &report) { files.append((.state(file), content)) }
        }
        let history = try historyCopy(&report)
        var entries = files.map { name, content in
            BackupManifest.Entry(
                name: name, size: Int64(content.count), checksum: CRC32(of: content[...]).description)
        }
        if let history {
            let (size, checksum) = try history.summary
            entries.append(.init(name: .state(.history), size: size, checksum: checksum))
        }
        let manifest = BackupManifest(
            version: version, node: configuration.node.name ?? NodeName.local, time: Timestamp.text(now), files: entries
        )
        var archive = ArchiveWriter(output: output, modified: now / 1_000_000_000)
        try archive.add(BackupManifest.fileName, manifest.text)
        for file in files { try archive.add(file.name.rawValue, file.content) }
        if let history, let size = entries.last?.size {
            try archive.add(StateDirectory.File.history.rawValue, size: size) { write throws(BackupFailure) in
                try history.forEachPiece(write)
            }
        }
        report.bytes = try archive.end()
        return report
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
        return try contents(of: path, limit: BackupFileName.secret(index).sizeLimit, &report)
    }

    private func state(
        _ file: StateDirectory.File, _ report: inout Report
    ) throws(BackupFailure) -> [UInt8]? {
        try rights { () throws(BackupFailure) in
            try contents(of: "\(directory)/\(file.rawValue)", limit: file.sizeLimit, &report)
        }
    }

    /// Returns the content of a file, or `nil` if it cannot be in the backup, which the report then says.
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

    private func historyCopy(_ report: inout Report) throws(BackupFailure) -> HistoryCopy? {
        let path = "\(directory)/\(HistoryStore.fileName)"
        let copy = try rights { () throws(BackupFailure) in
            try HistoryCopy(ofDirectory: directory, command: Self.command)
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

    /// Returns `nil` if there is no history.
    init?(ofDirectory directory: String, command: String) throws(BackupFailure) {
        let folder = try Self.temporaryFolder()
        let path = "\(folder)/\(HistoryStore.fileName)"
        defer {
            unlink(path)
            rmdir(folder)
        }
        do throws(HistoryError) {
            try HistoryReader(directory: directory).copy(to: path)
        } catch {
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

    var summary: (size: Int64, checksum: String) {
        get throws(BackupFailure) {
            var (size, checksum) = (0 as Int64, CRC32())
            try forEachPiece { piece throws(BackupFailure) in
                size += Int64(piece.count)
                checksum.append(piece)
            }
            return (size, checksum.description)
        }
    }

    func forEachPiece(_ body: (ArraySlice<UInt8>) throws(BackupFailure) -> Void) throws(BackupFailure) {
        let reader = ArchiveReader(FileDescriptor(rawValue: file.number))
        try reader.forEachPiece(from: 0, size: nil, body)
    }
}
