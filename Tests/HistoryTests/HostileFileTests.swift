import Foundation
import OkaeriTestSupport
import Testing

@testable import OkaeriHistory

/// Files that are not a history, or not any more. Nothing traps; a damaged file is distinguished from a foreign one.
@Suite struct HostileFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func contents(_ file: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(filePath: file))) }

    private func write(_ bytes: [UInt8]) throws {
        for name in try folder.names { try FileManager.default.removeItem(atPath: "\(folder.path)/\(name)") }
        try Data(bytes).write(to: URL(filePath: folder.history))
    }

    /// Opens, records and reads what is there; sets it aside where it is damaged, as the daemon does. Returns whether
    /// that was needed.
    private func live() throws -> Bool {
        do {
            let store = try folder.store()
            try store.record([exit("home", at: hour(1))], [])
            _ = try folder.events()
            _ = try folder.reader().day(from: hour(0), to: hour(24), now: hour(24))
            return false
        } catch HistoryError.damaged {
            let name = try HistoryStore.setAside(directory: folder.path, stamp: "now")
            #expect(FileManager.default.fileExists(atPath: name))
            try folder.store().record([exit("home", at: hour(1))], [])
            #expect(try folder.events() == [exit("home", at: hour(1))])
            return true
        }
    }

    @Test func `a file cut at any length is set aside, and work goes on`() throws {
        try folder.fill()
        let whole = try contents(folder.history)
        var generator = SeededGenerator(seed: 1)
        let lengths = [1, 15, 16, 99, 100, 4095, 4096, 4097, whole.count - 1]
        for length in lengths + (0..<40).map({ _ in Int.random(in: 1..<whole.count, using: &generator) }) {
            try write(Array(whole[..<length]))
            // SQLite takes a few bytes for an empty file, and does not miss the unused end of the last page.
            let isDamage = length >= 16 && length <= whole.count - 4096
            let wasSetAside = try live()
            if isDamage { #expect(wasSetAside, "\(length) of \(whole.count) bytes") }
        }
    }

    @Test func `an empty file is a new history`() throws {
        try write([])
        #expect(try !live())
    }

    @Test func `random bytes are set aside`() throws {
        var generator = SeededGenerator(seed: 2)
        for count in [16, 100, 4096, 20_000] {
            try write(generator.bytes(count))
            #expect(try live(), "\(count) bytes")
        }
    }

    @Test func `bytes changed in its midst neither trap nor hang`() throws {
        try folder.fill()
        let whole = try contents(folder.history)
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<60 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...200, using: &generator) {
                bytes[Int.random(in: bytes.indices, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            try write(bytes)
            do {
                _ = try live()
            } catch let error as HistoryError {
                // A changed origin or a changed name of a migration cannot be detected as damage.
                #expect(!error.description.isEmpty)
            }
        }
    }

    @Test func `a log that is cut at any length costs its last commits at most`() throws {
        let store = try folder.store()
        let events = (0..<20).map { exit("home", at: hour(Double($0))) }
        for event in events { try store.record([event], []) }
        let (database, log) = (try contents(folder.history), try contents(folder.history + "-wal"))
        var generator = SeededGenerator(seed: 4)
        var seen: Set<Int> = []
        for length in (0..<60).map({ _ in Int.random(in: 0...log.count, using: &generator) }) + [log.count] {
            let other = try TemporaryFolder()
            try Data(database).write(to: URL(filePath: other.history))
            try Data(log[..<length]).write(to: URL(filePath: other.history + "-wal"))
            let reopened = try other.store()
            let kept = try other.events()
            #expect(kept == Array(events.prefix(kept.count)))
            seen.insert(kept.count)
            try reopened.record([exit("work", at: hour(30))], [])
            #expect(try other.events().last?.region == "work")
        }
        #expect(seen.contains(20) && seen.count > 5)
    }

    @Test func `another program's database is left alone`() throws {
        let connection = try SQLiteConnection(file: folder.history, mode: .readWrite)
        try connection.execute("CREATE TABLE cookies (name TEXT)")
        let before = try contents(folder.history)
        #expect(throws: HistoryError.foreign(file: folder.history)) { try folder.store() }
        #expect(throws: HistoryError.foreign(file: folder.history)) { try folder.reader() }
        #expect(try contents(folder.history) == before)
    }

    @Test func `a folder that is missing, or is not one, is reported as such`() throws {
        for path in ["\(folder.path)/none", "/dev/null"] {
            #expect(throws: HistoryError.self) { try HistoryStore(directory: path, durability: .process) }
            do throws(HistoryError) {
                _ = try HistoryReader(directory: path)
                Issue.record("\(path) was read")
            } catch {
                #expect(error == .missing(file: "\(path)/history.sqlite"))
                #expect(error.description.contains("--state-dir"))
            }
        }
    }

    @Test func `a folder in place of the file is reported as such`() throws {
        try FileManager.default.createDirectory(atPath: folder.history, withIntermediateDirectories: false)
        do throws(HistoryError) {
            _ = try HistoryStore(directory: folder.path, durability: .process)
            Issue.record("a folder was opened")
        } catch {
            #expect(error == .notAFile(file: folder.history))
        }
    }

    @Test func `a lock on the database does not delay the readers`() throws {
        try folder.fill(3)
        let other = try SQLiteConnection(file: folder.history, mode: .readWrite)
        try other.execute("BEGIN IMMEDIATE")
        #expect(try folder.events().count == 3)
    }

    @Test func `what is set aside takes its log along`() throws {
        let store = try folder.store()
        try store.record([exit("home", at: hour(1))], [])
        let name = try HistoryStore.setAside(directory: folder.path, stamp: "20261120T000000Z")
        #expect(name == folder.history + ".damaged-20261120T000000Z")
        #expect(try folder.names.count == 3)
        #expect(try folder.names.allSatisfy { $0.hasPrefix("history.sqlite.damaged-") })
        #expect(throws: HistoryError.self) { try HistoryStore.setAside(directory: folder.path, stamp: "x") }
        withExtendedLifetime(store) {}
    }
}
