package import Glibc
import OkaeriEvents
package import OkaeriPlumbing
package import SystemPackage

/// The opened directory of a file, and the name of the file in it, after following every symbolic link.
///
/// Everything that is done with the file goes through the one descriptor. A directory above that is replaced by a link
/// meanwhile therefore has no effect.
///
/// For root each step must be out of reach of other users: directories and links belong to root, and a directory that others
/// may write has the sticky bit, in which case the next entry belongs to root too. Otherwise another user decides where root
/// writes, and which commands root runs.
package struct FilePlace: ~Copyable, Sendable {
    package enum Problem: Error, Sendable, Equatable {
        /// A directory, a device, a pipe, or links that lead in a circle.
        case notAFile
        /// Root refuses the path, because the user with this number can change it.
        case foreign(path: String, user: UInt32)
        /// Root refuses the path, because its mode lets other users write it.
        case open(path: String)
        case failed(Errno)
    }

    /// The directory, for calls relative to it (`O_PATH`, so that searching it is the only right needed).
    package let directory: OwnedDescriptor
    /// The last component of the path.
    package let name: String
    /// The path without links, for messages.
    private let path: String
    /// The directory that has to be made in ``directory`` first; `nil` if it exists.
    package let missing: String?

    private static let linkLimit = 40

    /// Bounds the attempts where another process removes each new directory.
    private static let madeLimit = 256

    /// `O_PATH`, the same on every architecture that Swift runs on; Glibc's module leaves it out.
    package static let searchOnly: Int32 = 0o1000_0000

    /// Resolves a path.
    ///
    /// - Parameter mode: the mode of the directories that are made where they are missing; `nil` makes none.
    package init(_ path: String, making mode: mode_t? = nil) throws(Problem) {
        let isRoot = geteuid() == 0
        // What is above the current directory counts too.
        let given = isRoot ? SocketPath.absolute(path) : path
        guard !given.isEmpty, !given.utf8.contains(0) else { throw .failed(.noSuchFileOrDirectory) }
        var rest = Self.components(given)
        var walked = FilePath(given.hasPrefix("/") ? "/" : "")
        var current = try Self.directory(given.hasPrefix("/") ? "/" : ".")
        var (links, made, isShared) = (0, 0, false)
        while let component = rest.popLast() {
            let parent = current.number
            let number = openat(parent, component, Self.searchOnly | O_NOFOLLOW | O_CLOEXEC)
            guard number >= 0 else {
                let code = Errno(rawValue: errno)
                if code == .noSuchFileOrDirectory, !rest.isEmpty, let mode, made < Self.madeLimit {
                    // Another user may have made it meanwhile; the next turn examines it.
                    guard mkdirat(parent, component, mode) == 0 || errno == EEXIST else {
                        throw .failed(Errno(rawValue: errno))
                    }
                    made += 1
                    rest.append(component)
                    continue
                }
                guard code == .noSuchFileOrDirectory, rest.count < 2 else { throw .failed(code) }
                directory = current
                (name, self.path, missing) = (rest.first ?? component, walked.string, rest.isEmpty ? nil : component)
                return
            }
            let entry = OwnedDescriptor(owning: number)
            let status = try Self.status(of: entry.number)
            walked.append(component)
            if isRoot { try Self.check(status, at: walked, isShared: isShared) }
            switch status.st_mode & S_IFMT {
            case S_IFLNK:
                links += 1
                guard links <= Self.linkLimit else { throw .notAFile }
                let target = try Self.target(ofLink: entry.number)
                walked.removeLastComponent()
                if target.hasPrefix("/") {
                    current = try Self.directory("/")
                    (walked, isShared) = ("/", false)
                }
                rest += Self.components(target)
            case S_IFDIR where !rest.isEmpty:
                isShared = status.st_mode & 0o022 != 0
                current = entry
            case _ where rest.isEmpty:
                directory = current
                (name, self.path, missing) = (component, walked.string, nil)
                return
            default: throw .failed(.notDirectory)
            }
        }
        // The path is that of the outermost directory.
        throw .notAFile
    }

    /// Returns the content of the file, or `nil` if there is none.
    ///
    /// - Parameter isTrusted: whether only root may have written it, for what root acts upon.
    package func contents(limit: Int, isTrusted: Bool = false) throws(Problem) -> [UInt8]? {
        if missing != nil { return nil }
        // A pipe does not block.
        let number = openat(directory.number, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard number >= 0 else {
            let code = Errno(rawValue: errno)
            if code == .noSuchFileOrDirectory { return nil }
            throw code == .tooManySymbolicLinkLevels ? .notAFile : .failed(code)
        }
        let file = OwnedDescriptor(owning: number)
        let status = try Self.status(of: file.number)
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile }
        if isTrusted {
            guard status.st_uid == 0 else { throw .foreign(path: path, user: status.st_uid) }
            guard status.st_mode & 0o022 == 0 else { throw .open(path: path) }
        }
        do {
            return try FileDescriptor(rawValue: file.number).contents(limit: limit)
        } catch {
            throw .failed(error as? Errno ?? .ioError)
        }
    }

    /// Opens the directory of the file, and makes it first if it is missing.
    package func opened() throws(Errno) -> OwnedDescriptor {
        if let missing, mkdirat(directory.number, missing, 0o755) != 0 { throw Errno(rawValue: errno) }
        let path = missing ?? "."
        let number = openat(directory.number, path, Self.searchOnly | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard number >= 0 else { throw Errno(rawValue: errno) }
        return OwnedDescriptor(owning: number)
    }

    /// Throws if users other than the owner may write the directory, even if it has the sticky bit: they could put files of
    /// their own there first.
    package func refuseSharedDirectory() throws(Problem) {
        guard try Self.status(of: directory.number).st_mode & 0o022 == 0 else { throw .open(path: path) }
    }

    /// Returns the status of the file, or `nil` if there is none.
    package func status() throws(Problem) -> stat? {
        var status = stat()
        if missing != nil { return nil }
        guard fstatat(directory.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            let code = Errno(rawValue: errno)
            if code == .noSuchFileOrDirectory { return nil }
            throw .failed(code)
        }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile }
        return status
    }
}

extension FilePlace {
    /// In the reverse order, so that the next one is the last element.
    private static func components(_ path: String) -> [String] {
        path.split(separator: "/").reversed().map(String.init)
    }

    private static func directory(_ path: String) throws(Problem) -> OwnedDescriptor {
        let number = open(path, searchOnly | O_DIRECTORY | O_CLOEXEC)
        guard number >= 0 else { throw .failed(Errno(rawValue: errno)) }
        return OwnedDescriptor(owning: number)
    }

    private static func status(of number: Int32) throws(Problem) -> stat {
        var status = stat()
        guard fstat(number, &status) == 0 else { throw .failed(Errno(rawValue: errno)) }
        return status
    }

    private static func target(ofLink number: Int32) throws(Problem) -> String {
        var name = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = readlinkat(number, "", &name, name.count)
        guard length > 0 else { throw .failed(Errno(rawValue: errno)) }
        return String(decoding: name[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// - Parameter isShared: whether other users may write the directory of the entry, which has the sticky bit then.
    private static func check(_ status: stat, at path: FilePath, isShared: Bool) throws(Problem) {
        let kind = status.st_mode & S_IFMT
        guard status.st_uid == 0 || kind != S_IFDIR && kind != S_IFLNK && !isShared else {
            throw .foreign(path: path.string, user: status.st_uid)
        }
        if kind == S_IFDIR, status.st_mode & 0o022 != 0, status.st_mode & S_ISVTX == 0 {
            throw .open(path: path.string)
        }
    }
}

extension ConfigurationError {
    /// A file that is not read.
    package init(file: String, _ problem: FilePlace.Problem) {
        self.init(file: file, place: Self.wholeFile, found: problem.description, expected: problem.remedy)
    }
}

extension FilePlace.Problem: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notAFile: "it is not a regular file"
        case .foreign(let path, let user): "\(path) belongs to user \(user), which could change what root does"
        case .open(let path): "other users can write \(path), and could change what root does"
        case .failed(let errno): errno.description
        }
    }

    /// The remedy for a file that is not read.
    package var remedy: String {
        switch self {
        case .foreign(let path, _):
            "run `chown root \(path)`, use /etc/okaeri/beacons.json, or run the command \(Installation.words("without `sudo`", or: "as another user"))"
        case .open(let path):
            "run `chmod go-w \(path)`, use /etc/okaeri/beacons.json, or run the command \(Installation.words("without `sudo`", or: "as another user"))"
        case .failed(.noSuchFileOrDirectory): Language.english(RemedyPhrase.createFile)
        case .notAFile, .failed: "name a file that can be read"
        }
    }
}
