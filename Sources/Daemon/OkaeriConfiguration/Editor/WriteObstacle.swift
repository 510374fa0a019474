import Glibc
package import SystemPackage

/// The reason why a configuration cannot be written, and the remedy.
package struct WriteObstacle: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Problem: Error, Sendable, Equatable {
        /// It is a directory, a device, a pipe, or links that lead in a circle.
        case notAFile
        /// It belongs to another user.
        case foreign(user: UInt32)
        /// Root does not write where other users can exchange the file or a directory of its path.
        case untrusted(FilePlace.Problem)
        /// It is not any more what the new text was made from.
        case changed
        case failed(Errno)

        init(_ problem: FilePlace.Problem) {
            self =
                switch problem {
                case .notAFile: .notAFile
                case .foreign, .open: .untrusted(problem)
                case .failed(let errno): .failed(errno)
                }
        }
    }

    package var file: String
    package var problem: Problem

    /// Whether this user lacks the permission.
    package var isPermission: Bool {
        switch problem {
        case .foreign, .untrusted, .failed(.permissionDenied), .failed(.notPermitted): true
        case .notAFile, .changed, .failed: false
        }
    }

    /// A sentence with the way out.
    package var description: String {
        switch problem {
        case .notAFile: "\(file) is not a regular file; name the file itself"
        case .foreign(let user):
            "\(file) belongs to \(Self.name(user)), and this program runs as \(Self.name(geteuid())); write it as its "
                + "owner, for example with `sudoedit \(file)`"
        case .untrusted(let problem): "cannot write \(file) as root: \(problem); \(problem.remedy)"
        case .changed:
            "\(file) was changed by another program meanwhile, so nothing was written; begin again"
        case .failed(.readOnlyFileSystem):
            "\(file) is read-only for this program, by a file system or by the protection of its systemd unit; write it "
                + "from outside, for example with `sudoedit \(file)`"
        case .failed(.permissionDenied), .failed(.notPermitted):
            "\(file) may not be written by \(Self.name(geteuid())), as which this program runs; write it with "
                + "`sudoedit \(file)`"
        case .failed(.resourceBusy):
            "\(file) is a mount of its own, as containers have it, and cannot be replaced; mount its folder instead"
        case .failed(.fileExists): "\(file) is there already; choose another name, or delete the file"
        case .failed(.noSpace): "\(file) was not written: the disk is full; make room, and try again"
        case .failed(let errno): "\(file) cannot be written: \(errno.description); check the disk"
        }
    }

    private static func name(_ user: UInt32) -> String { user == 0 ? "root" : "user \(user)" }
}
