package import OkaeriEvents
import OkaeriPlumbing

/// The reason why the history cannot be read or written, and the remedy.
package enum HistoryError: Error, Sendable, Hashable, CustomStringConvertible, LocalizedFailure {
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

    package var description: String { sentence(in: .english) }

    package func sentence(in language: Language) -> String {
        switch self {
        case .damaged(let file, let reason): language(HistoryPhrase.damaged, file, reason)
        case .foreign(let file): language(HistoryPhrase.foreign, file)
        case .newer(let file, let migration): language(HistoryPhrase.newer, file, migration)
        case .missing(let file): language(HistoryPhrase.missing, file)
        case .full(let file): language(HistoryPhrase.full, file)
        case .denied(let file, let reason): language(HistoryPhrase.denied, file, language.value(reason))
        case .notPermitted(let file):
            language(HistoryPhrase.notPermitted, file, language(RemedyPhrase.admission))
        case .notAFile(let file): language(HistoryPhrase.notAFile, file)
        case .locked(let file): language(HistoryPhrase.locked, file)
        case .failed(let file, let reason): language(HistoryPhrase.failed, file, language.value(reason))
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
