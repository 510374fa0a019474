package import HTTPTypes
package import Hummingbird

/// The reason why a request fails, which is its answer.
package struct PageFailure: HTTPResponseError, Sendable, Equatable {
    package var status: HTTPResponse.Status
    package var sentence: String
    /// The time after which the same request may succeed, in seconds.
    package var retryAfter: Int?
    private var headers: HTTPFields

    package init(
        _ status: HTTPResponse.Status, _ sentence: String, retryAfter: Int? = nil, headers: HTTPFields = [:]
    ) {
        self.status = status
        self.sentence = sentence
        self.retryAfter = retryAfter
        self.headers = headers
    }

    package func response(from request: Request, context: some RequestContext) -> Response {
        var headers = headers
        if let retryAfter { headers[.retryAfter] = "\(retryAfter)" }
        return .failure(status, sentence, headers: headers)
    }
}

/// The reason why a client is refused, whatever it requests.
package enum WebRefusal: HTTPResponseError, Sendable, Equatable {
    case foreignHost, foreignOrigin, noLogin, noToken

    package var status: HTTPResponse.Status {
        switch self {
        case .foreignHost: .misdirectedRequest
        case .foreignOrigin, .noToken: .forbidden
        case .noLogin: .unauthorized
        }
    }

    package var sentence: String {
        switch self {
        case .foreignHost:
            "the request names another machine in its Host field; use this machine's address, its name, or localhost"
        case .foreignOrigin: "a change is only accepted from the page itself; open it again"
        case .noLogin:
            "this browser is not logged in; `okaeri web link` on the machine prints an address that logs it in"
        case .noToken: "the page's token for changes is missing or old; load the page again"
        }
    }

    package func response(from request: Request, context: some RequestContext) -> Response {
        .failure(status, sentence)
    }
}
