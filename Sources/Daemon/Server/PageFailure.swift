package import HTTPTypes
package import Hummingbird
package import OkaeriEvents
package import OkaeriPlumbing

/// The reason why a request fails, which is its answer.
package struct PageFailure: HTTPResponseError, Sendable, Equatable {
    package var status: HTTPResponse.Status
    package var text: LocalizedText
    /// The sentence in English, for programs.
    package var sentence: String { text.english }
    /// The time after which the same request may succeed, in seconds.
    package var retryAfter: Int?
    private var headers: HTTPFields

    package init(
        _ status: HTTPResponse.Status, _ text: LocalizedText, retryAfter: Int? = nil, headers: HTTPFields = [:]
    ) {
        self.status = status
        self.text = text
        self.retryAfter = retryAfter
        self.headers = headers
    }

    package init(_ status: HTTPResponse.Status, _ phrase: RefusalPhrase, _ values: String..., retryAfter: Int? = nil) {
        self.init(status, LocalizedText(phrase, values), retryAfter: retryAfter)
    }

    package init(
        _ status: HTTPResponse.Status, request phrase: RequestPhrase, _ values: String..., retryAfter: Int? = nil,
        headers: HTTPFields = [:]
    ) {
        self.init(status, LocalizedText(phrase, values), retryAfter: retryAfter, headers: headers)
    }

    /// A thread that cannot be started.
    package init(_ error: BlockingThread.StartError, retryAfter: Int? = nil) {
        self.init(.serviceUnavailable, request: .noThread, "\(error)", retryAfter: retryAfter)
    }

    package init(_ status: HTTPResponse.Status, _ failure: some LocalizedFailure) {
        self.init(status, LocalizedText(failure))
    }

    package func response(from request: Request, context: some RequestContext) -> Response {
        var headers = headers
        if let retryAfter { headers[.retryAfter] = "\(retryAfter)" }
        return .failure(status, text.sentence(in: request.language), headers: headers)
    }
}

/// The reason why a client is refused, whatever it requests.
package enum WebRefusal: HTTPResponseError, Sendable, Equatable {
    case foreignHost, foreignOrigin, noLogin, noToken
    /// A user of Home Assistant has no right to it; the value is the one for the list of those with all rights.
    case notListed(String)

    package var status: HTTPResponse.Status {
        switch self {
        case .foreignHost: .misdirectedRequest
        case .foreignOrigin, .noToken, .notListed: .forbidden
        case .noLogin: .unauthorized
        }
    }

    package var text: LocalizedText {
        switch self {
        case .foreignHost: LocalizedText(RefusalPhrase.foreignHost)
        case .foreignOrigin: LocalizedText(RefusalPhrase.foreignOrigin)
        case .noLogin: LocalizedText(RefusalPhrase.noLogin)
        case .noToken: LocalizedText(RefusalPhrase.noToken)
        case .notListed(let account): LocalizedText(RefusalPhrase.notListed, account)
        }
    }

    package func response(from request: Request, context: some RequestContext) -> Response {
        .failure(status, text.sentence(in: request.language))
    }
}

extension Request {
    /// The language of a failure. A browser states its languages; another client gets English.
    package var language: Language { Language(accepted: headers[.acceptLanguage] ?? "") }
}
