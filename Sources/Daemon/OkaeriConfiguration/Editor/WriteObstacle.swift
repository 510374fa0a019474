import Glibc
package import OkaeriEvents
package import SystemPackage

/// The reason why a configuration cannot be written, and the remedy.
package struct WriteObstacle: Error, Sendable, Equatable, CustomStringConvertible, LocalizedFailure {
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
    package var description: String { sentence(in: .english) }

    package func sentence(in language: Language) -> String {
        let own = Self.name(geteuid())
        return switch problem {
        case .notAFile: language(WritePhrase.notAFile, file)
        case .foreign(let user): language(WritePhrase.foreign, file, Self.name(user), own)
        case .untrusted(let problem):
            language(WritePhrase.untrusted, file, language.value("\(problem)"), problem.remedy)
        case .changed: language(WritePhrase.changed, file)
        case .failed(.readOnlyFileSystem): language(WritePhrase.readOnly, file)
        case .failed(.permissionDenied), .failed(.notPermitted): language(WritePhrase.notPermitted, file, own)
        case .failed(.resourceBusy): language(WritePhrase.mount, file)
        case .failed(.fileExists): language(WritePhrase.exists, file)
        case .failed(.noSpace): language(WritePhrase.diskFull, file)
        case .failed(let errno): language(WritePhrase.failed, file, language.value(errno.description))
        }
    }

    private static func name(_ user: UInt32) -> String { user == 0 ? "root" : "user \(user)" }
}
