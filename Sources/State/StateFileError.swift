package import SystemPackage

/// Why kept state is not believed.
package enum StateFileError: Error, Equatable, CustomStringConvertible {
    case unreadable(Errno)
    /// It is no file of its own, but a link, a directory, a pipe.
    case noFile
    /// Somebody else owns it, or may write it.
    case foreign
    case damaged(String)
    /// A version of this program that is not yet written, or long forgotten, wrote it.
    case unknownVersion(Int)

    /// Whether it is ours to move out of the way, for somebody to look at.
    var isOurs: Bool {
        switch self {
        case .damaged, .unknownVersion: true
        case .unreadable, .noFile, .foreign: false
        }
    }

    package var description: String {
        switch self {
        case .unreadable(let errno): "it cannot be read: \(errno.description)"
        case .noFile: "it is no file"
        case .foreign: "it belongs to somebody else, or others may write it"
        case .damaged(let why): "it is damaged: \(why)"
        case .unknownVersion(let version): "it has the layout \(version), and this version knows \(KeptState.version)"
        }
    }
}
