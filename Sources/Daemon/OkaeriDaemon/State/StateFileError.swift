package import SystemPackage

/// Why kept state is not believed.
package enum StateFileError: Error, Equatable, CustomStringConvertible {
    case unreadable(Errno)
    /// It is no file of its own, but a link, a directory, a pipe.
    case noFile
    /// Somebody else owns it, or may write it.
    case foreign
    case damaged(String)
    /// A later version of this program wrote it, in a layout that this one cannot read.
    case newer(layout: Int)

    /// What its name gets at the end when it is moved out of the way, for somebody to look at or to go on from; nil where
    /// it is not ours to move.
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

    package var description: String {
        switch self {
        case .unreadable(let errno): "it cannot be read: \(errno.description)"
        case .noFile: "it is no file"
        case .foreign: "it belongs to somebody else, or others may write it"
        case .damaged(let why): "it is damaged: \(why)"
        case .newer(let layout):
            "a newer okaeri wrote it, in layout \(layout), and this one knows \(KeptState.version)"
        }
    }
}
