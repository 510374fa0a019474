import Testing

@testable import Server

@Suite struct RequestGateTests {
    private static let cookie = String(repeating: "a", count: 64)
    private static let token = String(repeating: "b", count: 64)

    private static let pass = Logins.Session(
        device: BrowserSession(id: "abcdef", name: "a phone", since: 0, seen: 0, digest: ""), cookie: cookie,
        token: token)

    private func verdict(
        _ method: String, _ path: String, isOpen: Bool = false, permitsHost: Bool = true,
        _ change: (inout WebRequest) -> Void = { _ in }
    ) -> RequestGate.Verdict {
        var request = WebRequest(method: method, path: path, host: "pi.local:8080")
        change(&request)
        return RequestGate(isOpen: isOpen).verdict(on: request, permitsHost: permitsHost) {
            $0 == Self.cookie ? Self.pass : nil
        }
    }

    /// As a browser does it from the page.
    private static func comesFromPage(_ request: inout WebRequest) {
        request.origin = "http://pi.local:8080"
        request.site = "same-origin"
        request.cookie = "x=1; okaeri=\(cookie)"
        request.token = token
    }

    private static let routes = [
        "/v1/status", "/v1/events", "/v1/regions", "/v1/nodes", "/v1/configuration", "/metrics", "/v1/health", "/v1/x",
    ]

    @Test(arguments: routes) func `without a login nothing is answered`(path: String) {
        #expect(verdict("GET", path) == .refused(.noLogin))
        let wrong = String(repeating: "c", count: 64)
        #expect(verdict("GET", path) { $0.cookie = "okaeri=\(wrong)" } == .refused(.noLogin))
        #expect(verdict("GET", path) { $0.cookie = "okaeri=" } == .refused(.noLogin))
        #expect(verdict("GET", path) { $0.cookie = "okaeri=\(Self.cookie)" } == .answer)
    }

    /// Each look-up costs two digests, and may note that the browser was seen.
    @Test func `a cookie is looked up once, and none after the one of a login`() {
        let others = (0..<3).map { String(repeating: "\($0)", count: 64) }
        var lookedUp: [String] = []
        let cookies = (others + [Self.cookie, Self.token]).map { "okaeri=\($0)" }.joined(separator: "; ")
        let request = WebRequest(method: "GET", path: "/v1/status", host: "pi.local:8080", cookie: cookies)
        let verdict = RequestGate(isOpen: false).verdict(on: request, permitsHost: true) { cookie in
            lookedUp.append(cookie)
            return cookie == Self.cookie ? Self.pass : nil
        }
        #expect(verdict == .answer)
        #expect(lookedUp == others + [Self.cookie])
    }

    @Test(arguments: routes) func `a foreign host is refused, whatever it sends`(path: String) {
        #expect(verdict("GET", path, permitsHost: false, Self.comesFromPage) == .refused(.foreignHost))
        #expect(verdict("GET", "/", permitsHost: false) == .refused(.foreignHost))
    }

    @Test func `an open page is readable on the machine and changed by no client`() {
        #expect(verdict("GET", "/v1/status", isOpen: true) == .answer)
        #expect(verdict("GET", "/v1/web/session", isOpen: true) == .session(nil))
        // What a proxy passes on may come from anywhere.
        #expect(verdict("GET", "/v1/status", isOpen: true) { $0.isForwarded = true } == .refused(.noLogin))
        let post = verdict("POST", "/v1/prompts/1", isOpen: true) {
            Self.comesFromPage(&$0)
            $0.cookie = nil
        }
        #expect(post == .refused(.noLogin))
    }

    @Test(arguments: ["POST", "PUT", "DELETE", "PATCH"]) func `a change needs the page, its cookie and its token`(
        method: String
    ) {
        let path = "/v1/prompts/1"
        #expect(verdict(method, path, Self.comesFromPage) == .answer)
        let spoilt: [(WebRefusal, (inout WebRequest) -> Void)] = [
            (.foreignOrigin, { $0.origin = "http://evil.example" }), (.foreignOrigin, { $0.origin = nil }),
            (.foreignOrigin, { $0.origin = "null" }), (.foreignOrigin, { $0.origin = "http://pi.local:8081" }),
            (.foreignOrigin, { $0.site = "same-site" }), (.foreignOrigin, { $0.site = "cross-site" }),
            (.noLogin, { $0.cookie = nil }), (.noToken, { $0.token = nil }), (.noToken, { $0.token = "" }),
            (.noToken, { $0.token = Self.cookie }), (.foreignOrigin, { $0.host = nil }),
        ]
        for (refusal, spoil) in spoilt {
            let answer = verdict(method, path) {
                Self.comesFromPage(&$0)
                spoil(&$0)
            }
            #expect(answer == .refused(refusal))
        }
    }

    @Test func `a link is followed by the page alone`() {
        let path = "/v1/web/login"
        #expect(verdict("POST", path) { $0.origin = "http://pi.local:8080" } == .login)
        #expect(verdict("POST", path) { $0.origin = "https://pi.local:8080" } == .login)
        #expect(verdict("POST", path) == .refused(.foreignOrigin))
        #expect(verdict("GET", path, Self.comesFromPage) == .refused(.method(allowed: "POST")))
        #expect(verdict("HEAD", path, isOpen: true) == .refused(.method(allowed: "POST")))
    }

    @Test func `logging out is a change`() {
        let path = "/v1/web/logout"
        #expect(verdict("POST", path, Self.comesFromPage) == .logout(Self.pass))
        for method in ["GET", "HEAD", "PUT", "DELETE"] {
            #expect(verdict(method, path, Self.comesFromPage) == .refused(.method(allowed: "POST")))
        }
        let post = verdict("POST", path) {
            Self.comesFromPage(&$0)
            $0.token = nil
        }
        #expect(post == .refused(.noToken))
    }

    @Test(arguments: [
        "/v1/web/links", "/v1/web/devices", "/v1/web/devices/abcdef", "/v1/guests", "/v1/guests/code", "/v1/enrollment",
        "/v1//guests/code", "/v1/web//devices", "/v1/enrollment/", "/v1///web/links//",
    ])
    func `sessions, passphrases and phones are decided by the machine and by browsers with a login`(path: String) {
        for method in ["GET", "POST", "DELETE"] {
            #expect(verdict(method, path, Self.comesFromPage) == .answer)
            let stranger = verdict(method, path, isOpen: true) {
                Self.comesFromPage(&$0)
                $0.cookie = nil
            }
            #expect(stranger == .refused(.noLogin), "an open page shows no sessions")
        }
        for method in ["POST", "DELETE"] {
            let forged = verdict(method, path) {
                Self.comesFromPage(&$0)
                $0.token = nil
            }
            #expect(forged == .refused(.noToken))
        }
    }

    @Test(arguments: ["/", "/app.css", "/v2/status", "/v1", "//v1/status"]) func `files are read by all`(path: String) {
        #expect(verdict("GET", path) == .file)
        #expect(verdict("HEAD", path) == .file)
        #expect(verdict("POST", path, Self.comesFromPage) == .refused(.method(allowed: "GET, HEAD")))
    }

    @Test(arguments: [
        ("okaeri=\(cookie)", 1), ("a=b;okaeri=\(cookie)", 1), ("okaeri=\(cookie); okaeri=\(cookie)", 2),
        ("__Host-okaeri=\(cookie)", 0), ("=okaeri=\(cookie)", 0), ("okaeri", 0), ("okaeri=short", 0),
        ("Xokaeri=\(cookie)", 0), ("", 0),
        (String(repeating: "a=b; ", count: 10_000) + "okaeri=\(cookie)", 1),
        (String(repeating: "okaeri=\(token); ", count: 180) + "okaeri=\(cookie)", 181),
        (String(repeating: "okaeri=\(token); ", count: 1000), 256),
    ])
    func `cookies are found`(field: String, count: Int) {
        #expect(RequestGate.cookies(in: field, isSecure: false).count == count)
        let secure = field.replacing("okaeri=", with: "__Host-okaeri=").replacing("__Host-__Host-", with: "okaeri=")
        #expect(RequestGate.cookies(in: secure, isSecure: true).count == count)
        #expect(RequestGate.cookies(in: secure, isSecure: false).isEmpty)
    }

    @Test func `cookies that other programs of the host have set do not hide the login`() {
        let tossed = String(repeating: "okaeri=\(Self.token); x=y; ", count: 60)
        #expect(verdict("GET", "/v1/status") { $0.cookie = "\(tossed)okaeri=\(Self.cookie)" } == .answer)
    }

    @Test func `over TLS only the cookie counts that a site without TLS cannot set`() {
        func verdict(_ name: String, isSecure: Bool) -> RequestGate.Verdict {
            self.verdict("GET", "/v1/status") {
                $0.cookie = "\(name)=\(Self.cookie)"
                $0.isSecure = isSecure
            }
        }
        #expect(verdict("okaeri", isSecure: false) == .answer)
        #expect(verdict("okaeri", isSecure: true) == .refused(.noLogin))
        #expect(verdict("__Host-okaeri", isSecure: true) == .answer)
        #expect(verdict("__Host-okaeri", isSecure: false) == .refused(.noLogin))
    }

    @Test func `a link that answers a prompt needs no login, and leads nowhere else`() {
        for method in ["GET", "HEAD", "POST"] {
            #expect(verdict(method, "/answer/abc") == .prompt("abc"))
            #expect(verdict(method, "/answer/") == .prompt(""))
            #expect(verdict(method, "/answer/../v1/status") == .prompt("../v1/status"))
            #expect(verdict(method, "/answer/abc", permitsHost: false) == .refused(.foreignHost))
        }
        #expect(verdict("DELETE", "/answer/abc") == .refused(.method(allowed: "GET, HEAD, POST")))
        #expect(verdict("POST", "/answers/abc") == .refused(.method(allowed: "GET, HEAD")))
    }
}
