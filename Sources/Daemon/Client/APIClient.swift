import FoundationEssentials
import Glibc
package import NIOCore
import NIOHTTP1
package import NIOPosix
package import OkaeriEvents
import OkaeriPlumbing
package import OkaeriWiFi

/// Asks a running daemon over its socket.
package struct APIClient: Sendable {
    /// The reason why there is no answer.
    package enum Failure: Error, Sendable, CustomStringConvertible, LocalizedFailure {
        /// There is no listener at the socket.
        case noDaemon(socket: String)
        /// The listener does not admit this user.
        case notPermitted(socket: String)
        /// The daemon did not answer in time, or not as it should.
        case noAnswer(socket: String, reason: String)
        /// The daemon refuses, with a reason.
        case refused(status: UInt, sentence: String)

        /// Whether it may be better later: a daemon restarts.
        package var isTemporary: Bool {
            switch self {
            case .noDaemon, .noAnswer: true
            case .notPermitted, .refused: false
            }
        }

        package var description: String { sentence(in: .english) }

        package func sentence(in language: Language) -> String {
            switch self {
            case .noDaemon(let socket): language(FailurePhrase.noDaemon, socket)
            case .notPermitted(let socket): language(FailurePhrase.socketNotPermitted, socket)
            case .noAnswer(let socket, let reason): language(FailurePhrase.noAnswer, socket, reason)
            case .refused(_, let sentence): sentence
            }
        }
    }

    package let socket: String

    /// The time limit of an answer, in seconds.
    private let timeLimit: Int64

    /// - Parameter timeLimit: the time limit of an answer, in seconds; by default enough for a small machine that installs a
    ///   package.
    package init(socket: String, timeLimit: Int64 = 10) {
        self.socket = socket
        self.timeLimit = timeLimit
    }

    /// `GET /v1/…`, decoded.
    package func get<Report: Decodable>(_ path: String, as type: Report.Type = Report.self) async throws(Failure)
        -> Report
    {
        try decode(await body(.GET, path))
    }

    /// `GET /v1/…?NAME=VALUE`, decoded; without the parameters that have no value.
    func get<Report: Decodable>(
        _ path: String, _ query: [(name: String, value: String?)]
    ) async throws(Failure) -> Report {
        let pairs = query.compactMap { name, value in value.map { "\(name)=\(escaped($0))" } }
        return try await get(pairs.isEmpty ? path : "\(path)?\(pairs.joined(separator: "&"))")
    }

    /// `GET /v1/…`, as the daemon wrote it.
    package func text(_ path: String) async throws(Failure) -> String {
        String(buffer: try await body(.GET, path))
    }

    /// `POST /v1/prompts/ID`.
    package func answer(_ id: String, _ answer: PromptAnswer) async throws(Failure) -> PromptsReport {
        let data = (try? JSONEncoder().encode(AnswerRequest(answer: answer))) ?? Data()
        return try decode(await body(.POST, "\(Route.prompts)/\(escaped(id))", ByteBuffer(bytes: data)))
    }

    /// `DELETE /v1/never?ssid=SSID`.
    package func clearNever(ssid: String) async throws(Failure) -> PromptsReport {
        try decode(await body(.DELETE, "\(Route.never)?\(Route.ssid)=\(escaped(ssid))"))
    }

    /// `DELETE /v1/nodes/NAME`.
    package func forget(node: String) async throws(Failure) -> NodesReport {
        try decode(await body(.DELETE, "\(Route.nodes)/\(escaped(node))"))
    }

    /// `POST /v1/notifications/test`.
    package func testNotifications() async throws(Failure) -> [NotificationReport] {
        try decode(await body(.POST, Route.notificationTest))
    }

    /// `POST /v1/web/links`.
    package func webLink() async throws(Failure) -> WebLinkReport { try decode(await body(.POST, Route.links)) }

    /// `DELETE /v1/web/devices/ID`.
    package func revoke(device id: String) async throws(Failure) -> [WebDeviceReport] {
        try decode(await body(.DELETE, "\(Route.devices)/\(escaped(id))"))
    }

    private func escaped(_ component: String) -> String {
        component.utf8.map { byte in
            let isPlain = (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
            return isPlain ? String(Unicode.Scalar(byte)) : hexadecimal(byte, prefix: "%")
        }.joined()
    }

    private func decode<Report: Decodable>(_ buffer: ByteBuffer) throws(Failure) -> Report {
        do {
            return try JSONDecoder().decode(Report.self, from: Data(buffer.readableBytesView))
        } catch {
            throw .noAnswer(socket: socket, reason: "its answer is of another version (\(error))")
        }
    }

    private func body(
        _ method: HTTPMethod, _ path: String, _ content: ByteBuffer = ByteBuffer()
    ) async throws(Failure) -> ByteBuffer {
        let (status, body) = try await exchange(method, path, content)
        guard status == .ok else {
            let report: ErrorReport? = try? JSONDecoder().decode(ErrorReport.self, from: Data(body.readableBytesView))
            throw .refused(status: status.code, sentence: report?.error ?? status.description)
        }
        return body
    }

    private func exchange(
        _ method: HTTPMethod, _ path: String, _ content: ByteBuffer
    ) async throws(Failure) -> (HTTPResponseStatus, ByteBuffer) {
        try await explaining {
            let channel = try await connect()
            let timeout = channel.channel.eventLoop.scheduleTask(in: .seconds(timeLimit)) {
                channel.channel.close(promise: nil)
            }
            defer { timeout.cancel() }
            return try await channel.executeThenClose { inbound, outbound in
                let body = content.readableBytes > 0 ? [HTTPClientRequestPart.body(.byteBuffer(content))] : []
                // At once: the daemon may have answered and closed before a later part is written.
                try await outbound.write(
                    contentsOf: [.head(request(method, path, length: content.readableBytes))] + body + [.end(nil)])
                return try await response(inbound)
            }
        }
    }

    /// The head of a request.
    private func request(
        _ method: HTTPMethod, _ path: String, length: Int = 0, others: [(String, String)] = []
    ) -> HTTPRequestHead {
        var headers: HTTPHeaders = ["host": "okaeri", "content-length": "\(length)", "connection": "close"]
        headers.add(contentsOf: others)
        return HTTPRequestHead(version: .http1_1, method: method, uri: path, headers: headers)
    }

    /// Returns the meaning of an error of the connection.
    ///
    /// - Parameter silence: the seconds without an answer after which the connection is closed; nil: the time limit.
    private func explaining<Answer>(
        silence: Int64? = nil, _ ask: () async throws -> Answer
    ) async throws(Failure) -> Answer {
        do {
            return try await ask()
        } catch let failure as Failure {
            throw failure
        } catch let error as IOError where [ENOENT, ECONNREFUSED, ENOTSOCK].contains(error.errnoCode) {
            throw .noDaemon(socket: socket)
        } catch let error as IOError where [EACCES, EPERM].contains(error.errnoCode) {
            throw .notPermitted(socket: socket)
        } catch let error as IOError where [EPIPE, ECONNRESET].contains(error.errnoCode) {
            throw hungUp(silence ?? timeLimit)
        } catch ChannelError.ioOnClosedChannel {
            throw hungUp(silence ?? timeLimit)
        } catch {
            throw .noAnswer(socket: socket, reason: "\(error)")
        }
    }

    private func hungUp(_ silence: Int64) -> Failure {
        .noAnswer(socket: socket, reason: "it closed the connection, or sent nothing for \(silence) seconds")
    }

    private typealias Connection = NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>

    private func connect() async throws -> Connection {
        try await ClientBootstrap(group: .oneLoop)
            .connectTimeout(.seconds(timeLimit))
            .connect(unixDomainSocketPath: socket) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHTTPClientHandlers()
                    return try Connection(wrappingChannelSynchronously: channel)
                }
            }
    }

    private func response(
        _ parts: NIOAsyncChannelInboundStream<HTTPClientResponsePart>
    ) async throws -> (HTTPResponseStatus, ByteBuffer) {
        var status: HTTPResponseStatus?
        var body = ByteBuffer()
        for try await part in parts {
            switch part {
            case .head(let head): status = head.status
            case .body(var piece): body.writeBuffer(&piece)
            case .end:
                guard let status else { break }
                return (status, body)
            }
        }
        throw hungUp(timeLimit)
    }
}

// MARK: Following

extension APIClient {
    /// The longest silence of the stream of events, in seconds: three of its heartbeats.
    private static let silence = 3 * EventStreamField.heartbeat.components.seconds

    /// The bytes of `GET /v1/events`, as they come.
    ///
    /// - Parameters:
    ///   - sequence: the number of the last event that was received; nil: none.
    ///   - received: is given nil when the stream has begun; it returns whether to go on.
    func stream(after sequence: UInt64?, _ received: (ByteBuffer?) async throws -> Bool) async throws(Failure) {
        try await explaining(silence: Self.silence) {
            let connection = try await connect()
            let channel = connection.channel
            func limit() -> Scheduled<Void> {
                channel.eventLoop.scheduleTask(in: .seconds(Self.silence)) { channel.close(promise: nil) }
            }
            var timeout = limit()
            defer { timeout.cancel() }
            try await connection.executeThenClose { inbound, outbound in
                let last = sequence.map { [(EventStreamField.lastEventID, "\($0)")] } ?? []
                try await outbound.write(contentsOf: [.head(request(.GET, Route.events, others: last)), .end(nil)])
                for try await part in inbound {
                    timeout.cancel()
                    timeout = limit()
                    switch part {
                    case .head(let head):
                        guard head.status == .ok else {
                            throw Failure.refused(status: head.status.code, sentence: head.status.description)
                        }
                        guard try await received(nil) else { return }
                    case .body(let piece):
                        guard try await received(piece) else { return }
                    case .end: return
                    }
                }
            }
        }
    }
}

extension APIClient {
    /// An element of ``events(after:_:)``.
    package enum Feed: Sendable, Equatable {
        /// From now on nothing is missed.
        case opened
        case event(Event)
        /// Events were lost before the next one.
        case lost(EventLoss)
    }

    /// Hands out each event of `GET /v1/events` as it happens, until the daemon ends the stream or `received` returns false.
    ///
    /// - Parameters:
    ///   - sequence: the number of the last event that was received before, to go on from; nil: from now on.
    ///   - received: returns whether to go on.
    package func events(
        after sequence: UInt64? = nil, _ received: (Feed) async throws(Failure) -> Bool
    ) async throws(Failure) {
        var reader = EventStreamReader()
        try await stream(after: sequence) { piece in
            guard let piece else { return try await received(.opened) }
            guard let feeds = try? reader.received(piece.readableBytesView) else {
                throw Failure.noAnswer(socket: socket, reason: "an event without end")
            }
            for feed in feeds { guard try await received(feed) else { return false } }
            return true
        }
    }
}

extension APIClient {
    /// The bounds of all times that RFC 3339 can write.
    private static let (earliest, latest) = ("0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z")

    /// Requests the events of the history part by part, the oldest first, and hands them out.
    ///
    /// - Parameters:
    ///   - region: only this region's; `nil` for all.
    ///   - since: none before this time, in nanoseconds since the Unix epoch; `nil` for all.
    package func history(
        region: String?, since: Int64?, _ body: ([Event]) -> Void
    ) async throws(Failure) {
        var last: Int64?
        while true {
            let page: HistoryPage = try await get(
                Route.history,
                [
                    (Route.from, since.map(Timestamp.text) ?? Self.earliest), (Route.to, Self.latest),
                    (Route.region, region), (Route.after, last.map { "\($0)" }),
                ])
            body(page.events)
            guard let next = page.next else { return }
            // A daemon that always answers the same would never end.
            guard next > last ?? 0 else { throw .noAnswer(socket: socket, reason: "the history does not go on") }
            last = next
        }
    }

    /// Returns whether the history has an event of a region.
    package func hasEvents(of region: String) async throws(Failure) -> Bool {
        let page: HistoryPage = try await get(
            Route.history, [(Route.from, Self.earliest), (Route.to, Self.latest), (Route.region, region)])
        return !page.events.isEmpty
    }

    /// Requests the false exits.
    package func mistakes<Report: Decodable>(
        region: String?, since: Int64?, as type: Report.Type
    ) async throws(Failure) -> Report {
        try await get(Route.mistakes, [(Route.region, region), (Route.since, since.map(Timestamp.text))])
    }
}

/// Takes the events out of a stream of server-sent events, however it is cut on its way (HTML Living Standard, 9.2.6). Each is
/// a line with its name, then one with its JSON.
struct EventStreamReader {
    /// No event of ours is longer, in bytes.
    static let longestLine = 1 << 20

    /// A line did not end.
    struct EndlessLine: Error {}

    private var line: [UInt8] = []
    private var name = ""

    /// Returns the events that these bytes complete. What is not an event that is known here is passed over: a newer daemon
    /// may know more.
    mutating func received(_ bytes: some Sequence<UInt8>) throws(EndlessLine) -> [APIClient.Feed] {
        var feeds: [APIClient.Feed] = []
        for byte in bytes {
            guard byte == UInt8(ascii: "\n") else {
                line.append(byte)
                if line.count > Self.longestLine { throw EndlessLine() }
                continue
            }
            if let feed = completed() { feeds.append(feed) }
            line.removeAll(keepingCapacity: true)
        }
        return feeds
    }

    private mutating func completed() -> APIClient.Feed? {
        if line.isEmpty { name = "" }
        if line.starts(with: "event:".utf8) {
            name = String(decoding: line.dropFirst(6).drop { $0 == UInt8(ascii: " ") }, as: UTF8.self)
        }
        guard line.starts(with: "data:".utf8) else { return nil }
        let data = Data(line.dropFirst(5))
        if name == EventStreamField.lost {
            return (try? JSONDecoder().decode(EventLoss.self, from: data)).map { .lost($0) }
        }
        return (try? JSONDecoder().decode(Event.self, from: data)).map { .event($0) }
    }
}

extension EventLoopGroup where Self == MultiThreadedEventLoopGroup {
    /// NIO's own group with one loop: there are few requests, and a thread for each core would only cost.
    package static var oneLoop: MultiThreadedEventLoopGroup { OneLoop.group }
}

private enum OneLoop {
    static let group: MultiThreadedEventLoopGroup = {
        NIOSingletons.groupLoopCountSuggestion = 1  // set before the group is first used
        return .singletonMultiThreadedEventLoopGroup
    }()
}
