import COkaeriSQLite
import Glibc
import OkaeriPlumbing

/// Lets SQLite open regular files alone.
///
/// SQLite opens a database, its log and its index by their paths. If there is a pipe, `open` or `read` waits without an end; if there is
/// a link, another file is read or made. A check before would come too early, so SQLite opens all files through ``open``
/// (`xSetSystemCall` of sqlite.org/c3ref/vfs.html).
enum RegularFiles {
    /// Whether SQLite opens its files so. SQLite keeps the function for the whole process.
    static let areEnforced: Bool = {
        guard let files = sqlite3_vfs_find(nil), files.pointee.iVersion >= 3,
            let set = files.pointee.xSetSystemCall
        else { return false }
        return set(files, "open", unsafeBitCast(open, to: sqlite3_syscall_ptr.self)) == SQLITE_OK
    }()

    private typealias Open = @convention(c) (UnsafePointer<CChar>, Int32, Int32) -> Int32

    /// Opens a regular file or a directory, which SQLite synchronizes. SQLite also opens devices, by names of its own: `/dev/null`
    /// and `/dev/urandom`.
    private static let open: Open = { path, flags, mode in
        let number = Glibc.open(path, flags | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC, mode_t(truncatingIfNeeded: mode))
        guard number >= 0 else { return number }
        var status = stat()
        let isKnown = fstat(number, &status) == 0 && isAllowed(status.st_mode & S_IFMT, path)
        if isKnown { return number }
        close(number)
        errno = ELOOP
        return -1
    }

    private static func isAllowed(_ kind: mode_t, _ path: UnsafePointer<CChar>) -> Bool {
        switch kind {
        case S_IFREG, S_IFDIR: true
        case S_IFCHR: strcmp(path, "/dev/null") == 0 || strcmp(path, "/dev/urandom") == 0
        default: false
        }
    }

    /// Throws if there is something else in the place of a file. It gives the reason that SQLite does not have.
    static func refuseOthers(at file: String) throws(HistoryError) {
        guard areEnforced else {
            throw .failed(file: file, reason: "this SQLite has no functions for opening files")
        }
        var status = stat()
        for file in [file, "\(file)-wal", "\(file)-shm", "\(file)-journal"]
        where lstat(file, &status) == 0 && status.st_mode & S_IFMT != S_IFREG {
            throw .notAFile(file: file)
        }
    }
}
