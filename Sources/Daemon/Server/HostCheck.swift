package import Hummingbird
import Plumbing

/// Whether a request means this machine. A foreign page can make its own name resolve to this machine (DNS rebinding),
/// and read the answers; then the name is in the field Host, and is not one of this machine's.
package struct HostCheck: RouterMiddleware {
    private let names: Set<String>

    /// - Parameter names: of this machine; `localhost` and every address are fine anyway.
    package init(names: [String]) {
        let own = names.filter { !$0.isEmpty }.map { $0.lowercased() }
        self.names = Set(["localhost"] + own + own.map { "\($0).local" })
    }

    package func handle(
        _ request: Request, context: Exchange, next: (Request, Exchange) async throws -> Response
    ) async throws -> Response {
        guard permits(request.head.authority) else { throw WebRefusal.foreignHost }
        return try await next(request, context)
    }

    /// - Parameter authority: The value of Host, with or without a port (RFC 9110, 7.2); `nil`: none.
    package func permits(_ authority: String?) -> Bool {
        guard let authority, let host = Self.host(of: authority) else { return false }
        if host.hasPrefix("[") { return IPAddress(String(host.dropFirst().dropLast()))?.isVersion6 == true }
        if let address = IPAddress(String(host)) { return !address.isVersion6 }
        // A point at the end marks the name as whole.
        return names.contains((host.hasSuffix(".") ? host.dropLast() : host).lowercased())
    }

    private static func host(of authority: String) -> Substring? {
        let end = authority.lastIndex(of: "]").map(authority.index(after:)) ?? authority.startIndex
        guard let colon = authority[end...].firstIndex(of: ":") else { return authority[...] }
        guard authority[authority.index(after: colon)...].allSatisfy({ ("0"..."9").contains($0) }) else { return nil }
        return authority[..<colon]
    }
}
