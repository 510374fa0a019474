import FoundationEssentials
import Glibc
@testable import OkaeriConfiguration
import OkaeriPlumbing
import OkaeriTestSupport
import SystemPackage
import Testing

@Suite struct ConfigurationFileTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = "\(folder.path)/beacons.json"
    }

    private func mode(_ name: String) -> mode_t? {
        var status = stat()
        return lstat("\(folder.path)/\(name)", &status) == 0 ? status.st_mode & 0o7777 : nil
    }

    @Test func `a new file, then another with the one before beside it`() throws {
        let file = ConfigurationFile(path)
        #expect(file.obstacle == nil)
        #expect(try file.text() == nil)
        #expect(try file.write("one", replacing: nil) == nil)
        #expect(mode("beacons.json") == 0o644)
        #expect(chmod(path, 0o640) == 0)
        #expect(try file.write("two", replacing: "one") == "\(path).bak")
        #expect(try file.write("two", replacing: "two") == nil, "nothing was to be written")
        #expect(try file.text() == "two")
        #expect(folder.text("beacons.json.bak") == "one")
        #expect((mode("beacons.json"), mode("beacons.json.bak")) == (0o640, 0o640))
        #expect(try folder.names == ["beacons.json", "beacons.json.bak"])
    }

    @Test(.enabled(if: geteuid() == 0))
    func `the owner stays`() throws {
        let file = ConfigurationFile(try folder.file("beacons.json", Array("one".utf8)))
        #expect(chown(path, 1234, 2345) == 0)
        try file.write("two", replacing: "one")
        var status = stat()
        #expect(lstat(path, &status) == 0)
        #expect((status.st_uid, status.st_gid) == (1234, 2345))
    }

    @Test func `a change of another program meanwhile is not lost`() throws {
        let file = ConfigurationFile(try folder.file("beacons.json", Array("theirs".utf8)))
        let changed = WriteObstacle(file: path, problem: .changed)
        #expect(throws: changed) { try file.write("new", replacing: "one") }
        #expect(throws: changed) { try file.write("new", replacing: nil) }
        // Canonically equivalent is not the same.
        let composed = ConfigurationFile(try folder.file("beacons.json", Array("\u{E9}".utf8)))
        #expect(throws: changed) { try composed.write("new", replacing: "e\u{301}") }
        unlink(path)
        #expect(throws: changed) { try file.write("new", replacing: "one") }
        #expect(try folder.names.isEmpty)
    }

    @Test func `a link stays a link`() throws {
        try FileManager.default.createDirectory(atPath: "\(folder.path)/d", withIntermediateDirectories: false)
        #expect(symlink("b", "\(folder.path)/d/a") == 0)
        #expect(symlink("d/a", path) == 0)
        let file = ConfigurationFile(path)
        #expect(file.target == "\(folder.path)/d/b")
        try file.write("one", replacing: nil)
        try file.write("two", replacing: "one")
        #expect((folder.text("beacons.json"), folder.text("d/b"), folder.text("d/b.bak")) == ("two", "two", "one"))
        #expect(mode("beacons.json") == 0o777)
    }

    @Test func `links in a circle, a directory and a pipe are not files`() throws {
        #expect(symlink("beacons.json", path) == 0)
        #expect(mkdir("\(folder.path)/d", 0o755) == 0)
        #expect(mkfifo("\(folder.path)/p", 0o644) == 0)
        for name in ["beacons.json", "d", "p"] {
            let file = ConfigurationFile("\(folder.path)/\(name)")
            #expect(file.obstacle?.problem == .notAFile)
            #expect(throws: ConfigurationError.self) { try file.text() }
            #expect(throws: WriteObstacle.self) { try file.write("new", replacing: nil) }
        }
        #expect(try folder.names == ["beacons.json", "d", "p"])
    }

    @Test func `a folder is made, two are not`() throws {
        let file = ConfigurationFile("\(folder.path)/etc/beacons.json")
        #expect(file.obstacle == nil)
        try file.write("one", replacing: nil)
        #expect(mode("etc") == 0o755)
        let deeper = ConfigurationFile("\(folder.path)/a/b/beacons.json")
        #expect(deeper.obstacle?.problem == .failed(.noSuchFileOrDirectory))
        let behindFile = ConfigurationFile("\(folder.path)/etc/beacons.json/beacons.json")
        #expect(behindFile.obstacle?.problem == .failed(.notDirectory))
    }

    @Test func `another's file is another's`() throws {
        let file = ConfigurationFile(try folder.file("beacons.json", []))
        #expect(file.obstacle(user: 4321)?.problem == .foreign(user: geteuid()))
        #expect(file.obstacle(user: 0) == nil)
    }

    /// Root acts upon nothing that another user can exchange.
    @Test(.enabled(if: geteuid() == 0))
    func `root does not write in a directory of another user, nor in one that others may write`() throws {
        _ = try folder.file("beacons.json", Array("one".utf8))
        func refuses(_ path: String, _ place: Comment) {
            let file = ConfigurationFile(path)
            guard case .untrusted? = file.obstacle?.problem else {
                Issue.record("\(place): \(String(describing: file.obstacle))")
                return
            }
            #expect(throws: ConfigurationError.self, place) { try file.text() }
            #expect(throws: WriteObstacle.self, place) { try file.write("two", replacing: "one") }
        }
        #expect(chown(folder.path, 1234, 1234) == 0)
        refuses(path, "the directory of another user")
        #expect(chown(folder.path, 0, 0) == 0)
        #expect(chmod(folder.path, 0o777) == 0)
        refuses(path, "a directory that all may write")
        #expect(chmod(folder.path, 0o755) == 0)
        let inner = "\(folder.path)/theirs"
        #expect(mkdir(inner, 0o755) == 0 && mkdir("\(inner)/own", 0o755) == 0 && chown(inner, 1234, 1234) == 0)
        refuses("\(inner)/own/beacons.json", "below a directory of another user")
        #expect(symlink(path, "\(folder.path)/link") == 0 && lchown("\(folder.path)/link", 1234, 1234) == 0)
        refuses("\(folder.path)/link", "a link of another user")
        #expect(folder.text("beacons.json") == "one")
        #expect(try folder.names == ["beacons.json", "link", "theirs"])
    }

    @Test(.enabled(if: geteuid() == 0))
    func `root writes in the directory that was examined, whatever the path leads to meanwhile`() throws {
        #expect(mkdir("\(folder.path)/own", 0o755) == 0 && mkdir("\(folder.path)/other", 0o755) == 0)
        let place = try FilePlace("\(folder.path)/own/beacons.json")
        #expect(rename("\(folder.path)/own", "\(folder.path)/moved") == 0)
        #expect(symlink("other", "\(folder.path)/own") == 0)
        try FileDescriptor.replaceFile(
            place.name, in: place.directory.number, with: Array("one".utf8), permissions: [.ownerReadWrite])
        #expect(folder.text("moved/beacons.json") == "one" && folder.text("other/beacons.json") == nil)
    }

    @Test func `bytes that are not text are not lost`() throws {
        let file = ConfigurationFile(try folder.file("beacons.json", Array("{\"".utf8) + [0xFF] + Array("\": 1}".utf8)))
        #expect(throws: ConfigurationError.self) { try file.text() }
    }

    @Test func `an interrupted write is not an obstacle`() throws {
        _ = try folder.file("beacons.json.new", Array("half".utf8))
        try ConfigurationFile(path).write("one", replacing: nil)
        #expect(try folder.names == ["beacons.json"])
    }

    @Test(arguments: [
        WriteObstacle.Problem.notAFile, .foreign(user: 0), .untrusted(.open(path: "/etc/okaeri")), .changed,
        .failed(.readOnlyFileSystem),
        .failed(.permissionDenied), .failed(.resourceBusy), .failed(.noSpace), .failed(.ioError),
    ])
    func `every obstacle names the file`(problem: WriteObstacle.Problem) {
        #expect(WriteObstacle(file: "/etc/okaeri/beacons.json", problem: problem).description.contains("/etc/okaeri/"))
    }
}
