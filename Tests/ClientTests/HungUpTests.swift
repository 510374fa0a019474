import NIOCore
import NIOPosix
import OkaeriTestSupport
import Testing

@testable import OkaeriClient
@testable import OkaeriEvents

/// A daemon that takes a connection and gives it up.
@Suite(.timeLimit(.minutes(5))) struct HungUpTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Whether the question is asked before or after that, the sentence is the same.
    @Test func `a client whose connection ends gets the reason`() async throws {
        let socket = "\(folder.path)/okaeri.sock"
        let server = try await ServerBootstrap(group: .oneLoop)
            .childChannelInitializer { $0.close() }
            .bind(unixDomainSocketPath: socket).get()
        for _ in 0..<50 {
            let failure = await #expect(throws: APIClient.Failure.self) {
                try await APIClient(socket: socket).text("/v1/status")
            }
            #expect(failure?.description.contains("it closed the connection, or sent nothing for 10 seconds") == true)
            // A stream is waited for longer; where all of the question was still sent, it has just ended.
            do {
                try await APIClient(socket: socket).stream(after: nil) { _ in true }
            } catch {
                #expect(error.description.contains("it closed the connection, or sent nothing for 45 seconds"))
            }
        }
        try await server.close()
    }
}

/// A daemon that takes a request and does not answer.
@Suite(.timeLimit(.minutes(5))) struct SilentDaemonTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var socket: String { "\(folder.path)/okaeri.sock" }

    /// Runs the daemon while `body` asks it.
    private func withSilence(_ body: () async throws -> Void) async throws {
        let server = try await ServerBootstrap(group: .oneLoop)
            .childChannelInitializer { $0.eventLoop.makeSucceededVoidFuture() }
            .bind(unixDomainSocketPath: socket).get()
        try await body()
        try await server.close()
    }

    @Test func `a client gives up at its time limit`() async throws {
        try await withSilence {
            let failure = await #expect(throws: APIClient.Failure.self) {
                try await APIClient(socket: socket, timeLimit: 1).text("/v1/status")
            }
            #expect(failure?.description.contains("sent nothing for 1 seconds") == true)
        }
    }

    @Test func `a task that is cancelled does not wait for the time limit`() async throws {
        try await withSilence {
            let client = APIClient(socket: socket, timeLimit: 3600)
            let question = Task { try await client.text("/v1/status") }
            question.cancel()
            await #expect(throws: APIClient.Failure.self) { try await question.value }
        }
    }

    @Test func `a path that fits into no address has its reason`() async {
        let path = "/" + String(repeating: "x", count: 107)
        let failure = await #expect(throws: APIClient.Failure.self) {
            try await APIClient(socket: path).text("/v1/status")
        }
        #expect(failure?.description.contains("its path is longer than 107 bytes") == true)
    }

    @Test func `an answer that is not HTTP has its reason`() async throws {
        let server = try await ServerBootstrap(group: .oneLoop)
            .childChannelInitializer { $0.pipeline.addHandler(Greeting()) }
            .bind(unixDomainSocketPath: socket).get()
        let failure = await #expect(throws: APIClient.Failure.self) {
            try await APIClient(socket: socket).text("/v1/status")
        }
        #expect(failure?.description.contains("its answer is not one of HTTP") == true)
        try await server.close()
    }
}

/// Sends a line at once, as SSH does.
private final class Greeting: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer

    func channelActive(context: ChannelHandlerContext) {
        context.writeAndFlush(NIOAny(ByteBuffer(string: "SSH-2.0-OpenSSH_9.2\r\n")), promise: nil)
    }
}
