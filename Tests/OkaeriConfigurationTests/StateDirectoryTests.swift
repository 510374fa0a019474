import FoundationEssentials
import Glibc
import OkaeriTestSupport
import SystemPackage
import Testing

@testable import OkaeriConfiguration

@Suite struct StateDirectoryTests {
    @Test func `the daemon takes the first place that is set`() {
        var environment = ["HOME": "/home/pi"]
        func place(_ named: String? = nil, isRoot: Bool = false) -> String {
            StateDirectory.forDaemon(named: named, environment: environment, isRoot: isRoot)
        }
        #expect(place() == "/home/pi/.local/state/okaeri")
        #expect(place(isRoot: true) == "/var/lib/okaeri")
        environment["XDG_STATE_HOME"] = "state"
        #expect(place() == "/home/pi/.local/state/okaeri", "a relative path is to be ignored")
        environment["XDG_STATE_HOME"] = "/home/pi/state"
        #expect(place() == "/home/pi/state/okaeri")
        environment["STATE_DIRECTORY"] = "/var/lib/okaeri:/var/lib/other"
        #expect(place() == "/var/lib/okaeri")
        #expect(place("here") == "here")
        environment = [:]
        #expect(place() == "/var/lib/okaeri", "a user without a home")
    }

    @Test func `a client takes the first place that holds what it looks for`() throws {
        let folder = try TemporaryFolder()
        let (own, other) = ("\(folder.path)/own", "\(folder.path)/other/okaeri")
        for path in [own, other] { try StateDirectory.make(path) }
        _ = try folder.file("other/okaeri/kept", [])
        let environment = ["STATE_DIRECTORY": own, "XDG_STATE_HOME": "\(folder.path)/other"]
        func place(_ file: String) -> String {
            StateDirectory.forClient(named: nil, environment: environment, isRoot: false, holding: file)
        }
        #expect(place("kept") == other)
        #expect(place("never kept") == own, "to be named when nothing is there")
    }

    /// Root may search every folder, so the process becomes another user.
    @Test func `a client takes a place that it may not search before one without the file`() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let (own, other) = ("\(folder.path)/own", "\(folder.path)/other/okaeri")
            for path in [own, other] { try StateDirectory.make(path) }
            for path in [folder.path, own, "\(folder.path)/other"] { #expect(chmod(path, 0o755) == 0) }
            #expect(chmod(other, 0) == 0)
            if geteuid() == 0 { #expect(setuid(65534) == 0) }
            let environment = ["STATE_DIRECTORY": own, "XDG_STATE_HOME": "\(folder.path)/other"]
            let place = StateDirectory.forClient(
                named: nil, environment: environment, isRoot: false, holding: "state.json")
            #expect(place == other)
        }
    }

    @Test func `the directory is made with those above it, for the owner and the group`() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/a/b/c"
        for _ in 0..<2 { try StateDirectory.make(path) }
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        let mode = try #require(attributes[.posixPermissions] as? Int)
        #expect(mode & 0o027 == 0 && mode & 0o700 == 0o700)
    }

    @Test func `an obstacle is reported`() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("file", [])
        for path in [file, "\(file)/state", ""] { #expect(throws: Errno.self) { try StateDirectory.make(path) } }
    }
}
