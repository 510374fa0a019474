import Glibc
import OkaeriConfiguration
import OkaeriHistory
import OkaeriPlumbing
import SystemPackage

extension RestorePlan {
    /// Writes the new files beside the old ones. Blocking; the daemon may run.
    package func stage(_ interruption: Interruption = Interruption()) throws(BackupFailure) -> StagedRestore {
        var files: [StagedFile] = []
        do throws(BackupFailure) {
            let contents = try stageConfiguration(into: &files)
            let count = files.count
            try interruption.check()
            try prepareDirectory()
            // A new directory belongs to the user of the service.
            let rights = OwnerRights(ofDirectory: directory, command: Self.command)
            for (name, content) in keys where isWritten("\(directory)/\(name)") {
                try rights { () throws(BackupFailure) in
                    let path = "\(directory)/\(name)"
                    let folder = try folder(for: path)
                    try write(content, name, .ownerReadWrite, in: folder, path: path)
                    files.append(StagedFile(name, in: folder, path: path, rights: rights))
                }
            }
            for file in StateDirectory.File.allCases {
                try rights { () throws(BackupFailure) in try stage(file, into: &files, rights, interruption) }
            }
            for file in files[count...] {
                if let place = file.place, contents[place] != nil { throw Self.conflict(file.path) }
            }
            try interruption.check()
            return StagedRestore(files: files, directory: directory, rights: rights, plan: self)
        } catch {
            files.forEach { $0.discard() }
            throw error
        }
    }

    /// Writes the new configuration and the files that it names. Returns the contents by their places, with those of unchanged
    /// files. Several paths may lead to one file by links.
    private func stageConfiguration(
        into files: inout [StagedFile]
    ) throws(BackupFailure) -> [StagedFile.Place: [UInt8]] {
        var contents: [StagedFile.Place: [UInt8]] = [:]
        let all = [(configurationFile, archive.contents[.configuration] ?? [])] + secrets.map { ($0.path, $0.content) }
        for (path, content) in all where !isLeftOut(path) {
            guard path == configurationFile || !isWritten(path) || obstacle(to: path) == nil else {
                throw BackupFailure(.io, "cannot write \(path): a link was made there meanwhile; remove the link")
            }
            let place = try place(of: path)
            if let other = contents[place] {
                guard other == content else { throw Self.conflict(path) }
                continue
            }
            contents[place] = content
            if isWritten(path) {
                files.append(try stage(path, content, isConfiguration: path == configurationFile))
            }
        }
        return contents
    }

    private static func conflict(_ path: String) -> BackupFailure {
        BackupFailure(
            .io,
            "cannot write \(path): a link on this machine makes it the same file as another one of the backup; "
                + "remove the link")
    }

    /// Makes the directories of a file where they are missing.
    private func place(of path: String) throws(BackupFailure) -> StagedFile.Place {
        do throws(FilePlace.Problem) {
            let place = try FilePlace(path, making: isWritten(path) ? 0o755 : nil)
            do throws(Errno) {
                return try StagedFile.Place(place.name, in: try place.opened())
            } catch {
                throw .failed(error)
            }
        } catch {
            throw BackupFailure("cannot write \(path)", error, command: Self.command)
        }
    }

    private func stage(
        _ path: String, _ content: [UInt8], isConfiguration: Bool
    ) throws(BackupFailure) -> StagedFile {
        do throws(FilePlace.Problem) {
            let place = try FilePlace(path)
            if !isConfiguration, geteuid() == 0 { try place.refuseSharedDirectory() }
            let status = try place.status()
            let owner =
                status.map { (user: $0.st_uid, group: $0.st_gid) }
                ?? (user: isConfiguration ? geteuid() : account.user, group: account.group)
            let permissions =
                status.map { FilePermissions(rawValue: $0.st_mode & 0o7777) }
                // The addresses in a configuration may be secrets. Its owner can open it to others.
                ?? (isConfiguration ? [.ownerReadWrite, .groupRead] : .ownerReadWrite)
            do throws(Errno) {
                let directory = try place.opened()
                try FileDescriptor.replaceFile(
                    StagedFile.stagedName(place.name), in: directory.number, with: content, permissions: permissions,
                    owner: owner)
                return StagedFile(place.name, in: directory, path: path, rights: .own)
            } catch {
                throw .failed(error)
            }
        } catch {
            throw BackupFailure("cannot write \(path)", error, command: Self.command)
        }
    }

    /// Makes the state directory where it is missing, for the user of the service.
    private func prepareDirectory() throws(BackupFailure) {
        var status = stat()
        guard stat(directory, &status) != 0 else { return }
        do throws(FilePlace.Problem) {
            let place = try FilePlace("\(directory)/.", making: 0o750)
            guard geteuid() == 0, account.user != 0 else { return }
            let number = openat(place.directory.number, ".", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard number >= 0 else { throw .failed(Errno(rawValue: errno)) }
            let folder = OwnedDescriptor(owning: number)
            guard fchown(folder.number, account.user, account.group) == 0 else {
                throw .failed(Errno(rawValue: errno))
            }
        } catch {
            throw BackupFailure("cannot make \(directory)", error, command: Self.command)
        }
    }

    private func stage(
        _ file: StateDirectory.File, into files: inout [StagedFile], _ rights: OwnerRights,
        _ interruption: Interruption
    ) throws(BackupFailure) {
        let path = "\(directory)/\(file.rawValue)"
        guard let action = changes.first(where: { $0.path == path })?.action, action != .unchanged else { return }
        if action == .removed {
            files.append(
                StagedFile(
                    removing: file.rawValue, as: "\(file.rawValue).bak", in: try folder(for: path), path: path,
                    rights: rights))
        } else {
            let folder = try folder(for: path)
            if file == .history {
                try stageHistory(in: folder, path: path, interruption)
            } else {
                try write(try content(of: file), file.rawValue, file.permissions, in: folder, path: path)
            }
            files.append(StagedFile(file.rawValue, in: folder, path: path, rights: rights))
        }
        guard file == .history else { return }
        // What SQLite had not moved into the old file yet belongs to that one.
        for suffix in ["-wal", "-shm"] {
            files.append(
                StagedFile(
                    removing: file.rawValue + suffix, as: "\(file.rawValue).bak\(suffix)",
                    in: try self.folder(for: path),
                    path: path + suffix, rights: rights))
        }
    }

    /// Writes the new state again, with the logins that the daemon has stored at its end: one may have been revoked meanwhile. Call with
    /// the rights of the directory's owner.
    func renewState() throws(BackupFailure) {
        let file = StateDirectory.File.state
        let path = "\(directory)/\(file.rawValue)"
        guard isWritten(path) else { return }
        try write(try content(of: file), file.rawValue, file.permissions, in: try folder(for: path), path: path)
    }

    /// Opens the state directory.
    private func folder(for path: String) throws(BackupFailure) -> OwnedDescriptor {
        do throws(FilePlace.Problem) {
            let place = try FilePlace("\(directory)/.")
            do throws(Errno) { return try place.opened() } catch { throw .failed(error) }
        } catch {
            throw BackupFailure("cannot write \(path)", error, command: Self.command)
        }
    }

    private func write(
        _ content: [UInt8], _ name: String, _ permissions: FilePermissions, in folder: borrowing OwnedDescriptor,
        path: String
    ) throws(BackupFailure) {
        do throws(Errno) {
            try FileDescriptor.replaceFile(
                StagedFile.stagedName(name), in: folder.number, with: content, permissions: permissions)
        } catch {
            throw BackupFailure("cannot write \(path)", error, command: Self.command)
        }
    }

    /// Writes the history and examines it.
    private func stageHistory(
        in folder: borrowing OwnedDescriptor, path: String, _ interruption: Interruption
    ) throws(BackupFailure) {
        let name = StagedFile.stagedName(HistoryStore.fileName)
        unlinkat(folder.number, name, 0)
        let number = openat(
            folder.number, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
            StateDirectory.File.history.permissions.rawValue)
        guard number >= 0 else {
            throw BackupFailure("cannot write \(path)", Errno(rawValue: errno), command: Self.command)
        }
        let file = OwnedDescriptor(owning: number)
        do throws(BackupFailure) {
            try archive.copyHistory(to: FileDescriptor(rawValue: number), interruption)
            guard fsync(number) == 0 else {
                throw BackupFailure("cannot write \(path)", Errno(rawValue: errno), command: Self.command)
            }
            do throws(HistoryError) {
                try HistoryStore.examine("\(directory)/\(name)", unless: { interruption.isRequested })
            } catch {
                try interruption.check()
                throw BackupFailure(.data, "cannot restore \(archive.path): \(error)")
            }
        } catch {
            unlinkat(folder.number, name, 0)
            throw error
        }
        _ = consume file
    }
}
