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
