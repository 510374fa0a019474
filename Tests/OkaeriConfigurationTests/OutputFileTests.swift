import Foundation
import OkaeriTestSupport
import SystemPackage
import Testing

@testable import OkaeriConfiguration

/// The files that commands write, in directories that change meanwhile.
@Suite struct OutputFileTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        for name in ["own", "victim"] {
            try FileManager.default.createDirectory(
                atPath: "\(folder.path)/\(name)", withIntermediateDirectories: true)
        }
        _ = try folder.file("victim/x", Array("precious".utf8))
    }

    @Test func `a file is removed in the directory in which it was made, wherever its path leads now`() throws {
        let output = try OutputFile(creating: "\(folder.path)/own/x", permissions: .ownerReadWrite)
        rename("\(folder.path)/own", "\(folder.path)/moved")
        symlink("victim", "\(folder.path)/own")
        output.remove()
        #expect(folder.text("victim/x") == "precious" && folder.text("moved/x") == nil)
    }

    @Test func `another file that has the name now is left`() throws {
        let output = try OutputFile(creating: "\(folder.path)/own/x", permissions: .ownerReadWrite)
        rename("\(folder.path)/own/x", "\(folder.path)/own/y")
        _ = try folder.file("own/x", Array("another".utf8))
        output.remove()
        #expect(folder.text("own/x") == "another" && folder.text("own/y") == "")
    }

    @Test func `an existing file and a link are left`() throws {
        symlink("../victim/x", "\(folder.path)/own/link")
        for name in ["own/link", "victim/x"] {
            #expect(throws: FilePlace.Problem.failed(.fileExists)) {
                try OutputFile(creating: "\(folder.path)/\(name)", permissions: .ownerReadWrite)
            }
        }
        #expect(throws: FilePlace.Problem.failed(.noSuchFileOrDirectory)) {
            try OutputFile(creating: "\(folder.path)/none/x", permissions: .ownerReadWrite)
        }
        #expect(folder.text("victim/x") == "precious")
    }

    @Test func `a file is replaced as a whole, and keeps its mode`() throws {
        chmod("\(folder.path)/victim/x", 0o640)
        let old = try FileDescriptor.open("\(folder.path)/victim/x", .readOnly)
        defer { try? old.close() }
        try OutputFile.write(
            Array("new".utf8), to: "\(folder.path)/victim/x", permissions: [.ownerReadWrite, .otherRead])
        #expect(folder.text("victim/x") == "new")
        #expect(try old.contents(limit: 100) == Array("precious".utf8), "the former file is not written")
        let mode =
            try FileManager.default.attributesOfItem(atPath: "\(folder.path)/victim/x")[.posixPermissions] as? Int
        #expect(mode == 0o640)
    }

    @Test func `a file beside the output stays, whatever its name`() throws {
        _ = try folder.file("own/x.new", Array("another".utf8))
        for text in ["first", "second"] {
            try OutputFile.write(Array(text.utf8), to: "\(folder.path)/own/x", permissions: .ownerReadWrite)
        }
        #expect(folder.text("own/x") == "second" && folder.text("own/x.new") == "another")
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/own").count == 2)
    }

    @Test func `a pipe receives the content, and a folder is refused`() throws {
        let pipe = "\(folder.path)/pipe"
        mkfifo(pipe, 0o600)
        let reader = try FileDescriptor.open(FilePath(pipe), .readOnly, options: .nonBlocking)
        defer { try? reader.close() }
        try OutputFile.write(Array("words".utf8), to: pipe, permissions: .ownerReadWrite)
        #expect(try reader.contents(limit: 100) == Array("words".utf8))
        #expect(throws: FilePlace.Problem.notAFile) {
            try OutputFile.write([], to: "\(folder.path)/own", permissions: .ownerReadWrite)
        }
    }

    @Test(.enabled(if: geteuid() == 0))
    func `root writes no file where another user can exchange it`() throws {
        let own = "\(folder.path)/own"
        chown(own, 65534, 65534)
        let refusal = FilePlace.Problem.foreign(path: own, user: 65534)
        #expect(throws: refusal) { try OutputFile(creating: "\(own)/x", permissions: .ownerReadWrite) }
        #expect(throws: refusal) { try OutputFile.write([], to: "\(own)/x", permissions: .ownerReadWrite) }
        #expect(throws: refusal) { try OkaeriConfiguration.OutputStream.opened(at: "\(own)/x") }
        // A link of another user in a directory like /tmp.
        chmod("\(folder.path)/victim", 0o1777)
        symlink("x", "\(folder.path)/victim/link")
        lchown("\(folder.path)/victim/link", 65534, 65534)
        #expect(throws: FilePlace.Problem.self) {
            try OutputFile.write([], to: "\(folder.path)/victim/link", permissions: .ownerReadWrite)
        }
        #expect(folder.text("victim/x") == "precious")
        #expect(throws: InstanceLock.Failure.self) { try InstanceLock(socket: "\(own)/s") }
        #expect(try folder.names == ["own", "victim"] && folder.text("own/s.lock") == nil)
    }
}
