import Foundation
import OkaeriTestSupport
import Testing

@testable import OkaeriHistory

/// Pipes, links and folders in the place of a history or of the files beside it. SQLite would wait without an end, or use other files.
@Suite(.timeLimit(.minutes(2))) struct OtherFilesTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func expectRefusal(of file: String) {
        #expect(throws: HistoryError.notAFile(file: file)) { try folder.store() }
        #expect(throws: HistoryError.notAFile(file: file)) { try folder.reader() }
    }

    @Test func `a pipe in the place of a history is refused, and does not block`() throws {
        mkfifo(folder.history, 0o600)
        expectRefusal(of: folder.history)
    }

    @Test(arguments: ["", "-wal", "-shm", "-journal"])
    func `a pipe and a link beside a history are refused`(suffix: String) throws {
        try folder.fill()
        let (file, moved) = (folder.history + suffix, "\(folder.path)/moved")
        rename(file, moved)
        mkfifo(file, 0o600)
        expectRefusal(of: file)
        unlink(file)
        symlink("moved", file)
        expectRefusal(of: file)
    }

    @Test func `a pipe that comes after the check is not opened either`() throws {
        #expect(RegularFiles.areEnforced)
        let connection = try SQLiteConnection(file: folder.history, mode: .readWrite)
        unlink(folder.history)
        mkfifo("\(folder.path)/pipe", 0o600)
        // SQLite opens the attached file by itself.
        #expect(throws: HistoryError.self) {
            try connection.execute("ATTACH ?1 AS other", [.text("\(folder.path)/pipe")])
            try connection.execute("CREATE TABLE other.t (x)")
        }
        #expect(throws: HistoryError.self) { try connection.execute("VACUUM INTO ?1", [.text("\(folder.path)/pipe")]) }
    }

    @Test func `a link in the path of the folder is followed`() throws {
        try folder.fill()
        let other = try TemporaryFolder()
        symlink(folder.path, "\(other.path)/state")
        let reader = try HistoryReader(directory: "\(other.path)/state")
        var count = 0
        try reader.forEachEvent { _ in
            count += 1
            return true
        }
        #expect(count == 200)
    }
}
