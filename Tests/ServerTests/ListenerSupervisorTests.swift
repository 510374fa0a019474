import Glibc
import HCI
import NIOPosix
import OkaeriDaemonTestSupport
import OkaeriPlumbing
import OkaeriTestSupport
import Testing

@testable import OkaeriClient
@testable import OkaeriEvents
@testable import OkaeriServer

/// The address of a listener changes while the daemon runs.
@Suite(.timeLimit(.minutes(5))) struct ListenerSupervisorTests {
    private let book = LogBook()
    private let listeners = Listeners()
    /// The number of listeners that were made.
    private let started = Watched(0)

    private func run(
        _ port: UInt16?, _ body: (ListenerSupervisor<ListenAddress>) async throws -> Void
    ) async throws {
        let supervisor = ListenerSupervisor(
            "metrics", try port.map(address), address: { $0 }, listeners: listeners, logger: book.logger
        ) { [book, started] address, listeners in
            started.change { $0 += 1 }
            return MetricsServer(
                Backend(hub: EventHub()).endpoints(), address: address, names: ["pi"],
                listeners: listeners, eventLoopGroup: MultiThreadedEventLoopGroup.oneLoop, logger: book.logger)
        }
        try await running({ try await supervisor.run() }) { try await body(supervisor) }
    }

    private func address(_ port: UInt16) throws -> ListenAddress { try #require(ListenAddress("127.0.0.1:\(port)")) }

    private func served(_ port: UInt16) async throws {
        try await eventually("port \(port) is served") {
            listeners.reports?.map(\.address) == ["127.0.0.1:\(port)"] && listeners.reports?.first?.problem == nil
        }
    }

    private func answers(_ port: UInt16) async throws -> Bool {
        guard let client = try? RawClient(port: port), (try? client.connect()) != nil else { return false }
        client.send("GET /v1/health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
        try await eventually("the server closes the connection") { client.isClosedByPeer }
        return client.received.hasPrefix("HTTP/1.1 200")
    }

    @Test func `a listener moves to another port, and the former port is closed`() async throws {
        let (first, second) = (try freePort(), try freePort())
        try await run(first) { supervisor in
            try await served(first)
            supervisor.set(try address(second))
            try await served(second)
            #expect(try await answers(second))
            try await eventually("the former port is closed") { try await !answers(first) }
            #expect(listeners.reports?.first?.refused == nil)
        }
    }

    @Test func `a port that another program has leaves the listener where it is, and that is reported`() async throws {
        let (first, taken) = (try freePort(), try LoopbackListener())
        try await run(first) { supervisor in
            try await served(first)
            supervisor.set(try address(taken.port))
            try await eventually("the refusal is reported") {
                listeners.reports?.first?.refused?.hasPrefix(
                    "127.0.0.1:\(taken.port) cannot be opened: another program")
                    == true
            }
            #expect(listeners.reports?.map(\.address) == ["127.0.0.1:\(first)"])
            #expect(try await answers(first))
            #expect(book.count("metrics stays on 127.0.0.1:\(first)") == 1)
            // The same file, read again after the other program has ended.
            taken.close()
            supervisor.set(try address(taken.port))
            try await served(taken.port)
            #expect(listeners.reports?.first?.refused == nil)
        }
    }

    @Test func `the former address is not a problem once it is configured again`() async throws {
        let (first, taken) = (try freePort(), try LoopbackListener())
        try await run(first) { supervisor in
            try await served(first)
            supervisor.set(try address(taken.port))
            try await eventually("the refusal is reported") { listeners.reports?.first?.refused != nil }
            supervisor.set(try address(first))
            try await eventually("the refusal is over") { listeners.reports?.first?.refused == nil }
            #expect(try await answers(first))
        }
        taken.close()
    }

    @Test func `an address of all interfaces replaces one of this machine on the same port`() async throws {
        let port = try freePort()
        try await run(port) { supervisor in
            try await served(port)
            let all: ListenAddress = try #require(ListenAddress("0.0.0.0:\(port)"))
            supervisor.set(all)
            try await eventually("all addresses are served") {
                listeners.reports?.map(\.address) == ["0.0.0.0:\(port)"] && listeners.reports?.first?.problem == nil
            }
            #expect(try await answers(port))
        }
    }

    @Test func `a program that is being started and holds the former listener delays the new one only`() async throws {
        let port = try freePort()
        try await run(port) { supervisor in
            try await served(port)
            let held = try #require((3..<4096).first { listens(Int32($0), on: port) }.map { dup(Int32($0)) })
            let all: ListenAddress = try #require(ListenAddress("0.0.0.0:\(port)"))
            supervisor.set(all)
            // The first one, one beside it, one in its place, which the copy prevents, and the next attempt.
            try await started.wait(until: "an attempt in place of the former listener has failed") { $0 >= 4 }
            close(held)
            try await eventually("all addresses are served") {
                listeners.reports?.map(\.address) == ["0.0.0.0:\(port)"] && listeners.reports?.first?.problem == nil
            }
            #expect(listeners.reports?.first?.refused == nil)
        }
    }

    private func listens(_ descriptor: Int32, on port: UInt16) -> Bool {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isNamed = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) == 0 }
        }
        var listens: Int32 = 0
        size = socklen_t(MemoryLayout<Int32>.size)
        return isNamed && address.sin_port == port.bigEndian
            && getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) == 0 && listens != 0
    }

    @Test func `a listener comes and goes with its key`() async throws {
        let port = try freePort()
        try await run(nil) { supervisor in
            #expect(listeners.reports == nil)
            supervisor.set(try address(port))
            try await served(port)
            supervisor.set(nil)
            try await eventually("there is no listener") { listeners.reports == nil }
            #expect(try await !answers(port))
        }
    }
}
