import Glibc
import OkaeriConfiguration
import Plumbing

extension HistoryStore {
    /// Makes the file where it is missing, readable by its owner alone, and takes access by other users from one that is there.
    ///
    /// SQLite uses the process's umask, and the database's mode for files beside it. Failures show on opening.
    static func restrictAccess(to file: String) {
        // Never opened for its content where it exists: closing it would release SQLite's locks in this process
        // (sqlite.org/howtocorrupt.html). Closing an O_PATH descriptor releases none.
        let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor >= 0 { close(descriptor) }
        for name in [file, "\(file)-wal", "\(file)-shm"] {
            let number = open(name, FilePlace.searchOnly | O_NOFOLLOW | O_CLOEXEC)
            if number >= 0 { restrictAccess(to: OwnedDescriptor(owning: number)) }
        }
    }

    /// Changes the very file that was examined, whatever the name leads to meanwhile. A file with a second name is left alone:
    /// another user can link a file of root's into a directory of their own.
    private static func restrictAccess(to file: borrowing OwnedDescriptor) {
        var status = stat()
        guard fstat(file.number, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
            status.st_nlink == 1, status.st_mode & 0o007 != 0
        else { return }
        // fchmod refuses a descriptor that only searches.
        chmod("/proc/self/fd/\(file.number)", status.st_mode & 0o770)
    }
}
