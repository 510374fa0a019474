import Glibc
import Plumbing
import SystemPackage

/// `regions.json` on the disk. The daemon writes it, and the group that may use the daemon reads it.
package struct SavedRegionsFile: Sendable {
    package let path: String
    /// The state directory.
    let directory: String

    /// - Parameter directory: The state directory.
    package init(directory: String) {
        self.directory = directory
        path = "\(directory)/\(SavedRegions.fileName)"
    }

    /// Returns the state directory whose regions a command is to merge into `file`: the one that is named, that of the service for
    /// the service's file, and otherwise none.
    package static func directory(
        of file: String, named: String?, environment: [String: String], isRoot: Bool
    ) -> String? {
        guard named == nil else { return named }
        guard file == Configuration.serviceFile else { return nil }
        return StateDirectory.forClient(
            named: nil, environment: environment, isRoot: isRoot, holding: SavedRegions.fileName)
    }

    /// The mode: the file shows which beacons people carry, as the history does.
    static let permissions: FilePermissions = [.ownerReadWrite, .groupRead]

    /// The file for changes; the one before is kept beside it.
    var file: ConfigurationFile { ConfigurationFile(path, permissions: Self.permissions) }

    /// Returns the content of the file; `nil` if there is none.
    ///
    /// Root reads it for `okaeri config check`, and the user of the service owns the directory. So a link is not followed, and a
    /// file of another user than the directory's is refused: it would be a link to a file that only root may read.
    package func bytes() throws(ConfigurationError) -> [UInt8]? {
        do throws(FilePlace.Problem) {
            return try contents()
        } catch {
            let isPermission = error == .failed(.permissionDenied) || error == .failed(.notPermitted)
            throw ConfigurationError(
                file: path, place: ConfigurationError.wholeFile, found: error.description,
                expected: isPermission
                    ? "run the command with `sudo`, or join the group okaeri" : "delete it to use beacons.json alone")
        }
    }

    /// Returns the regions in the file; none if there is no file.
    package func regions() throws(ConfigurationError) -> SavedRegions {
        guard let bytes = try bytes() else { return SavedRegions() }
        return try SavedRegions(json: bytes, file: path)
    }

    private func contents() throws(FilePlace.Problem) -> [UInt8]? {
        let folder = FilePath(path).removingLastComponent().string
        let directory = open(folder.isEmpty ? "." : folder, FilePlace.searchOnly | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { return try Self.absent() }
        let place = OwnedDescriptor(owning: directory)
        // A pipe does not block.
        let number = openat(place.number, SavedRegions.fileName, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard number >= 0 else { return try Self.absent() }
        let file = OwnedDescriptor(owning: number)
        let (above, status) = (try Self.status(of: place.number), try Self.status(of: file.number))
        guard status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 1 else { throw .notAFile }
        guard status.st_uid == above.st_uid else { throw .foreign(path: path, user: status.st_uid) }
        guard status.st_mode & 0o022 == 0 else { throw .open(path: path) }
        do {
            return try FileDescriptor(rawValue: file.number).contents(limit: SavedRegions.sizeLimit)
        } catch {
            throw .failed(error as? Errno ?? .ioError)
        }
    }

    /// Returns `nil` after a call that found no file, and throws after another failure.
    private static func absent() throws(FilePlace.Problem) -> [UInt8]? {
        let code = Errno(rawValue: errno)
        if code == .noSuchFileOrDirectory { return nil }
        throw code == .tooManySymbolicLinkLevels ? .notAFile : .failed(code)
    }

    private static func status(of number: Int32) throws(FilePlace.Problem) -> stat {
        var status = stat()
        guard fstat(number, &status) == 0 else { throw .failed(Errno(rawValue: errno)) }
        return status
    }
}
