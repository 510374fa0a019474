import Glibc
import OkaeriPlumbing
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
                    ? Remedy.admission.english : "delete it to use beacons.json alone")
        }
    }

    /// Returns the regions in the file; none if there is no file.
    package func regions() throws(ConfigurationError) -> SavedRegions {
        guard let bytes = try bytes() else { return SavedRegions() }
        return try SavedRegions(json: bytes, file: path)
    }

    private func contents() throws(FilePlace.Problem) -> [UInt8]? {
        try StateDirectory.contents(of: .regions, in: FilePath(path).removingLastComponent().string)
    }
}
