import Glibc

extension HistoryStore {
    /// Gives a damaged history another name, so that a new one can begin. The user can save it.
    ///
    /// - Parameter stamp: the present in a form that a file's name can bear.
    /// - Returns: its new name.
    package static func setAside(directory: String, stamp: String) throws(HistoryError) -> String {
        let file = "\(directory)/\(fileName)"
        let name = "\(file).damaged-\(stamp)"
        guard rename(file, name) == 0 else {
            throw .denied(file: file, reason: String(cString: strerror(errno)))
        }
        // The log holds what had not got into the file yet; under its old name it would be taken for the new file's.
        for suffix in ["-wal", "-shm"] where rename(file + suffix, name + suffix) != 0 && errno != ENOENT {
            throw .denied(file: file + suffix, reason: String(cString: strerror(errno)))
        }
        return name
    }
}
