import Glibc

/// A place to bind a socket before clients can find it: a file that other users must not open even for a moment cannot
/// get its mode after it has its name (bind(2) goes by the umask, which is the whole process's).
struct PrivateSocket {
    /// The path to bind.
    let path: String
    private let place: String
    private let directory: String

    /// - Parameter place: The final path of the socket.
    /// - Throws: ``Failure``, where no directory can be made beside it.
    init(for place: String) throws(Failure) {
        self.place = place
        var template = Array("\(place).XXXXXX".utf8CString)
        let name = template.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.flatMap(mkdtemp).map { String(cString: $0) }
        }
        guard let name else { throw Failure(reason: String(cString: strerror(errno))) }
        directory = name
        path = "\(name)/s"
    }

    /// The error that kept it from being made.
    struct Failure: Error, CustomStringConvertible {
        package var reason: String
        package var description: String { reason }
    }

    /// Gives the bound socket its mode, then its name.
    ///
    /// - Parameter mode: The permissions, as in chmod(2).
    func publish(mode: mode_t) throws(Failure) {
        defer { discard() }
        guard chmod(path, mode) == 0, rename(path, place) == 0 else {
            throw Failure(reason: String(cString: strerror(errno)))
        }
    }

    /// Clears away what is left of it.
    func discard() {
        unlink(path)
        rmdir(directory)
    }
}
