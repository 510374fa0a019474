import FoundationEssentials
import Glibc
import TestSupport
import Testing

@testable import OkaeriConfiguration

/// Of two programs only one writes in a state directory.
@Suite struct StateLockTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func failure(_ directory: String) -> StateLock.Failure? {
        do throws(StateLock.Failure) {
            _ = try StateLock(directory: directory)
            return nil
        } catch {
            return error
        }
    }

    @Test func `a state directory has one owner, under whatever name, until that is gone`() throws {
        let directory = "\(folder.path)/a/state"
        var first: StateLock? = try StateLock(directory: directory)
        symlink(directory, "\(folder.path)/other")
        for name in [directory, "\(folder.path)/other"] {
            guard case .taken = failure(name) else {
                Issue.record("\(name) was taken twice")
                continue
            }
        }
        withExtendedLifetime(first) {}
        first = nil
        #expect(failure(directory) == nil)
    }

    @Test func `another directory is free`() throws {
        let first = try StateLock(directory: "\(folder.path)/a")
        #expect(failure("\(folder.path)/b") == nil)
        withExtendedLifetime(first) {}
    }

    @Test func `root leaves no file in the state directory of another user`() throws {
        guard geteuid() == 0 else { return }
        let directory = "\(folder.path)/state"
        mkdir(directory, 0o750)
        chown(directory, 1234, 1234)
        guard case .foreign(directory, user: 1234) = failure(directory) else {
            Issue.record("the directory was used")
            return
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory).isEmpty)
    }

    @Test func `a link in place of the lock is not followed, and a directory that cannot be made is said`() throws {
        let letter = try folder.file("letter.txt", Array("dear".utf8))
        mkdir("\(folder.path)/state", 0o700)
        symlink(letter, "\(folder.path)/state/okaeri.lock")
        for place in ["\(folder.path)/state", letter, "/dev/null/state"] {
            let error = failure(place)
            guard case .unusable = error else {
                Issue.record("\(place): \(String(describing: error))")
                continue
            }
            #expect(error?.description.hasPrefix("cannot lock \(place): ") == true)
        }
        #expect(try Data(contentsOf: URL(filePath: letter)) == Data("dear".utf8))
    }
}
