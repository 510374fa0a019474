import Glibc

extension HistoryStore {
    /// Makes the file where it is missing, readable by its owner alone, and takes access by other users from one that is there.
    ///
    /// SQLite creates a database with the process's umask, and the files beside it with the database's mode. A failure shows
    /// when SQLite opens the file.
    static func restrictAccess(to file: String) {
        // Never opened where it exists: closing it would release SQLite's locks in this process (sqlite.org/howtocorrupt.html).
        let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor >= 0 { close(descriptor) }
        for name in [file, "\(file)-wal", "\(file)-shm"] {
            var status = stat()
            guard lstat(name, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o007 != 0 else {
                continue
            }
            chmod(name, status.st_mode & 0o770)
        }
    }
}
