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
        try decode(await body(.get, path))
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
        String(decoding: try await body(.get, path), as: UTF8.self)
    }

    /// `POST /v1/prompts/ID`.
    package func answer(_ id: String, _ answer: PromptAnswer) async throws(Failure) -> PromptsReport {
        let data = (try? JSONEncoder().encode(AnswerRequest(answer: answer))) ?? Data()
        return try decode(await body(.post, "\(Route.prompts)/\(escaped(id))", Array(data)))
    }

    /// `DELETE /v1/never?ssid=SSID`.
    package func clearNever(ssid: String) async throws(Failure) -> PromptsReport {
        try decode(await body(.delete, "\(Route.never)?\(Route.ssid)=\(escaped(ssid))"))
    }

    /// `DELETE /v1/nodes/NAME`.
    package func forget(node: String) async throws(Failure) -> NodesReport {
        try decode(await body(.delete, "\(Route.nodes)/\(escaped(node))"))
    }

    /// `POST /v1/notifications/test`.
    package func testNotifications() async throws(Failure) -> [NotificationReport] {
        try decode(await body(.post, Route.notificationTest))
    }

    /// `POST /v1/web/links`.
    package func webLink() async throws(Failure) -> WebLinkReport { try decode(await body(.post, Route.links)) }

    /// `DELETE /v1/web/devices/ID`.
    package func revoke(device id: String) async throws(Failure) -> [WebDeviceReport] {
        try decode(await body(.delete, "\(Route.devices)/\(escaped(id))"))
    }

    /// Percent-encodes all but the unreserved characters (RFC 3986, 2.3).
    private func escaped(_ component: String) -> String {
        component.utf8.map { byte in
            isUnreserved(byte) ? String(Unicode.Scalar(byte)) : hexadecimal(byte, prefix: "%")
        }.joined()
    }

    private func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }

    private func decode<Report: Decodable>(_ body: [UInt8]) throws(Failure) -> Report {
        do {
            return try JSONDecoder().decode(Report.self, from: Data(body))
        } catch {
            throw .noAnswer(socket: socket, reason: "its answer is of another version (\(error))")
        }
    }

    private enum Method: String {
        case get = "GET"
        case post = "POST"
        case delete = "DELETE"
    }

    private func body(_ method: Method, _ path: String, _ content: [UInt8] = []) async throws(Failure) -> [UInt8] {
        let answer = try await exchange(method, path, content)
        guard answer.status == 200 else {
            let report: ErrorReport? = try? JSONDecoder().decode(ErrorReport.self, from: Data(answer.body))
            let sentence = report?.error ?? "\(answer.status) \(answer.reason.plain())"
            throw .refused(status: answer.status, sentence: sentence)
        }
        return answer.body
    }

    private func exchange(_ method: Method, _ path: String, _ content: [UInt8]) async throws(Failure) -> HTTPAnswer {
        let head = """
            \(method.rawValue) \(path) HTTP/1.1\r
            host: okaeri\r
            content-length: \(content.count)\r
            connection: close\r
            \r

            """
        do throws(SocketExchange.Failure) {
            return try await SocketExchange(
                socket: socket, request: Array(head.utf8) + content, limit: .seconds(timeLimit)
            ).run()
        } catch {
            switch error {
            case .connection(let code): throw failure(code) ?? reasoned(String(cString: strerror(code)))
            case .hungUp: throw hungUp(timeLimit)
            case .answer(let problem): throw reasoned(problem.description)
            case .thread(let problem): throw reasoned(problem.description)
            case .longPath: throw reasoned("its path is longer than 107 bytes")
            }
        }
    }

    private func reasoned(_ reason: String) -> Failure { .noAnswer(socket: socket, reason: reason) }

    /// Returns the meaning of an error of a system call; `nil` if it has none of its own.
    private func failure(_ code: Int32, silence: Int64? = nil) -> Failure? {
        switch code {
        case ENOENT, ECONNREFUSED, ENOTSOCK: .noDaemon(socket: socket)
        case EACCES, EPERM: .notPermitted(socket: socket)
        case EPIPE, ECONNRESET: hungUp(silence ?? timeLimit)
        default: nil
        }
    }

    /// Returns the meaning of an error of the connection of the stream.
    private func explaining<Answer>(_ ask: () async throws -> Answer) async throws(Failure) -> Answer {
        do {
            return try await ask()
        } catch let failure as Failure {
            throw failure
        } catch let error as IOError {
            throw failure(error.errnoCode, silence: Self.silence) ?? reasoned("\(error)")
        } catch ChannelError.ioOnClosedChannel {
            throw hungUp(Self.silence)
        } catch {
            throw reasoned("\(error)")
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
        try await explaining {
            let connection = try await connect()
            let channel = connection.channel
            func limit() -> Scheduled<Void> {
                channel.eventLoop.scheduleTask(in: .seconds(Self.silence)) { channel.close(promise: nil) }
            }
            var timeout = limit()
            defer { timeout.cancel() }
            try await connection.executeThenClose { inbound, outbound in
                let last = sequence.map { [(EventStreamField.lastEventID, "\($0)")] } ?? []
                let headers = HTTPHeaders(
                    [("host", "okaeri"), ("content-length", "0"), ("connection", "close")] + last)
                let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: Route.events, headers: headers)
                try await outbound.write(contentsOf: [.head(head), .end(nil)])
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
