import OkaeriConfiguration
package import SystemPackage

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
            "\(what): \(errno.description); \(isPermission ? "run `sudo okaeri \(command)`" : remedy)")
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
