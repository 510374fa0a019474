import HTTPTypes
import Hummingbird
import NIOCore
import OkaeriEvents

extension WebRequest {
    init(_ request: Request) {
        let headers = request.headers
        self.init(
            method: request.method.rawValue, host: request.head.authority,
            origin: headers[.origin], cookie: headers[.cookie], site: headers[field: "Sec-Fetch-Site"],
            token: headers[field: RequestGate.tokenField],
            isForwarded: headers.contains { Self.isOfProxy($0.name) },
            isSecure: headers[field: "X-Forwarded-Proto"].map(Self.isSecure) ?? false,
            forwardedHost: headers[field: "X-Forwarded-Host"].map(Self.first(of:)))
    }

    /// Whether the client used TLS, by the first of the protocols that the proxies on the way have listed.
    private static func isSecure(_ protocols: String) -> Bool {
        first(of: protocols).lowercased() == "https"
    }

    /// Returns the first value of a list, which the proxy next to the browser has added.
    private static func first(of list: String) -> String {
        String(list.prefix { $0 != "," }.filter { $0 != " " && $0 != "\t" })
    }

    /// Whether a proxy adds this field. A proxy that adds none cannot be noticed.
    private static func isOfProxy(_ name: HTTPField.Name) -> Bool {
        let name = name.canonicalName
        return proxyFields.contains(name) || ["x-forwarded", "x-real-"].contains { name.hasPrefix($0) }
            || ["-client-ip", "-clientip"].contains { name.hasSuffix($0) }
    }

    private static let proxyFields: Set = [
        "cdn-loop", "cf-connecting-ip", "client-ip", "forwarded", "front-end-https", "tailscale-user-login", "via",
        "x-appengine-user-ip", "x-envoy-external-address", "x-original-forwarded-for", "x-original-host",
        "x-proxyuser-ip", "x-scheme",
    ]
}

extension Request {
    /// The user that the proxy of Home Assistant names. Any client can send these fields: they count from the proxy alone.
    var proxyUser: ProxyUser? {
        ProxyUser(
            id: headers[field: "X-Remote-User-Id"], display: headers[field: "X-Remote-User-Display-Name"],
            login: headers[field: "X-Remote-User-Name"])
    }
}

extension HTTPFields {
    /// By a name that HTTPTypes has no constant for.
    fileprivate subscript(field name: String) -> String? { HTTPField.Name(name).flatMap { self[$0] } }
}

extension Response {
    /// Returns the session; `nil`: a client of a page that is open.
    static func session(_ pass: Logins.Session?, isOpen: Bool, isSecure: Bool) -> Response {
        struct Session: Encodable {
            var id: String?
            var name: String?
            var csrf: String?
            var open: Bool
            var ingress: Bool
            var rights: SessionRights

            // The page asks for all of them.
            func encode(to encoder: any Encoder) throws {
                var members = encoder.container(keyedBy: Key.self)
                try members.encode(id, forKey: .id)
                try members.encode(name, forKey: .name)
                try members.encode(csrf, forKey: .csrf)
                try members.encode(open, forKey: .open)
                try members.encode(ingress, forKey: .ingress)
                try members.encode(rights, forKey: .rights)
            }

            enum Key: CodingKey { case id, name, csrf, open, ingress, rights }
        }
        let rights = pass?.rights ?? .look
        var response = json(
            Session(
                id: pass?.device.id, name: pass?.device.name, csrf: rights == .look ? nil : pass?.token,
                open: isOpen && pass == nil, ingress: pass?.isOfProxy ?? false, rights: rights))
        if let pass, !pass.isOfProxy {
            response.headers[.setCookie] = cookie(pass.cookie, seconds: Logins.deviceValidity, isSecure: isSecure)
        }
        return response
    }

    static func loggedOut(isOpen: Bool) -> Response {
        var response = session(nil, isOpen: isOpen, isSecure: false)
        response.headers[values: .setCookie] = [true, false].map { cookie("", seconds: 0, isSecure: $0) }
        return response
    }

    private static func cookie(_ value: String, seconds: Int64, isSecure: Bool) -> String {
        let name = isSecure ? RequestGate.secureCookie : RequestGate.cookie
        return "\(name)=\(value); Max-Age=\(seconds); Path=/; HttpOnly; SameSite=Strict\(isSecure ? "; Secure" : "")"
    }
}

extension PageFile {
    /// The files, which have nothing in them that is not public.
    package static var endpoints: [Endpoint] {
        ["/", "/**"].map { Endpoint(.get, $0, .unrestricted, isAccounted: true) { response(to: $0.request) } }
    }

    private static func response(to request: Request) -> Response {
        guard let file = at(request.uri.path, in: request.language) else {
            return .failure(.notFound, "the page has no such file; load it again")
        }
        let copy = file.copy(packed: request.acceptsGzip)
        var headers: HTTPFields = [.contentType: file.type, .eTag: copy.tag, .cacheControl: "no-cache"]
        if file.language != nil { headers.vary(by: .acceptLanguage) }
        headers.vary(by: .acceptEncoding)
        if request.hasCopy(of: copy.tag) { return Response(status: .notModified, headers: headers) }
        if copy.isPacked { headers[.contentEncoding] = Compression.coding }
        return Response(status: .ok, headers: headers, body: .pieces(of: copy.content))
    }
}

extension Request {
    /// Whether the client has a copy with this tag, which is a weak one (RFC 9110, 13.1.2).
    fileprivate func hasCopy(of tag: String) -> Bool {
        (headers[.ifNoneMatch] ?? "").split(separator: ",").contains { item in
            let item = item.filter { $0 != " " && $0 != "\t" }
            return item == tag || "W/\(item)" == tag || item == "*"
        }
    }
}

/// The header fields of every answer to a browser on TCP.
enum SecurityHeaders {
    /// Nothing from elsewhere, nothing inline.
    private static let sources =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        + "manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors"

    private static let frameOptions = HTTPField.Name("X-Frame-Options")

    /// Adds the fields of an answer that Home Assistant shows in a frame of its own page.
    static func allowFrame(in headers: inout HTTPFields) {
        guard let frameOptions, headers[.contentSecurityPolicy] == nil else { return }
        headers[.contentSecurityPolicy] = "\(sources) 'self'"
        headers[frameOptions] = "SAMEORIGIN"
    }

    static func add(to headers: inout HTTPFields) {
        if headers[.contentSecurityPolicy] == nil { headers[.contentSecurityPolicy] = "\(sources) 'none'" }
        headers[.xContentTypeOptions] = "nosniff"
        if let name = HTTPField.Name("Referrer-Policy") { headers[name] = "no-referrer" }
        if let frameOptions, headers[frameOptions] == nil { headers[frameOptions] = "DENY" }
        if let name = HTTPField.Name("Cross-Origin-Resource-Policy") { headers[name] = "same-origin" }
        if let name = HTTPField.Name("Cross-Origin-Opener-Policy") { headers[name] = "same-origin" }
        if headers[.cacheControl] == nil { headers[.cacheControl] = "no-store" }
    }
}
