import FoundationEssentials
import Glibc
import OkaeriTestSupport
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

    private func refuses(_ directory: String, _ place: Comment) {
        guard case .untrusted(directory, _) = failure(directory) else {
            Issue.record("\(place): the directory was used")
            return
        }
    }

    @Test(.enabled(if: geteuid() == 0))
    func `root leaves no file in a state directory that another user controls`() throws {
        let theirs = "\(folder.path)/theirs"
        #expect(mkdir(theirs, 0o755) == 0 && mkdir("\(theirs)/own", 0o755) == 0 && chown(theirs, 1234, 1234) == 0)
        refuses(theirs, "the directory of another user")
        refuses("\(theirs)/own", "below a directory of another user")
        refuses("\(theirs)/a/b", "missing, below a directory of another user")
        #expect(try FileManager.default.contentsOfDirectory(atPath: theirs) == ["own"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(theirs)/own").isEmpty)
        let own = "\(folder.path)/own"
        #expect(mkdir(own, 0o700) == 0)
        for mode: mode_t in [0o1777, 0o1775, 0o777, 0o770] {
            #expect(chmod(own, mode) == 0)
            refuses(own, "mode \(String(mode, radix: 8))")
        }
        #expect(chmod(own, 0o755) == 0)
        let link = "\(folder.path)/link"
        #expect(symlink(own, link) == 0 && lchown(link, 1234, 1234) == 0)
        refuses(link, "a link of another user")
        #expect(try FileManager.default.contentsOfDirectory(atPath: own).isEmpty)
    }

    @Test(.enabled(if: geteuid() == 0))
    func `root uses its own directory in one that all users may write with the sticky bit`() throws {
        #expect(chmod(folder.path, 0o1777) == 0)
        #expect(failure("\(folder.path)/a/state") == nil)
    }

    @Test func `a link in place of the lock is not followed, and a directory that cannot be made is reported`() throws {
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
