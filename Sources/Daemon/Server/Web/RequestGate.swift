import Events

/// The fields of a request that decide whether it is answered.
package struct WebRequest: Sendable {
    /// Such as `GET`.
    package var method: String
    /// Without the query.
    package var path: String
    /// The values of Host, Origin, Cookie, Sec-Fetch-Site and our own field for changes; `nil`: they are missing.
    package var host: String?
    package var origin: String?
    package var cookie: String?
    package var site: String?
    package var token: String?
    /// Whether a proxy passed it on: then the client is unknown.
    package var isForwarded = false
    /// Whether the browser sent it over TLS, which a proxy ends.
    package var isSecure = false
}

/// Decides about each request on TCP, before anything is looked up.
package struct RequestGate: Sendable {
    /// The name of the cookie; with TLS another one, which browsers take only from a secure host and give to no other.
    package static let (cookie, secureCookie) = ("okaeri", "__Host-okaeri")

    /// The field that carries a change's own token.
    package static let tokenField = "X-Okaeri-Token"

    /// The decision.
    package enum Verdict: Sendable, Equatable {
        /// A file of the page, which has nothing in it that is not public.
        case file
        /// A link is followed.
        case login
        /// Return the session.
        case session(Logins.Session?)
        case logout(Logins.Session)
        /// A link that answers a prompt, with its token.
        case prompt(String)
        /// The same as on the socket.
        case answer
        case refused(WebRefusal)
    }

    private static let reading = "GET, HEAD"

    package let isOpen: Bool

    /// - Parameter isOpen: Whether all users of this machine may read.
    package init(isOpen: Bool) {
        self.isOpen = isOpen
    }

    /// - Parameters:
    ///   - permitsHost: whether the request means this machine.
    ///   - pass: Returns the session of a cookie.
    package func verdict(
        on request: WebRequest, permitsHost: Bool, pass: (String) -> Logins.Session?
    ) -> Verdict {
        guard permitsHost else { return .refused(.foreignHost) }
        let isReading = request.method == "GET" || request.method == "HEAD"
        // The token takes the place of a login, and a foreign page does not have it.
        if request.path.hasPrefix("/\(WebRoute.answerPath)") {
            guard isReading || request.method == "POST" else {
                return .refused(.method(allowed: "\(Self.reading), POST"))
            }
            return .prompt(String(request.path.dropFirst(WebRoute.answerPath.utf8.count + 1)))
        }
        guard request.path.hasPrefix("/v1/") || request.path == "/metrics" else {
            return isReading ? .file : .refused(.method(allowed: Self.reading))
        }
        if !isReading, !isSameOrigin(request) { return .refused(.foreignOrigin) }
        if request.path == WebRoute.login {
            return request.method == "POST" ? .login : .refused(.method(allowed: "POST"))
        }
        let pass = Self.pass(for: Self.cookies(in: request.cookie, isSecure: request.isSecure), pass)
        let mayRead = pass != nil || isOpen && isReading && !request.isForwarded
        guard mayRead else { return .refused(.noLogin) }
        if request.path == WebRoute.session {
            return isReading ? .session(pass) : .refused(.method(allowed: Self.reading))
        }
        if WebRoute.needsLogin(Self.routed(request.path)), pass == nil { return .refused(.noLogin) }
        if request.path == WebRoute.logout, request.method != "POST" { return .refused(.method(allowed: "POST")) }
        if isReading { return .answer }
        guard let pass, let token = request.token, Logins.isEqual(Array(token.utf8), Array(pass.token.utf8)) else {
            return .refused(.noToken)
        }
        return request.path == WebRoute.logout ? .logout(pass) : .answer
    }

    /// Returns the path as the router reads it, which skips empty components: `/v1//guests` is `/v1/guests`.
    private static func routed(_ path: String) -> String {
        "/" + path.split(separator: "/").joined(separator: "/")
    }

    /// Returns the first cookie's pass, with one look-up for each cookie: a lazy collection would make two for the one it finds.
    private static func pass(for cookies: [String], _ pass: (String) -> Logins.Session?) -> Logins.Session? {
        for cookie in cookies {
            if let pass = pass(cookie) { return pass }
        }
        return nil
    }

    /// A browser names with each change the page that it comes from: one that was served here.
    private func isSameOrigin(_ request: WebRequest) -> Bool {
        guard let origin = request.origin?.lowercased(), let host = request.host?.lowercased() else { return false }
        if let site = request.site, site != "same-origin" { return false }
        return origin == "http://\(host)" || origin == "https://\(host)"
    }

    /// More cookies than a browser keeps for a host, all of which another program of that host may have set.
    private static let mostCookies = 256

    /// Returns the values of our cookies (RFC 6265, 4.2): other programs of the host, and other paths, may have set more.
    ///
    /// Over TLS only the name with the prefix counts: another host of the domain, or one without TLS, cannot set it (RFC 6265bis,
    /// 4.1.3.2).
    static func cookies(in field: String?, isSecure: Bool) -> [String] {
        let wanted = isSecure ? secureCookie : cookie
        let pairs = (field ?? "").utf8.split(separator: UInt8(ascii: ";")).lazy.compactMap { pair -> String? in
            let parts = pair.drop { $0 == UInt8(ascii: " ") }
                .split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, parts[0].elementsEqual(wanted.utf8), parts[1].count == 64 else { return nil }
            return String(parts[1])
        }
        return Array(pairs.prefix(mostCookies))
    }
}

/// The reason why a request is not answered.
package enum WebRefusal: Sendable, Equatable {
    case foreignHost, foreignOrigin, noLogin, noToken
    /// - Parameter allowed: those that are, as the field `Allow` has them.
    case method(allowed: String)

    /// The status (RFC 9110, 15).
    package var status: Int {
        switch self {
        case .foreignHost: 421
        case .foreignOrigin, .noToken: 403
        case .method: 405
        case .noLogin: 401
        }
    }

    package var sentence: String {
        switch self {
        case .foreignHost:
            "the request names another machine in its Host field; use this machine's address, its name, or localhost"
        case .foreignOrigin: "a change is only accepted from the page itself; open it again"
        case .method(let allowed): "only \(allowed) is allowed here"
        case .noLogin:
            "this browser is not logged in; `okaeri web link` on the machine prints an address that logs it in"
        case .noToken: "the page's token for changes is missing or old; load the page again"
        }
    }
}

/// The routes that are about the page itself.
package enum WebRoute {
    package static let login = "/v1/web/login"
    package static let session = "/v1/web/session"
    package static let logout = "/v1/web/logout"
    /// The beginning of the links that answer prompts.
    static let answerPath = "answer/"
    /// On the socket, and for a browser with a login: a page that is open to readers does not show them.
    package static let links = "/v1/web/links"
    package static let devices = "/v1/web/devices"

    /// Returns whether also readers of a page that is open need a login for the path: it is about logins, about the pairing with
    /// a phone, or about passphrases.
    static func needsLogin(_ path: String) -> Bool {
        path == links || [devices, Route.enrollment, Route.guests].contains { path == $0 || path.hasPrefix($0 + "/") }
    }
}
