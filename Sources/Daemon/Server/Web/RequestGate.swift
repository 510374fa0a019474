/// The fields of a request that decide whether it is answered.
package struct WebRequest: Sendable {
    /// Such as `GET`.
    package var method: String
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
    /// The first value of X-Forwarded-Host.
    package var forwardedHost: String?
    /// The session of a user that Home Assistant's proxy has logged in; `nil`: cookies decide.
    package var proxySession: Logins.Session?
}

/// Decides about each request of the page, before it is answered.
package struct RequestGate: Sendable {
    /// The name of the cookie; with TLS another one, which browsers take only from a secure host and give to no other.
    package static let (cookie, secureCookie) = ("okaeri", "__Host-okaeri")

    /// The field that carries a change's own token.
    package static let tokenField = "X-Okaeri-Token"

    let isOpen: Bool
    /// Home Assistant's proxy, whose users are logged in; `nil`: there is not one.
    let ingress: IngressProxy?

    /// - Parameters:
    ///   - isOpen: Whether all users of this machine may read.
    ///   - ingress: Home Assistant's proxy.
    package init(isOpen: Bool, ingress: IngressProxy? = nil) {
        self.isOpen = isOpen
        self.ingress = ingress
    }

    /// Checks a request for an endpoint of some access.
    ///
    /// - Parameters:
    ///   - rights: Those that the endpoint demands of a session.
    ///   - lookUp: Returns the session of a cookie.
    /// - Returns: The session; `nil` if the request has none and needs none, or if it is not looked up.
    package func session(
        of request: WebRequest, for access: Access, needing rights: SessionRights = .look,
        lookUp: (String) -> Logins.Session?
    ) throws(WebRefusal) -> Logins.Session? {
        guard access != .unrestricted else { return nil }
        let isReading = request.method == "GET" || request.method == "HEAD"
        if !isReading, !isSameOrigin(request) { throw .foreignOrigin }
        guard access != .visitors else { return nil }
        let known =
            request.proxySession
            ?? Self.session(of: Self.cookies(in: request.cookie, isSecure: request.isSecure), lookUp)
        guard let session = known else {
            let isReader = access >= .pageReaders && isOpen && isReading && !request.isForwarded
            guard isReader else { throw .noLogin }
            return nil
        }
        guard session.rights >= rights else { throw .notListed(session.account) }
        if isReading { return session }
        guard let token = request.token, Logins.isEqual(Array(token.utf8), Array(session.token.utf8)) else {
            throw .noToken
        }
        return session
    }

    /// Returns the first cookie's session, with one look-up for each cookie: a lazy collection would make two for the one it finds.
    private static func session(
        of cookies: [String], _ lookUp: (String) -> Logins.Session?
    ) -> Logins.Session? {
        for cookie in cookies {
            if let session = lookUp(cookie) { return session }
        }
        return nil
    }

    /// A browser names with each change the page that it comes from: one that was served here.
    private func isSameOrigin(_ request: WebRequest) -> Bool {
        guard let origin = request.origin?.lowercased() else { return false }
        if let site = request.site, site != "same-origin" { return false }
        var hosts = [request.host]
        // The browser has the name of Home Assistant, which a proxy before it may have replaced in Host. A page cannot set this field
        // without asking first (Fetch, 4.8), and the browser sends no login with that question.
        if request.proxySession != nil { hosts.append(request.forwardedHost) }
        return hosts.compactMap { $0?.lowercased() }.contains { origin == "http://\($0)" || origin == "https://\($0)" }
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
