import Glibc
package import OkaeriConfiguration
import SystemPackage

/// `beacons.json` on the disk. It is replaced as a whole or not at all, keeps its owner and mode, and leaves the one before
/// beside it as `.bak`.
package struct ConfigurationFile: Sendable {
    /// The file as it was named.
    package let path: String

    /// The file itself, links followed: this is what is replaced.
    package let target: String

    /// What the one before is called.
    package var backup: String { "\(target).bak" }

    package init(_ path: String) {
        self.path = path
        target = Self.followed(path)
    }

    /// What is in the file; nil where there is none.
    package func text() throws(ConfigurationError) -> String? {
        if case .failure(let obstacle) = status, obstacle.problem == .notAFile {
            throw mistake(found: "no regular file", expected: "one that can be read")
        }
        let bytes: [UInt8]
        do throws(Errno) {
            bytes = try FileDescriptor.contents(of: target, limit: Configuration.sizeLimit)
        } catch {
            if error == .noSuchFileOrDirectory { return nil }
            throw mistake(found: error.description, expected: "a file that can be read")
        }
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        // It says where.
        _ = try JSONNode(json: bytes, file: path)
        throw mistake(found: "bytes that are no UTF-8", expected: "text in UTF-8")
    }

    /// Why the file cannot be written by this user; nil where it can.
    package var obstacle: WriteObstacle? { obstacle(user: geteuid()) }

    /// - Parameter user: who runs the program.
    func obstacle(user: UInt32) -> WriteObstacle? {
        switch status {
        case .failure(let obstacle): return obstacle
        case .success(let status?):
            // The owner is to be kept, which only root can do for another.
            guard user == 0 || user == status.st_uid else { return found(.foreign(user: status.st_uid)) }
            if let problem = Self.problem(target, W_OK) { return found(problem) }
        case .success(nil): break
        }
        switch Self.problem(directory, W_OK | X_OK) {
        case nil: return nil
        case .failed(.noSuchFileOrDirectory)?:
            return Self.problem(Self.directory(of: directory), W_OK | X_OK).map(found)
        case let problem?: return found(problem)
        }
    }

    /// Replaces the file. One that is what it should be already stays, and the one before it too.
    ///
    /// - Parameter old: what ``text()`` returned, from which `text` was made.
    /// - Returns: where the one before is now; nil where there was none, or nothing had to be written.
    @discardableResult
    package func write(_ text: String, replacing old: String?) throws(WriteObstacle) -> String? {
        if let obstacle { throw obstacle }
        let current: String?
        do throws(ConfigurationError) { current = try self.text() } catch { throw found(.changed) }
        guard current.map({ Array($0.utf8) }) == old.map({ Array($0.utf8) }) else { throw found(.changed) }
        guard current.map({ $0.utf8.elementsEqual(text.utf8) }) != true else { return nil }
        guard text.utf8.count <= Configuration.sizeLimit else { throw found(.failed(.fileTooLarge)) }
        let status = try self.status.get()
        let owner = status.map { (user: $0.st_uid, group: $0.st_gid) }
        let permissions = FilePermissions(rawValue: (status?.st_mode ?? 0o644) & 0o7777)
        do throws(Errno) {
            if mkdir(directory, 0o755) != 0, errno != EEXIST { throw Errno(rawValue: errno) }
            if let current {
                try FileDescriptor.replaceFile(
                    at: backup, with: Array(current.utf8), permissions: permissions, owner: owner)
            }
            try FileDescriptor.replaceFile(at: target, with: Array(text.utf8), permissions: permissions, owner: owner)
        } catch {
            throw found(.failed(error))
        }
        return current == nil ? nil : backup
    }
}

// MARK: What is on the disk

extension ConfigurationFile {
    private var directory: String { Self.directory(of: target) }

    private static func directory(of path: String) -> String {
        let above = FilePath(path).removingLastComponent()
        return above.isEmpty ? "." : above.string
    }

    /// What the file is; nil where there is none.
    private var status: Result<stat?, WriteObstacle> {
        var status = stat()
        guard lstat(target, &status) == 0 else {
            let code = Errno(rawValue: errno)
            return code == .noSuchFileOrDirectory ? .success(nil) : .failure(found(.failed(code)))
        }
        let isFile = status.st_mode & S_IFMT == S_IFREG
        return isFile ? .success(status) : .failure(found(.notAFile))
    }

    private func found(_ problem: WriteObstacle.Problem) -> WriteObstacle {
        WriteObstacle(file: target, problem: problem)
    }

    private func mistake(found: String, expected: String) -> ConfigurationError {
        ConfigurationError(file: path, place: "the file", found: found, expected: expected)
    }

    /// Why this user may not do that with it.
    private static func problem(_ path: String, _ access: Int32) -> WriteObstacle.Problem? {
        faccessat(AT_FDCWD, path, access, AT_EACCESS) == 0 ? nil : .failed(Errno(rawValue: errno))
    }

    /// Follows links as far as the kernel does; one that leads nowhere leads to the file that is to be made.
    private static func followed(_ path: String) -> String {
        var path = FilePath(path)
        for _ in 0..<40 {
            var name = [CChar](repeating: 0, count: Int(PATH_MAX))
            let length = readlink(path.string, &name, name.count)
            guard length > 0 else { break }
            let link = FilePath(String(decoding: name[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self))
            path = path.removingLastComponent().pushing(link)
        }
        return path.string
    }
}
