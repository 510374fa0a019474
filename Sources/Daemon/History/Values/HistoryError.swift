import Events

package enum HistoryError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The file is no database, or none any more.
    case damaged(file: String, reason: String)

    /// The file is another program's database.
    case foreign(file: String)

    /// A newer okaeri has changed the tables in a way that this one does not know.
    case newer(file: String, migration: String)

    case missing(file: String)

    case full(file: String)

    /// The file, or its folder, is not ours to write or to read.
    case denied(file: String, reason: String)

    /// Another program has the database locked.
    case locked(file: String)

    /// Anything else.
    case failed(file: String, reason: String)

    package var description: String {
        switch self {
        case .damaged(let file, let reason):
            "\(file) is damaged: \(reason). okaeri monitor sets it aside and begins a new one"
        case .foreign(let file):
            "\(file) is the database of another program. It is left alone: move it away, or name another place with "
                + "--state-dir"
        case .newer(let file, let migration):
            "\(file) was written by a newer okaeri (\"\(migration)\" is not known here). Upgrade okaeri, or move the "
                + "file away to begin anew"
        case .missing(let file):
            "there is no history: \(file) does not exist. okaeri monitor writes it; name its folder with --state-dir"
        case .full(let file):
            "the disk is full: \(file) cannot grow. Make room; \"history\": {\"keep\": DAYS} in beacons.json keeps less"
        case .denied(let file, let reason):
            "\(file) cannot be opened: \(reason). Check the permissions of the file and its folder, and whether the "
                + "disk is mounted read-only, or name another place with --state-dir"
        case .locked(let file):
            "another program keeps \(file) locked. Close it"
        case .failed(let file, let reason):
            "\(file) fails: \(reason). Check the disk (dmesg shows its errors), or name another place with "
                + "--state-dir"
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
