import HTTPTypes
import Hummingbird
package import Logging
import OkaeriEvents
import OkaeriPlumbing

/// The logins of the page: a user with access to the socket, and a browser with a session, may make links and end sessions.
package struct LoginEndpoints: Sendable {
    private let logins: LoginStore
    private let addresses: @Sendable () -> [String]
    private let logger: Logger

    /// - Parameter addresses: Returns the addresses of the page; none: there is no page.
    package init(_ logins: LoginStore, addresses: @escaping @Sendable () -> [String], logger: Logger) {
        self.logins = logins
        self.addresses = addresses
        self.logger = logger
    }

    package var all: [Endpoint] {
        [
            Endpoint(.post, Route.links, .socket, rights: .all) { try await link(for: $0) },
            Endpoint(.get, Route.devices, .socket, rights: .all) { _ in .json(devices) },
            Endpoint(.delete, "\(Route.devices)/:id", .socket, rights: .all) { exchange in
                let id = exchange.component("id")
                guard logins.revoke(id) else { throw Self.unknown(id) }
                return .json(devices)
            },
            Endpoint(.post, "\(Route.devices)/:id", .socket, rights: .all) { .json(try await rename($0)) },
            Endpoint(.post, Route.login, .visitors) { try await login($0) },
            Endpoint(.get, Route.session, .pageReaders) { exchange in
                .session(
                    exchange.session, isOpen: exchange.isOpen, isSecure: WebRequest(exchange.request).isSecure)
            },
            Endpoint(.post, Route.logout) { exchange in
                try await exchange.discardContent(of: "a logout")
                if let session = exchange.session { _ = logins.revoke(session.device.id) }
                return .loggedOut(isOpen: exchange.isOpen)
            },
        ]
    }

    private func link(for exchange: Exchange) async throws(PageFailure) -> Response {
        try await exchange.discardContent(of: "a link")
        let addresses = addresses()
        guard !addresses.isEmpty else {
            throw PageFailure(.notFound, .noPage)
        }
        if let session = exchange.session {
            logger.notice(
                "a link for another browser was made on the page", metadata: ["by": "\(session.device.name)"])
        }
        let link = WebLinkReport(
            addresses: addresses, token: logins.link(), seconds: Int(Logins.linkValidity / 1_000_000_000))
        return .json(link, headers: [.cacheControl: "no-store"])
    }

    private static func unknown(_ id: String) -> PageFailure {
        PageFailure(.notFound, .noBrowser, id.plain())
    }

    private func rename(_ exchange: Exchange) async throws(PageFailure) -> [WebDeviceReport] {
        struct Name: Decodable {
            var name: String
        }
        let name = try await exchange.value(Name.self, "{\"name\": …}").name
        let id = exchange.component("id")
        guard let device = logins.devices.first(where: { $0.id == id }) else { throw Self.unknown(id) }
        guard let new = logins.rename(id, to: name) else {
            throw PageFailure(.badRequest, .invisibleName)
        }
        logger.notice("a browser has another name", metadata: ["before": "\(device.name)", "name": "\(new)"])
        return devices
    }

    private func login(_ exchange: Exchange) async throws(PageFailure) -> Response {
        struct Login: Decodable {
            var token: String
            var name: String?
        }
        guard let login = await exchange.value(Login.self) else {
            throw PageFailure(.badRequest, request: .body, "{\"token\": …, \"name\": …}")
        }
        guard let session = logins.redeem(login.token, name: login.name ?? "") else {
            await exchange.delayWrongLink()
            throw PageFailure(.unauthorized, .linkIsNotValid)
        }
        logger.notice("a browser has logged in to the page", metadata: ["name": "\(session.device.name)"])
        return .session(session, isOpen: exchange.isOpen, isSecure: WebRequest(exchange.request).isSecure)
    }

    private var devices: [WebDeviceReport] {
        logins.devices.map { device in
            WebDeviceReport(
                id: device.id, name: device.name, since: Timestamp.text(device.since * 1_000_000_000),
                seen: Timestamp.text(device.seen * 1_000_000_000))
        }
    }
}
