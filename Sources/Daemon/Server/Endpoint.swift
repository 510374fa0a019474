package import HTTPTypes
package import Hummingbird

/// Everything about a route: its method, its path, the clients that it answers, and the answer.
package struct Endpoint: Sendable {
    package typealias Answer = @Sendable (Exchange) async throws -> Response

    package let method: HTTPRequest.Method
    /// With a colon before what stands for any component: `/v1/prompts/:id`.
    package let path: String
    package let access: Access
    /// The rights that a session needs.
    let rights: SessionRights
    /// An error that is a ``PageFailure`` or a ``WebRefusal`` becomes the answer.
    let answer: Answer
    /// Whether its answers are parts of the program, or are held by the ``ResponseMemory`` already.
    let isAccounted: Bool

    /// - Parameters:
    ///   - access: An endpoint that does not name it is for browsers with a session alone.
    ///   - rights: `nil`: a request that reads needs those to look, and each other one those to change.
    package init(
        _ method: HTTPRequest.Method, _ path: String, _ access: Access = .session, rights: SessionRights? = nil,
        isAccounted: Bool = false,
        answer: @escaping Answer
    ) {
        self.method = method
        self.path = path
        self.access = access
        self.rights = rights ?? (method == .get ? .look : .change)
        self.answer = answer
        self.isAccounted = isAccounted
    }
}

/// The clients that an endpoint answers, over all listeners: from the fewest to all of them.
///
/// On the page each change needs a session, the page's origin and its token, whatever the access is up to ``monitoring``.
package enum Access: Int, CaseIterable, Comparable, Sendable {
    /// A browser with a session.
    case session
    /// The clients of the socket too.
    case socket
    /// The readers of an open page, and no client of the socket.
    case pageReaders
    /// The clients of the socket and the readers of an open page.
    case readers
    /// The clients of the metrics too.
    case monitoring
    /// Each browser, but for a change only from the page itself: the login.
    case visitors
    /// Each host that reaches the page, whatever it sends: for what is public, and where the path has a token of its own.
    case unrestricted

    package static func < (one: Access, other: Access) -> Bool { one.rawValue < other.rawValue }
}
