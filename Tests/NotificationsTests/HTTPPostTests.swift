import Foundation
import OkaeriPlumbing
import OkaeriTestSupport
import Testing

@testable import OkaeriAutomation

/// Requests to a server on loopback, by the libcurl of this machine.
@Suite(.timeLimit(.minutes(5))) struct HTTPPostTests {
    private func send(
        _ url: String, _ body: String = "{}", token: String? = nil, total: Duration = .seconds(60),
        cancellation: HTTPPost.Cancellation = HTTPPost.Cancellation()
    ) async -> DeliveryProblem? {
        var limits = HTTPPost.Limits()
        (limits.connect, limits.total) = (total, total)
        let post = HTTPPost(url: url, body: Array(body.utf8), tokenFile: token, limits: limits)
        do throws(DeliveryProblem) {
            try await BlockingThread.run(DeliveryProblem.noThread) { () throws(DeliveryProblem) in
                try post.send(cancellation)
            }
            return nil
        } catch {
            return error
        }
    }

    @Test func `a request carries its content and the token of the file`() async throws {
        let folder = try TemporaryFolder()
        let token = try folder.file("token", Array("tk_secret\n".utf8))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: token)
        let server = try TestWebServer { _ in .text(200, "fine") }
        let problem = await send("\(server.address)/hook?key=1", #"{"a":"ä"}"#, token: token)
        #expect(problem == nil)
        let request = try #require(server.requests.value.first)
        #expect(request.head.hasPrefix("POST /hook?key=1 HTTP/1.1\r\n") && request.body == #"{"a":"ä"}"#)
        #expect(request.head.contains("Content-Type: application/json"))
        #expect(request.head.contains("Authorization: Bearer tk_secret") && !request.head.contains("Expect"))
    }

    @Test(arguments: [(401, false), (404, false), (408, true), (429, true), (500, true), (503, true)])
    func `a status that is not a success is a problem`(status: Int, isPassing: Bool) async throws {
        let server = try TestWebServer { _ in .status(status) }
        let problem = await send(server.address)
        #expect(problem == .status(status) && problem?.isPassing == isPassing)
        #expect(problem?.description.contains("\(status)") == true)
    }

    @Test func `a redirection is not followed`() async throws {
        let other = try TestWebServer { _ in .status(200) }
        let server = try TestWebServer { [address = other.address] _ in
            .text(302, fields: "Location: \(address)/\r\n", "")
        }
        #expect(await send(server.address) == .status(302))
        #expect(other.requests.value.isEmpty)
    }

    @Test func `a server that does not answer is left after the limit`() async throws {
        let server = try TestWebServer { _ in .silence }
        #expect(await send(server.address, total: .milliseconds(200)) == .timedOut)
    }

    @Test func `an endless answer is not read, and its status counts`() async throws {
        let server = try TestWebServer { .endless($0 == 0 ? 200 : 500) }
        #expect(await send(server.address) == nil)
        #expect(await send(server.address) == .status(500))
    }

    @Test func `a request ends when it is cancelled`() async throws {
        let server = try TestWebServer { _ in .silence }
        let cancellation = HTTPPost.Cancellation()
        let sent = Task { await send(server.address, total: .seconds(3600), cancellation: cancellation) }
        try await server.requests.wait(until: "the request has arrived") { $0.count == 1 }
        cancellation.cancel()
        // CURLE_ABORTED_BY_CALLBACK
        #expect(await sent.value == .failed(code: 42))
    }

    @Test func `a server that does not listen, and other protocols`() async throws {
        #expect(await send("http://127.0.0.1:\(try freePort())") == .unreachable)
        #expect(await send("file:///etc/passwd") == .failed(code: 1))
    }

    @Test func `a certificate without a trusted authority is rejected`() async throws {
        let folder = try TemporaryFolder()
        func openssl(_ arguments: String) throws -> ChildProcess {
            let process = ChildProcess()
            process.executableURL = URL(filePath: "/usr/bin/openssl")
            process.arguments = arguments.split(separator: " ").map(String.init)
            process.currentDirectoryURL = URL(filePath: folder.path)
            (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
            try process.run()
            return process
        }
        try openssl(
            "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=localhost -keyout key.pem -out cert.pem"
        ).waitUntilExit()
        let port = try freePort()
        let server = try openssl("s_server -accept 127.0.0.1:\(port) -cert cert.pem -key key.pem -www")
        defer { kill(server.processIdentifier, SIGKILL) }
        try await eventually("the server listens") { await send("https://127.0.0.1:\(port)/") != .unreachable }
        #expect(await send("https://127.0.0.1:\(port)/") == .untrusted)
    }

    @Test func `a token file for other users, and one with a line of a field, are not used`() async throws {
        let folder = try TemporaryFolder()
        let open = try folder.file("open", Array("secret".utf8))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: open)
        let forged = try folder.file("forged", Array("secret\r\nX-Other: 1".utf8))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: forged)
        let server = try TestWebServer { _ in .status(200) }
        for (file, words) in [(open, "other users can access it"), (forged, "control characters")] {
            let problem = await send(server.address, token: file)
            #expect(problem?.description.contains(words) == true && problem?.description.contains("secret") == false)
        }
        #expect(server.requests.value.isEmpty)
    }
}
