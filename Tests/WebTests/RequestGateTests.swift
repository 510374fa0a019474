import HTTPTypes
import Testing

@testable import OkaeriServer

@Suite struct RequestGateTests {
    private static let cookie = String(repeating: "a", count: 64)
    private static let token = String(repeating: "b", count: 64)

    private static let session = Logins.Session(
        device: BrowserSession(id: "abcdef", name: "a phone", since: 0, seen: 0, digest: ""), cookie: cookie,
        token: token)

    /// Returns why a request is refused; `nil` if it is answered.
    private func refusal(
        _ method: String, _ access: Access, isOpen: Bool = false, _ change: (inout WebRequest) -> Void = { _ in }
    ) -> WebRefusal? {
        var request = WebRequest(method: method, host: "pi.local:8080")
        change(&request)
        do throws(WebRefusal) {
            let session = try RequestGate(isOpen: isOpen).session(of: request, for: access) {
                $0 == Self.cookie ? Self.session : nil
            }
            // Without one, only what needs none is answered.
            #expect(session == Self.session || access >= .visitors || isOpen && access >= .pageReaders)
            return nil
        } catch {
            return error
        }
    }

    /// As a browser does it from the page.
    private static func comesFromPage(_ request: inout WebRequest) {
        request.origin = "http://pi.local:8080"
        request.site = "same-origin"
        request.cookie = "x=1; okaeri=\(cookie)"
        request.token = token
    }

    /// All but those that need no session.
    private static let guarded = Access.allCases.filter { $0 < .visitors }

    @Test(arguments: guarded) func `without a login nothing is answered`(access: Access) {
        for method in ["GET", "HEAD"] {
            #expect(refusal(method, access) == .noLogin)
            let wrong = String(repeating: "c", count: 64)
            #expect(refusal(method, access) { $0.cookie = "okaeri=\(wrong)" } == .noLogin)
            #expect(refusal(method, access) { $0.cookie = "okaeri=" } == .noLogin)
            #expect(refusal(method, access) { $0.cookie = "okaeri=\(Self.cookie)" } == nil)
        }
    }

    @Test func `an endpoint that names no access is for browsers with a session alone`() {
        #expect(Endpoint(.get, "/v1/new") { _ in .json("") }.access == .session)
        #expect(Access.allCases.min() == .session)
    }

    /// Each look-up costs two digests, and may note that the browser was seen.
    @Test func `a cookie is looked up once, and none after the one of a login`() throws {
        let others = (0..<3).map { String(repeating: "\($0)", count: 64) }
        var lookedUp: [String] = []
        let cookies = (others + [Self.cookie, Self.token]).map { "okaeri=\($0)" }.joined(separator: "; ")
        let request = WebRequest(method: "GET", host: "pi.local:8080", cookie: cookies)
        let session = try RequestGate(isOpen: false).session(of: request, for: .readers) { cookie in
            lookedUp.append(cookie)
            return cookie == Self.cookie ? Self.session : nil
        }
        #expect(session == Self.session)
        #expect(lookedUp == others + [Self.cookie])
    }

    @Test(arguments: guarded) func `an open page is readable on the machine and changed by no client`(access: Access) {
        let isRead = access >= .pageReaders
        for method in ["GET", "HEAD"] {
            #expect(refusal(method, access, isOpen: true) == (isRead ? nil : .noLogin))
            // What a proxy passes on may come from anywhere.
            #expect(refusal(method, access, isOpen: true) { $0.isForwarded = true } == .noLogin)
        }
        for method in ["POST", "DELETE", "QUERY"] {
            let change = refusal(method, access, isOpen: true) {
                Self.comesFromPage(&$0)
                $0.cookie = nil
            }
            #expect(change == .noLogin)
        }
    }

    @Test(arguments: ["POST", "PUT", "DELETE", "PATCH"], guarded)
    func `a change needs the page, its cookie and its token`(method: String, access: Access) {
        #expect(refusal(method, access, Self.comesFromPage) == nil)
        let spoilt: [(WebRefusal, (inout WebRequest) -> Void)] = [
            (.foreignOrigin, { $0.origin = "http://evil.example" }), (.foreignOrigin, { $0.origin = nil }),
            (.foreignOrigin, { $0.origin = "null" }), (.foreignOrigin, { $0.origin = "http://pi.local:8081" }),
            (.foreignOrigin, { $0.site = "same-site" }), (.foreignOrigin, { $0.site = "cross-site" }),
            (.noLogin, { $0.cookie = nil }), (.noToken, { $0.token = nil }), (.noToken, { $0.token = "" }),
            (.noToken, { $0.token = Self.cookie }), (.foreignOrigin, { $0.host = nil }),
        ]
        for (refusal, spoil) in spoilt {
            let found = self.refusal(method, access, isOpen: true) {
                Self.comesFromPage(&$0)
                spoil(&$0)
            }
            #expect(found == refusal)
        }
    }

    @Test func `a link is followed by the page alone`() {
        #expect(refusal("POST", .visitors) { $0.origin = "http://pi.local:8080" } == nil)
        #expect(refusal("POST", .visitors) { $0.origin = "https://pi.local:8080" } == nil)
        #expect(refusal("POST", .visitors) == .foreignOrigin)
        #expect(refusal("POST", .visitors) { $0.origin = "http://evil.example" } == .foreignOrigin)
        #expect(refusal("GET", .visitors) == nil)
    }

    @Test(arguments: ["GET", "HEAD", "POST", "DELETE"])
    func `an unrestricted endpoint needs nothing, and no cookie of it is looked up`(method: String) throws {
        var request = WebRequest(method: method)
        Self.comesFromPage(&request)
        request.origin = "http://evil.example"
        let session = try RequestGate(isOpen: false).session(of: request, for: .unrestricted) { _ in
            Issue.record("a cookie is looked up")
            return nil
        }
        #expect(session == nil)
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
        #expect(refusal("GET", .readers) { $0.cookie = "\(tossed)okaeri=\(Self.cookie)" } == nil)
    }

    @Test func `over TLS only the cookie counts that a site without TLS cannot set`() {
        func refusal(_ name: String, isSecure: Bool) -> WebRefusal? {
            self.refusal("GET", .readers) {
                $0.cookie = "\(name)=\(Self.cookie)"
                $0.isSecure = isSecure
            }
        }
        #expect(refusal("okaeri", isSecure: false) == nil)
        #expect(refusal("okaeri", isSecure: true) == .noLogin)
        #expect(refusal("__Host-okaeri", isSecure: true) == nil)
        #expect(refusal("__Host-okaeri", isSecure: false) == .noLogin)
    }
}
