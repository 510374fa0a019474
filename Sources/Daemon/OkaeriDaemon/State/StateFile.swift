import Glibc
import OkaeriConfiguration
import OkaeriEvents
import OkaeriPlumbing
import SystemPackage

/// The file in which state is kept. It is replaced as a whole or not at all: after a power cut the file has the old
/// state or the new one.
struct StateFile: Sendable {
    let directory: String

    var path: String { "\(directory)/\(StateDirectory.File.state.rawValue)" }

    /// Returns the new path of a file that cannot be read; `nil` if it has to stay.
    func setAside(_ error: StateFileError) -> String? { error.suffix.map { "\(path).\($0)" } }

    /// Returns the state that was written last; `nil` if there was none.
    ///
    /// - Parameter types: the parts that are to be read.
    func read(_ types: [any PersistedMemory.Type]) throws(StateFileError) -> PersistedState? {
        let text: [UInt8]
        do {
            // A pipe at this path must not block the start.
            let file = try FileDescriptor.open(
                FilePath(path), .readOnly, options: [.closeOnExec, .noFollow, .nonBlocking])
            text = try file.closeAfter {
                try Self.check(file)
                return try file.contents(limit: StateDirectory.File.state.sizeLimit)
            }
        } catch let error as StateFileError {
            throw error
        } catch {
            switch error as? Errno {
            case .noSuchFileOrDirectory: return nil
            case .tooManySymbolicLinkLevels: throw .noFile
            case .fileTooLarge: throw .damaged("it is longer than any state")
            case let errno: throw .unreadable(errno ?? .ioError)
            }
        }
        return try PersistedState(text: text, types)
    }

    /// A file of another user than this one or root is rejected.
    private static func check(_ file: FileDescriptor) throws {
        let status = try file.stat()
        guard status.type == .regular else { throw StateFileError.noFile }
        let isOurs = [geteuid(), 0].contains(status.userID.rawValue)
        guard isOurs, status.permissions.isDisjoint(with: [.groupWrite, .otherWrite]) else {
            throw StateFileError.foreign
        }
    }

    /// Moves the file away, so that the next one does not take its place. Returns where it is now; nil where it stays.
    func moveAside(_ error: StateFileError) -> String? {
        guard let place = setAside(error), rename(path, place) == 0 else { return nil }
        return place
    }

    /// Replaces what was written last.
    func write(_ text: [UInt8]) throws(Errno) {
        try StateDirectory.make(directory)
        try FileDescriptor.replaceFile(at: path, with: text)
    }
}

/// The reason why persisted state is rejected.
enum StateFileError: Error, Equatable, CustomStringConvertible {
    case unreadable(Errno)
    /// It is not a file of its own, but a link, a directory, a pipe.
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
        case .noFile: "it is not a regular file"
        case .foreign: "it belongs to another user, or other users may write it"
        case .damaged(let why): "it is damaged: \(why)"
        case .newer(let layout):
            "a newer okaeri wrote it, in layout \(layout), and this one supports \(PersistedState.version)"
        }
    }
}
