import SystemPackage

/// The reason why persisted state is rejected.
enum StateFileError: Error, Equatable, CustomStringConvertible {
    case unreadable(Errno)
    /// It is no file of its own, but a link, a directory, a pipe.
    case noFile
    /// It belongs to another user, or another user may write it.
    case foreign
    case damaged(String)
    /// A later version of this program wrote it, in a layout that this one cannot read.
    case newer(layout: Int)

    /// The suffix with which it is moved out of the way, for a person to examine or to go on from; `nil` if this
    /// process must not move it.
    var suffix: String? {
        switch self {
        case .damaged: "damaged"
        case .newer(let layout): "layout-\(layout)"
        case .unreadable, .noFile, .foreign: nil
        }
    }

    /// Whether it is still good for something, and must not be replaced.
    var isWorthKeeping: Bool {
        switch self {
        case .newer: true
        case .unreadable, .noFile, .foreign, .damaged: false
        }
    }

    var description: String {
        switch self {
        case .unreadable(let errno): "it cannot be read: \(errno.description)"
        case .noFile: "it is no regular file"
        case .foreign: "it belongs to another user, or other users may write it"
        case .damaged(let why): "it is damaged: \(why)"
        case .newer(let layout):
            "a newer okaeri wrote it, in layout \(layout), and this one supports \(PersistedState.version)"
        }
    }
}
