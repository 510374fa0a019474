import Glibc
import OkaeriPlumbing
import SystemPackage

/// `beacons.json` on the disk. It is replaced as a whole or not at all, keeps its owner and mode, and leaves the one before
/// beside it as `.bak`.
package struct ConfigurationFile: Sendable {
    /// The file as it was named.
    package let path: String

    /// The name of the file itself, links followed, for messages.
    package let target: String

    /// The path of the previous version.
    package var backup: String { "\(target).bak" }

    /// The mode of a new file.
    private let permissions: FilePermissions

    package init(_ path: String) { self.init(path, permissions: FilePermissions(rawValue: 0o644)) }

    init(_ path: String, permissions: FilePermissions) {
        self.path = path
        self.permissions = permissions
        target = Self.followed(path)
    }

    /// Returns the content of the file; `nil` if there is none.
    package func text() throws(ConfigurationError) -> String? {
        let bytes: [UInt8]
        do throws(FilePlace.Problem) {
            guard let found = try FilePlace(path).contents(limit: Configuration.sizeLimit) else { return nil }
            bytes = found
        } catch {
            if error == .failed(.noSuchFileOrDirectory) { return nil }
            throw ConfigurationError(file: path, error)
        }
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        // It names the place.
        _ = try JSONNode(json: bytes, file: path)
        throw ConfigurationError(
            file: path, place: ConfigurationError.wholeFile, found: "it has bytes that are not UTF-8",
            expected: "save it as UTF-8")
    }

    /// The reason why this user cannot write the file; `nil` if they can.
    package var obstacle: WriteObstacle? { obstacle(user: geteuid()) }

    /// - Parameter user: The user of the process.
    package func obstacle(user: UInt32) -> WriteObstacle? {
        do throws(WriteObstacle.Problem) {
            let place = try Self.placed { () throws(FilePlace.Problem) in try FilePlace(path) }
            _ = try Self.writable(place, by: user)
            return nil
        } catch {
            return WriteObstacle(file: target, problem: error)
        }
    }

    /// Replaces the file. One that is what it should be already stays, and the one before it too.
    ///
    /// - Parameter old: The result of ``text()`` from which `text` was made.
    /// - Returns: The path of the previous version; `nil` if there was none, or nothing had to be written.
    @discardableResult
    package func write(_ text: String, replacing old: String?) throws(WriteObstacle) -> String? {
        do throws(WriteObstacle.Problem) {
            // What is examined is what is replaced: another user may exchange the directories of the path meanwhile.
            let place = try Self.placed { () throws(FilePlace.Problem) in try FilePlace(path) }
            let status = try Self.writable(place, by: geteuid())
            let current = try Self.contents(place, as: old)
            let new = Array(text.utf8)
            guard current != new else { return nil }
            guard new.count <= Configuration.sizeLimit else { throw .failed(.fileTooLarge) }
            try write(new, over: current, status, in: place)
            return current == nil ? nil : backup
        } catch {
            throw WriteObstacle(file: target, problem: error)
        }
    }
}

// MARK: What is on the disk

extension ConfigurationFile {
    /// Checks that this user can write the file, and that it has not changed.
    ///
    /// - Parameter old: The result of ``text()``.
    func check(replacing old: String?) throws(WriteObstacle) {
        do throws(WriteObstacle.Problem) {
            let place = try Self.placed { () throws(FilePlace.Problem) in try FilePlace(path) }
            _ = try Self.writable(place, by: geteuid())
            _ = try Self.contents(place, as: old)
        } catch {
            throw WriteObstacle(file: target, problem: error)
        }
    }

    /// Takes back a write, also one that failed after it had replaced the file: the previous version takes the place of the file again,
    /// which needs no room on the disk. A file with another text stays.
    ///
    /// - Parameters:
    ///   - text: The text that was written.
    ///   - old: The text before; `nil` if there was no file.
    func takeBack(_ text: String, replacing old: String?) {
        guard text != old,
            let place = try? Self.placed({ () throws(FilePlace.Problem) in try FilePlace(path) }),
            (try? Self.contents(place, as: text)) != nil, let directory = try? place.opened()
        else { return }
        if old == nil {
            unlinkat(directory.number, place.name, 0)
        } else {
            renameat(directory.number, "\(place.name).bak", directory.number, place.name)
        }
    }

    /// Returns the content of the file, which must be the text that was read.
    private static func contents(
        _ place: borrowing FilePlace, as old: String?
    ) throws(WriteObstacle.Problem) -> [UInt8]? {
        let current: [UInt8]?
        do throws(FilePlace.Problem) {
            current = try place.contents(limit: Configuration.sizeLimit)
        } catch {
            throw .changed
        }
        guard current == old.map({ Array($0.utf8) }) else { throw .changed }
        return current
    }

    private static func placed<Value: ~Copyable>(
        _ body: () throws(FilePlace.Problem) -> Value
    ) throws(WriteObstacle.Problem) -> Value {
        do throws(FilePlace.Problem) { return try body() } catch { throw .init(error) }
    }

    /// Returns the status of the file, `nil` if there is none, if the user may write it.
    private static func writable(
        _ place: borrowing FilePlace, by user: UInt32
    ) throws(WriteObstacle.Problem) -> stat? {
        let status: stat?
        do throws(FilePlace.Problem) { status = try place.status() } catch { throw .init(error) }
        let directory = place.directory.number
        if let status {
            // The owner is to be kept, which only root can do for another.
            guard user == 0 || user == status.st_uid else { throw .foreign(user: status.st_uid) }
            try access(place.name, in: directory, W_OK)
        }
        try access(".", in: directory, W_OK | X_OK)
        return status
    }

    /// Throws why this user may not do that with it.
    private static func access(
        _ name: String, in directory: Int32, _ mode: Int32
    ) throws(WriteObstacle.Problem) {
        guard faccessat(directory, name, mode, AT_EACCESS) == 0 else { throw .failed(Errno(rawValue: errno)) }
    }

    private func write(
        _ text: [UInt8], over current: [UInt8]?, _ status: stat?, in place: borrowing FilePlace
    ) throws(WriteObstacle.Problem) {
        let owner = status.map { (user: $0.st_uid, group: $0.st_gid) }
        let permissions = status.map { FilePermissions(rawValue: $0.st_mode & 0o7777) } ?? permissions
        do throws(Errno) {
            let directory = try place.opened()
            if let current {
                try FileDescriptor.replaceFile(
                    "\(place.name).bak", in: directory.number, with: current, permissions: permissions,
                    owner: owner)
            }
            try FileDescriptor.replaceFile(
                place.name, in: directory.number, with: text, permissions: permissions, owner: owner)
        } catch {
            throw .failed(error)
        }
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
