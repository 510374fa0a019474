import Events
import Hummingbird
import Plumbing

/// The logins of the page: a user with access to the socket, and a browser with a login, may make links and end sessions.
struct LoginEndpoints: Sendable {
    private let logins: LoginStore
    private let addresses: @Sendable () -> [String]

    /// - Parameter addresses: Returns the addresses of the page; none: there is no page.
    init(_ logins: LoginStore, addresses: @escaping @Sendable () -> [String]) {
        self.logins = logins
        self.addresses = addresses
    }

    /// Content has no meaning here, but some clients send an empty object.
    private static let largestBody = 1024

    private static let noPage =
        "there is no page; run `sudo okaeri web on`"

    var all: [Endpoint] {
        [
            Endpoint(.post, Route.links) { [logins, addresses] request, _ in
                guard await request.discardContent(upTo: Self.largestBody) else {
                    return .failure(.badRequest, "a link takes no content; send the request without a body")
                }
                let addresses = addresses()
                guard !addresses.isEmpty else { return .failure(.notFound, Self.noPage) }
                let link = WebLinkReport(
                    addresses: addresses, token: logins.link(), seconds: Int(Logins.linkValidity / 1_000_000_000))
                return .json(link, headers: [.cacheControl: "no-store"])
            },
            Endpoint(.get, Route.devices) { [logins] _, _ in .json(Self.list(logins)) },
            Endpoint(.delete, "\(Route.devices)/:id") { [logins] _, context in
                let id = context.parameters.get("id") ?? ""
                guard logins.revoke(id) else {
                    return .failure(.notFound, "there is no browser \(id.plain()); `okaeri web devices` lists them")
                }
                return .json(Self.list(logins))
            },
        ]
    }

    private static func list(_ logins: LoginStore) -> [WebDeviceReport] {
        logins.devices.map { device in
            WebDeviceReport(
                id: device.id, name: device.name, since: Timestamp.text(device.since * 1_000_000_000),
                seen: Timestamp.text(device.seen * 1_000_000_000))
        }
    }
}
