import OkaeriEvents
import OkaeriPlumbing

package enum HistoryError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The file is not a database, or none any more.
    case damaged(file: String, reason: String)

    /// The file is another program's database.
    case foreign(file: String)

    /// A newer okaeri has changed the tables in a way that this one does not know.
    case newer(file: String, migration: String)

    case missing(file: String)

    case full(file: String)

    /// The file, or its folder, is not ours to write or to read.
    case denied(file: String, reason: String)

    /// This user may not read the file or search its folder.
    case notPermitted(file: String)

    /// A link, a pipe or a folder has the name of the file.
    case notAFile(file: String)

    /// Another program has the database locked.
    case locked(file: String)

    /// Anything else.
    case failed(file: String, reason: String)

    package var description: String {
        switch self {
        case .damaged(let file, let reason):
            "\(file) is damaged: \(reason); `okaeri monitor` moves it away and begins a new one"
        case .foreign(let file):
            "\(file) is the database of another program, and is left alone; move it away, or name another place with "
                + "`--state-dir`"
        case .newer(let file, let migration):
            "\(file) was written by a newer okaeri: \"\(migration)\" is not known here; upgrade okaeri, or move the file "
                + "away to begin a new one"
        case .missing(let file):
            "there is no history: \(file) does not exist; `okaeri monitor` writes it, and `--state-dir` names its folder"
        case .full(let file):
            "\(file) cannot grow: the disk is full; make room, or keep less with \"history\": {\"keep\": DAYS} in "
                + "beacons.json"
        case .denied(let file, let reason):
            "\(file) cannot be opened: \(reason); check the permissions of the file and its folder, and whether the "
                + "disk is mounted read-only, or name another place with `--state-dir`"
        case .notPermitted(let file): "you may not read \(file); \(ServiceAccount.admission)"
        case .notAFile(let file):
            "\(file) is not a regular file, and is left alone; move it away, or name another place with `--state-dir`"
        case .locked(let file):
            "\(file) is locked by another program; close it"
        case .failed(let file, let reason):
            "\(file) cannot be used: \(reason); check the disk (`dmesg` shows its errors), or name another place with "
                + "`--state-dir`"
        }
    }

    init(_ error: SQLiteError, file: String) {
        self =
            if error.isDamage {
                .damaged(file: file, reason: error.message)
            } else if error.isAboutRoom {
                .full(file: file)
            } else if error.isAboutAccess {
                .denied(file: file, reason: error.message)
            } else if error.isAboutLocks {
                .locked(file: file)
            } else {
                .failed(file: file, reason: error.description)
            }
    }
}
