import FoundationEssentials
import Glibc
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOEmbedded
import OkaeriDBus
import OkaeriDaemonTestSupport
import OkaeriEncryption
import OkaeriEvents
import OkaeriPlumbing
import OkaeriTestSupport
import OkaeriWiFi
import Synchronization
import SystemPackage
import Testing

@testable import OkaeriDaemon
@testable import OkaeriServer

/// The download of a backup on the page: its clients, its limits and its answer.
@Suite struct BackupDownloadTests {
    private let folder: TemporaryFolder
    private let logins = LoginStore(digest: Checksum.sha256)
    private static let passphrase = "correct horse battery"
    private static let target = "/v1/backup"

    init() throws { folder = try TemporaryFolder() }

    /// The endpoints of a page whose backups have a content.
    private func endpoints(
        isOffered: Bool = true, node: String = "attic", write: @escaping BackupWriter
    ) -> [Endpoint] {
        var data = PageData(
            directory: folder.path, file: "\(folder.path)/beacons.json", wifi: SimulatedWiFi(inSight: []),
            now: { Timestamp.nanoseconds("2026-11-29T12:00:00Z") ?? 0 }, reload: {})
        data.backups = BackupDownloads(
            isOffered: { isOffered }, directory: folder.path, node: { node }, logger: quiet, write: write)
        return data.endpoints
    }

    private func page(_ endpoints: [Endpoint], isOpen: Bool = false) -> EndpointRouter {
        EndpointRouter(endpoints, of: .page(HostCheck(names: ["pi"]), RequestGate(isOpen: isOpen), logins))
    }

    private func session() throws -> HTTPFields {
        let session = try #require(logins.redeem(logins.link(), name: "a phone"))
        var fields: HTTPFields = [.origin: "http://pi", .cookie: "okaeri=\(session.cookie)"]
        fields[try #require(HTTPField.Name(RequestGate.tokenField))] = session.token
        return fields
    }

    private func ask(_ router: EndpointRouter, _ fields: HTTPFields) async -> Response {
        await ask(router, .post, #"{"passphrase":"\#(Self.passphrase)"}"#, fields)
    }

    private func ask(_ router: EndpointRouter, _ method: HTTPRequest.Method, _ fields: HTTPFields) async -> Response {
        await ask(router, method, "{}", fields)
    }

    private func ask(
        _ router: EndpointRouter, _ method: HTTPRequest.Method, _ body: String, _ fields: HTTPFields
    ) async -> Response {
        var fields = fields
        if method == .post { fields[.contentLength] = "\(body.utf8.count)" }
        let head = HTTPRequest(method: method, scheme: nil, authority: "pi", path: Self.target, headerFields: fields)
        let content = method == .post ? body : ""
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer(string: content)))
        return await router.response(to: request, on: EmbeddedChannel(), of: Connections(), logger: quiet)
    }

    private final class Collected: Sendable {
        let pieces = Mutex<[[UInt8]]>([])
    }

    /// Notes of the writers of backups.
    private final class Notes: Sendable {
        private let notes = Mutex<[String]>([])

        var all: [String] { notes.withLock { $0 } }
        func add(_ note: String) { notes.withLock { $0.append(note) } }
    }

    private struct Writer: ResponseBodyWriter {
        let collected: Collected

        mutating func write(_ buffer: ByteBuffer) async throws {
            collected.pieces.withLock { $0.append(Array(buffer.readableBytesView)) }
        }
        consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
    }

    private func pieces(_ response: Response) async throws -> [[UInt8]] {
        let collected = Collected()
        try await response.body.write(Writer(collected: collected))
        return collected.pieces.withLock { $0 }
    }

    private func sentence(_ response: Response) async throws -> String {
        String(decoding: try await pieces(response).joined(), as: UTF8.self)
    }

    /// Writes so many bytes in place of a backup.
    private static func writer(_ size: Int) -> BackupWriter {
        { output, passphrase, _ throws(BackupWriterFailure) in
            guard passphrase.bytes == Array(BackupDownloadTests.passphrase.utf8) else {
                throw BackupWriterFailure("another passphrase")
            }
            guard (try? output.writeAll([UInt8](repeating: 7, count: size))) == size else {
                throw BackupWriterFailure("not written")
            }
            return 2
        }
    }

    @Test(arguments: [0, 1, 16384, 16385, 100_000])
    func `a browser with a session gets the whole backup, in pieces`(size: Int) async throws {
        let response = await ask(page(endpoints(write: Self.writer(size))), try session())
        #expect(response.status == .ok && response.body.contentLength == size)
        #expect(response.headers[.contentDisposition] == "attachment; filename=\"okaeri-attic-2026-11-29.tar.age\"")
        #expect(response.headers[.contentType] == "application/octet-stream")
        #expect(response.headers[.cacheControl] == "no-store")
        #expect(try response.headers[#require(HTTPField.Name("X-Okaeri-Missing"))] == "2")
        let pieces = try await pieces(response)
        #expect(pieces.allSatisfy { $0.count <= PieceWriter.size } && Array(pieces.joined()).count == size)
        #expect(pieces.joined().allSatisfy { $0 == 7 })
    }

    @Test(arguments: ["a/../b", "a\"; x=\"", "お帰り", "", String(repeating: "n", count: 300)])
    func `the name of the file is safe, whatever the node's is`(node: String) async throws {
        let response = await ask(page(endpoints(node: node, write: Self.writer(1))), try session())
        let name = try #require(response.headers[.contentDisposition])
        #expect(name.wholeMatch(of: /attachment; filename="okaeri(-[A-Za-z0-9-]{1,64})?-2026-11-29\.tar\.age"/) != nil)
    }

    @Test func `no other client gets a backup`() async throws {
        let all = endpoints { _, _, _ throws(BackupWriterFailure) in throw BackupWriterFailure("written") }
        let own = try session()
        for isOpen in [false, true] {
            let page = page(all, isOpen: isOpen)
            for method in [HTTPRequest.Method.get, .post] {
                #expect(await [401, 403].contains(ask(page, method, [:]).status.code), "no session")
                #expect(await ask(page, method, [.origin: "http://pi"]).status == .unauthorized, "no session")
            }
            var fields = own
            fields[.origin] = "http://elsewhere"
            #expect(await ask(page, fields).status == .forbidden, "another origin")
            fields = own
            fields[.origin] = nil
            #expect(await ask(page, fields).status == .forbidden, "no origin")
            fields = own
            fields[try #require(HTTPField.Name(RequestGate.tokenField))] = "another"
            #expect(await ask(page, fields).status == .forbidden, "another token")
            fields = own
            fields[.cookie] = "okaeri=\(String(repeating: "0", count: 64))"
            #expect(await ask(page, fields).status == .unauthorized, "another cookie")
        }
        #expect(await ask(EndpointRouter(all, of: .socket), own).status == .notFound)
        #expect(await ask(EndpointRouter(all, of: .metrics(HostCheck(names: ["pi"]))), own).status == .notFound)
    }

    @Test func `without the key of the configuration there is no backup`() async throws {
        let notes = Notes()
        let off = page(
            endpoints(isOffered: false) { _, _, _ throws(BackupWriterFailure) in
                notes.add("written")
                return 0
            })
        let refusal = await ask(off, try session())
        #expect(refusal.status == .forbidden)
        #expect(try await sentence(refusal).contains(#"add \"backup\": true to \"web\""#))
        #expect(try await sentence(ask(off, .get, session())).contains(#""available":false,"code":"off""#))
        #expect(notes.all.isEmpty)
        #expect(
            try await sentence(ask(page(endpoints(write: Self.writer(1))), .get, session())) == "{\"available\":true}\n"
        )
        let data = PageData(
            directory: nil, file: "", wifi: SimulatedWiFi(inSight: []), now: { 0 }, reload: {})
        #expect(try await sentence(ask(page(data.endpoints), .get, session())).contains(#""code":"noState""#))
        #expect(try await ask(page(data.endpoints), session()).status == .forbidden)
    }

    @Test func `a passphrase that is missing, short, long or not plain is refused`() async throws {
        let page = page(endpoints { _, _, _ throws(BackupWriterFailure) in throw BackupWriterFailure("written") })
        let fields = try session()
        for body in ["", "{}", "[]", #"{"passphrase":7}"#, #"{"passphrase":null}"#] {
            #expect(await ask(page, .post, body, fields).status == .badRequest, "\(body)")
        }
        let texts = [
            "", "elevenchars", "several\\nlines of it", String(repeating: "e", count: 257), "é\\u0000éééééééééééé",
        ]
        for text in texts {
            let refusal = await ask(page, .post, #"{"passphrase":"\#(text)"}"#, fields)
            #expect(refusal.status == .badRequest, "\(text)")
            let sentence = try await sentence(refusal)
            #expect(sentence.contains("12 characters or more") && (text.isEmpty || !sentence.contains(text)))
        }
        let long = #"{"passphrase":"\#(String(repeating: "e", count: 2000))"}"#
        #expect(await ask(page, .post, long, fields).status == .contentTooLarge)
    }

    @Test func `one backup is downloaded at a time, until its answer is sent or dropped`() async throws {
        let page = page(endpoints(write: Self.writer(50_000)))
        let fields = try session()
        var first: Response? = await ask(page, fields)
        #expect(first?.status == .ok)
        let second = await ask(page, fields)
        #expect(second.status == .serviceUnavailable && second.headers[.retryAfter] == "30")
        first = nil
        let third = await ask(page, fields)
        #expect(third.status == .ok, "the first one was dropped")
        #expect(try await pieces(third).joined().count == 50_000)
    }

    @Test func `a failure is answered with its sentence, and the next backup is possible`() async throws {
        let notes = Notes()
        let page = page(
            endpoints { output, passphrase, deadline throws(BackupWriterFailure) in
                notes.add("attempt")
                guard notes.all.count > 1 else { throw BackupWriterFailure("the disk is full; make room") }
                guard deadline > .now, deadline <= .now + .seconds(600) else {
                    throw BackupWriterFailure("no time limit")
                }
                return try Self.writer(10)(output, passphrase, deadline)
            })
        let fields = try session()
        let failed = await ask(page, fields)
        #expect(failed.status == .serviceUnavailable)
        #expect(try await sentence(failed).contains("the disk is full"))
        #expect(await ask(page, fields).status == .ok)
    }

    @Test func `the file of a backup has no name, and no other user reads it`() async throws {
        let notes = Notes()
        let response = await ask(
            page(
                endpoints { output, _, _ throws(BackupWriterFailure) in
                    var status = stat()
                    fstat(output.rawValue, &status)
                    notes.add("\(status.st_nlink) \(String(status.st_mode & 0o777, radix: 8))")
                    return 0
                }), try session())
        #expect(response.status == .ok && notes.all == ["0 600"])
    }
}
