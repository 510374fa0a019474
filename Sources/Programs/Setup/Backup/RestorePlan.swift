import Glibc
package import OkaeriConfiguration
import OkaeriHistory
import OkaeriPlumbing
import SystemPackage

/// The files of this machine that a backup replaces.
///
/// The archive and its configuration are checked before there is a plan, and nothing is written before ``stage()``.
package struct RestorePlan: Sendable {
    /// A file of this machine.
    package struct Change: Sendable, Equatable, Encodable {
        package enum Action: String, Sendable, Encodable {
            case replaced, created
            /// The file has the backup's content already.
            case unchanged
            /// The backup has no such file; the present one is set aside.
            case removed
            /// The file stays as it is, because of the obstacle.
            case leftOut
        }

        /// The reason why a restore does not write a file: a backup could name any file of the system.
        package enum Obstacle: String, Sendable, Encodable {
            /// The file is not in the folder of the configuration.
            case folder
            /// The name is not for the file's purpose.
            case name
            /// A link leads out of the folder, or to such a name.
            case link
        }

        package var path: String
        package var action: Action
        /// `nil` unless the file is left out.
        package var obstacle: Obstacle?
    }

    /// The origin of the backup.
    package var node: String { archive.manifest.node }
    package var time: String { archive.manifest.time }
    package var version: String { archive.manifest.version }

    package private(set) var changes: [Change] = []
    /// The commands that the restored configuration runs.
    package private(set) var commands: [Command] = []
    /// The configuration that is replaced; `nil`: none that loads.
    let present: Configuration?
    /// The names of the browsers that are logged in by the backup.
    package let logins: [String]
    /// Whether these logins replace those of this machine.
    package let restoresLogins: Bool
    package let configuration: Configuration
    package let configurationFile: String

    let archive: BackupArchive
    let directory: String
    let account: ServiceAccount
    let rights: OwnerRights
    private let format: StateFormat

    static let command = "restore FILE"

    /// Reads the backup and examines this machine. Blocking.
    ///
    /// - Parameters:
    ///   - directory: The state directory.
    ///   - format: The format of `state.json`.
    ///   - passphrase: That of an encrypted backup; `nil`: the backup is not encrypted.
    ///   - restoresLogins: Whether the logins of the backup replace those of this machine. A session that was revoked after the
    ///     backup would be valid again.
    package init(
        of backup: String, configurationFile: String, directory: String, format: StateFormat,
        passphrase: [UInt8]? = nil, restoresLogins: Bool = false
    ) throws(BackupFailure) {
        archive = try BackupArchive(backup, passphrase: passphrase)
        self.configurationFile = FilePath(SocketPath.absolute(configurationFile)).lexicallyNormalized().string
        self.directory = directory
        account = ServiceAccount.ofDaemon(reading: self.configurationFile)
        rights = OwnerRights(ofDirectory: directory, command: Self.command)
        let configuration = try Self.checkedConfiguration(archive)
        self.configuration = configuration
        present = try? Configuration(file: self.configurationFile)
        (self.format, self.restoresLogins) = (format, restoresLogins)
        logins = archive.contents[.state(.state)].map(format.logins) ?? []
        try Self.checkState(archive, format.problem)
        try checkPaths()
        try planFiles()
        try planState()
        try checkKeys()
        commands = plannedCommands()
    }

    /// Returns whether a backup is encrypted. Blocking.
    package static func isEncrypted(_ backup: String) throws(BackupFailure) -> Bool {
        try BackupArchive.isEncrypted(backup)
    }

    private static func checkedConfiguration(_ archive: BackupArchive) throws(BackupFailure) -> Configuration {
        do throws(ConfigurationError) {
            if let regions = archive.contents[.state(.regions)] {
                _ = try SavedRegions(json: regions, file: "\(SavedRegions.fileName) in \(archive.path)")
            }
            return try Configuration(
                json: archive.contents[.configuration] ?? [], file: "beacons.json in \(archive.path)")
        } catch {
            throw BackupFailure(.configuration, error.description)
        }
    }

    private static func checkState(
        _ archive: BackupArchive, _ problem: ([UInt8]) -> String?
    ) throws(BackupFailure) {
        guard let problem = archive.contents[.state(.state)].flatMap(problem) else { return }
        throw BackupFailure(
            .data,
            "cannot restore \(archive.path): state.json in it is not used: \(problem); upgrade okaeri, or use another backup"
        )
    }

    /// Throws if the backup has a file that its configuration does not name.
    private func checkPaths() throws(BackupFailure) {
        let saved = archive.contents[.state(.regions)].flatMap { try? SavedRegions(json: $0, file: "") }
        guard Set(secrets.map(\.path)).isSubset(of: configuration.secretPaths),
            Set(keys.map(\.name)).isSubset(of: saved?.phones ?? [])
        else {
            throw BackupFailure(.data, "cannot restore \(archive.path): \(BackupManifest.foreign)")
        }
    }

    private mutating func planFiles() throws(BackupFailure) {
        try plan(configurationFile, archive.contents[.configuration])
        for (_, path, content) in secrets {
            if let obstacle = obstacle(to: path) {
                let isThere = (try? FilePlace(path).contents(limit: content.count)) == content
                changes.append(
                    isThere
                        ? Change(path: path, action: .unchanged)
                        : Change(path: path, action: .leftOut, obstacle: obstacle))
                continue
            }
            try plan(path, content)
        }
    }

    private mutating func planState() throws(BackupFailure) {
        for (name, content) in keys {
            let rights = rights
            try rights { () throws(BackupFailure) in try plan("\(directory)/\(name)", content) }
        }
        for file in StateDirectory.File.allCases {
            let path = "\(directory)/\(file.rawValue)"
            if file == .history, archive.hasHistory {
                changes.append(Change(path: path, action: try exists(path) ? .replaced : .created))
            } else if archive.contents[.state(file)] != nil {
                let rights = rights
                try rights { () throws(BackupFailure) in try plan(path, try content(of: file)) }
            } else if try exists(path) {
                changes.append(Change(path: path, action: .removed))
            }
        }
    }

    /// The files that the configuration of the backup names, as far as the backup contains them.
    var secrets: [(name: BackupFileName, path: String, content: [UInt8])] {
        archive.manifest.files.compactMap { file in
            guard let path = file.path, let content = archive.contents[file.name] else { return nil }
            return (file.name, path, content)
        }
    }

    /// The keys of the phones that the page has enrolled, by their names in the state directory.
    var keys: [(name: String, content: [UInt8])] {
        archive.manifest.files.compactMap { file in
            guard case .key(let name) = file.name, let content = archive.contents[file.name] else { return nil }
            return (name, content)
        }
    }

    /// Throws if the daemon would not start, because a phone has no key on this machine.
    private func checkKeys() throws(BackupFailure) {
        let problems = ConfigurationCheck(configuration, file: configurationFile).unusableKeys
        guard let (path, remark) = problems.first(where: { !isWritten($0.path) }) else { return }
        var reason = remark.description
        if let install = installCommand(for: path) {
            reason =
                "\(remark.place): \(remark.found), and a restore does not write this file; run "
                + "`\(install)`, and restore again"
        }
        throw BackupFailure(
            .configuration, "cannot restore \(archive.path): the service would not start: \(reason)".escapedName)
    }

    /// Returns the command of a shell that writes a file with a secret from the backup; `nil` for another file.
    ///
    /// It extracts to a temporary file first: the present file stays as it is if `tar` fails. Without `--force-local`, `tar` takes a name
    /// with a colon for one of another host.
    package func installCommand(for path: String) -> String? {
        guard let name = secrets.first(where: { $0.path == path })?.name else { return nil }
        let owner = account.isOwn ? "" : "-o \(account.user) "
        // `tar` reads an encrypted backup from a temporary file, too, because a pipe would hide that `age` fails.
        let (decrypt, file, files) =
            archive.isEncrypted
            ? (#"g=$(mktemp) && age -d "$1" >"$g" && "#, #""$g""#, #""$f" "$g""#) : ("", #""$1""#, #""$f""#)
        let script =
            #"f=$(mktemp) && \#(decrypt)tar --force-local -xOf \#(file) "$2" >"$f" && "#
            + #"install -D -T -m 0600 \#(owner)"$f" "$3"; s=$?; rm -f \#(files); exit $s"#
        let arguments = ["sh", SocketPath.absolute(archive.path), name.rawValue, path].map(\.shellQuoted)
        return "\(geteuid() == 0 ? Installation.sudo : "")sh -c '\(script)' \(arguments.joined(separator: " "))"
    }

    /// Whether the restoring replaces or makes a file.
    func isWritten(_ path: String) -> Bool {
        changes.contains { $0.path == path && [.replaced, .created].contains($0.action) }
    }

    func isLeftOut(_ path: String) -> Bool { changes.contains { $0.path == path && $0.action == .leftOut } }

    /// Returns the reason why a file is not written; `nil` for one in the folder of the configuration, with a name for its purpose,
    /// before and after a link. Several paths may lead to the folder.
    func obstacle(to path: String) -> Change.Obstacle? {
        let folder = FilePath(configurationFile).removingLastComponent()
        let (given, name) = (FilePath(path).removingLastComponent(), FilePath(path).lastComponent?.string ?? "")
        let expected = Self.target(of: "\(folder)/.")?.folder
        // A folder that is missing has no links.
        guard expected.map({ $0 == Self.target(of: "\(given)/.")?.folder }) ?? (given == folder) else { return .folder }
        let file = configuration.secretFiles.filter { $0.path == path }
        guard file.contains(where: { $0.isRestored(as: name) }) else { return .name }
        let target = Self.target(of: path)
        let isWithin = target?.folder == expected && file.contains { $0.isRestored(as: target?.name ?? name) }
        return isWithin ? nil : .link
    }

    /// Returns the folder and the name of a file after its links; `nil` if they cannot be determined, as in a folder that is missing.
    private static func target(of path: String) -> (folder: StagedFile.Place, name: String)? {
        guard let place = try? FilePlace(path),
            let folder = try? StagedFile.Place(place.missing ?? ".", in: place.directory)
        else { return nil }
        return (folder, place.name)
    }

    /// Returns the content that a file of the state directory gets. Call with ``rights``.
    func content(of file: StateDirectory.File) throws(BackupFailure) -> [UInt8] {
        let content = archive.contents[.state(file)] ?? []
        guard file == .state, !restoresLogins else { return content }
        let present: [UInt8]?
        do throws(FilePlace.Problem) {
            present = try FilePlace("\(directory)/\(file.rawValue)").contents(limit: file.sizeLimit)
        } catch {
            // Then it has no logins for the daemon either.
            present = nil
        }
        if present == content { return content }
        guard let text = format.replacingLogins(content, present) else {
            throw BackupFailure(
                .data, "cannot restore \(archive.path): state.json in it is damaged; use another backup")
        }
        return text
    }

    private mutating func plan(_ path: String, _ content: [UInt8]?) throws(BackupFailure) {
        guard let content else { return }
        let action: Change.Action
        do throws(FilePlace.Problem) {
            let place = try FilePlace(path)
            if try place.status() == nil {
                action = .created
            } else {
                // A longer file is another one.
                action = (try? place.contents(limit: content.count)) == content ? .unchanged : .replaced
            }
        } catch {
            // A directory that is missing is made.
            guard error == .failed(.noSuchFileOrDirectory) else {
                throw BackupFailure("cannot write \(path)", error, command: Self.command)
            }
            action = .created
        }
        changes.append(Change(path: path, action: action))
    }

    private func exists(_ path: String) throws(BackupFailure) -> Bool {
        try rights { () throws(BackupFailure) in
            var status = stat()
            return lstat(path, &status) == 0
        }
    }
}

/// The format of `state.json`, which the daemon defines.
package struct StateFormat: Sendable {
    /// Returns the reason why the daemon would reject a text; `nil` if it would accept it.
    let problem: @Sendable ([UInt8]) -> String?
    /// Returns the names of the browsers that are logged in.
    let logins: @Sendable ([UInt8]) -> [String]
    /// Returns a text with the logins of another one, or without logins; `nil` if it is malformed.
    let replacingLogins: @Sendable (_ text: [UInt8], _ present: [UInt8]?) -> [UInt8]?

    package init(
        problem: @escaping @Sendable ([UInt8]) -> String?, logins: @escaping @Sendable ([UInt8]) -> [String],
        replacingLogins: @escaping @Sendable ([UInt8], [UInt8]?) -> [UInt8]?
    ) {
        (self.problem, self.logins, self.replacingLogins) = (problem, logins, replacingLogins)
    }
}
