import FoundationEssentials
import Glibc
import OkaeriTestSupport
import Testing

@testable import OkaeriConfiguration

@Suite struct SocketTests {
    @Test func `the daemon takes the first place that is set`() {
        var environment: [String: String] = [:]
        func place(_ named: String? = nil) -> String { SocketPath.forDaemon(named: named, environment: environment) }
        #expect(place() == "/run/okaeri/okaeri.sock")
        environment["XDG_RUNTIME_DIR"] = ""
        #expect(place() == "/run/okaeri/okaeri.sock", "set to nothing is not set")
        environment["XDG_RUNTIME_DIR"] = "/run/user/1000"
        #expect(place() == "/run/user/1000/okaeri.sock")
        environment["RUNTIME_DIRECTORY"] = "/run/okaeri:/run/other"
        #expect(place() == "/run/okaeri/okaeri.sock")
        environment["OKAERI_SOCKET"] = "/tmp/x"
        #expect(place() == "/tmp/x")
        #expect(place("/tmp/y") == "/tmp/y")
    }

    @Test func `a client takes the first place that exists`() throws {
        let folder = try TemporaryFolder()
        let here = try folder.file("okaeri.sock", [])
        var environment = ["OKAERI_SOCKET": "\(folder.path)/none", "XDG_RUNTIME_DIR": folder.path]
        #expect(SocketPath.forClient(named: nil, environment: environment) == here)
        environment["XDG_RUNTIME_DIR"] = nil
        #expect(SocketPath.forClient(named: "/tmp/y", environment: environment) == "/tmp/y")
    }

    @Test func `a lock is one daemon's, and free when that is gone`() throws {
        let folder = try TemporaryFolder()
        let socket = "\(folder.path)/okaeri.sock"
        var first: InstanceLock? = try InstanceLock(socket: socket)
        #expect(throws: InstanceLock.Failure.self) { try InstanceLock(socket: socket) }
        withExtendedLifetime(first) {}
        first = nil
        _ = try InstanceLock(socket: socket)
    }

    @Test func `a lock that is refused closes its file once: the number may be reused by then`() throws {
        let folder = try TemporaryFolder()
        let socket = "\(folder.path)/okaeri.sock"
        let first = try InstanceLock(socket: socket)
        errno = 0
        let second = try? InstanceLock(socket: socket)
        let code = errno
        #expect(second == nil && code == EWOULDBLOCK)
        withExtendedLifetime(first) {}
    }

    @Test func `what is not a socket is left alone, and reported as an obstacle`() throws {
        let folder = try TemporaryFolder()
        let letter = try folder.file("letter.txt", Array("dear".utf8))
        let link = "\(folder.path)/link"
        symlink(letter, link)
        for place in [letter, link, folder.path] {
            do throws(InstanceLock.Failure) {
                _ = try InstanceLock(socket: place)
                Issue.record("\(place) was taken")
            } catch {
                guard case .occupied = error else {
                    Issue.record("\(error)")
                    continue
                }
            }
        }
        #expect(try Data(contentsOf: URL(filePath: letter)) == Data("dear".utf8))
    }

    @Test func `a place that cannot be made is reported as such, not as a second daemon`() {
        for socket in ["/nowhere/at/all/okaeri.sock", "/dev/null/okaeri.sock"] {
            do throws(InstanceLock.Failure) {
                _ = try InstanceLock(socket: socket)
                Issue.record("\(socket) was made")
            } catch {
                guard case .unusable = error else {
                    Issue.record("\(error)")
                    continue
                }
                #expect(error.description.contains(socket))
            }
        }
    }
}
