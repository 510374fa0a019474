package import OkaeriEvents
import FoundationEssentials
import HTTPTypes
package import Hummingbird
import HummingbirdCore
import Logging
import NIOCore

/// A request on its way to the answer: with its connection, and the session that it was accepted for.
package struct Exchange: RequestContext {
    package typealias Source = Exchange

    package var coreContext: CoreRequestContextStorage
    /// As the client sent it.
    package let request: Request
    let channel: any Channel
    package let connections: Connections
    /// Whether all users of this machine may read the page without a login.
    let isOpen: Bool
    /// The user that Home Assistant's proxy has logged in.
    let user: ProxyUser?
    /// `nil` for an endpoint that needs none: a reader of an open page, and a client of another listener.
    package internal(set) var session: Logins.Session?

    /// The maximum number of bytes of a short body: an answer, a name, a link's token.
    package static let shortBody = 1024

    /// The delay of the answer to a token of no link, so that guessing costs the client connections.
    private static let wrongLinkDelay = TimeAmount.seconds(1)

    init(
        _ request: Request, on channel: any Channel, of connections: Connections, isOpen: Bool, user: ProxyUser?,
        logger: Logger
    ) {
        coreContext = .init(source: ApplicationRequestContextSource(channel: channel, logger: logger))
        self.request = request
        self.channel = channel
        self.connections = connections
        self.isOpen = isOpen
        self.user = user
    }

    package init(source: Exchange) { self = source }

    /// Returns a parameter of the query, without its percent encoding.
    package func query(_ name: String) -> String? { request.uri.queryParameters[Substring(name)].map(String.init) }

    /// Returns all values of a parameter of the query, without their percent encoding.
    package func queries(_ name: String) -> [String] {
        request.uri.queryParameters[values: Substring(name)].map(String.init)
    }

    /// - Parameters:
    ///   - phrase: The failure of a request without the parameter.
    ///   - example: A path with the parameter.
    package func query(
        _ name: String, or phrase: RequestPhrase, _ example: String
    ) throws(PageFailure) -> String {
        guard let value = query(name) else { throw PageFailure(.badRequest, request: phrase, example) }
        return value
    }

    /// Returns what stands for a component of the endpoint's path, without its percent encoding.
    package func component(_ name: String) -> String {
        // Hummingbird decodes a query alone. A path may have the two characters that separate parameters, or are a space there.
        let encoded = (parameters.get(name) ?? "").replacing("&", with: "%26").replacing("+", with: "%2B")
        return URI("/?component=\(encoded)").queryParameters["component"].map(String.init) ?? ""
    }

    /// Returns the content of the request.
    ///
    /// - Parameter subject: The subject of the failure: it has at most so many bytes.
    package func body(upTo limit: Int = shortBody, of subject: String = "it") async throws(PageFailure) -> [UInt8] {
        guard let body = try? await request.body.collect(upTo: limit) else {
            throw PageFailure(.contentTooLarge, .tooLarge, subject, "\(limit)")
        }
        return Array(body.readableBytesView)
    }

    /// Returns the value in a short body; `nil` if it has none, or is too long.
    func value<Value: Decodable>(_ type: Value.Type) async -> Value? { try? await value(type, "") }

    /// Returns the value in a short body.
    ///
    /// - Parameter form: The form of the body, for the failure.
    package func value<Value: Decodable>(
        _ type: Value.Type, _ form: String
    ) async throws(PageFailure) -> Value {
        let body = try await body()
        guard let value = try? JSONDecoder().decode(type, from: Data(body)) else {
            throw PageFailure(.badRequest, request: .body, form)
        }
        return value
    }

    /// Reads content that has no meaning, which some clients send.
    ///
    /// - Parameter subject: The subject of the failure: it takes no content.
    func discardContent(of subject: String) async throws(PageFailure) {
        guard await discardContent(upTo: Self.shortBody) else {
            throw PageFailure(.badRequest, request: .content, subject)
        }
    }

    /// Returns whether the request had no more than `limit` bytes of content.
    func discardContent(upTo limit: Int) async -> Bool {
        guard request.announcesContent else { return true }
        return (try? await request.body.collect(upTo: limit)) != nil
    }

    /// Waits before the answer to a token of no link.
    func delayWrongLink() async {
        try? await channel.eventLoop.scheduleTask(in: Self.wrongLinkDelay) {}.futureResult.get()
    }
}

extension Request {
    /// Whether the head announces content (RFC 9112, 6.3).
    var announcesContent: Bool {
        if headers[.transferEncoding] != nil { return true }
        return headers[.contentLength].map { UInt64($0) != 0 } ?? false
    }
}
