package import Hummingbird
import NIOCore
import NIOHTTP1
import OkaeriPlumbing

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
        // Home Assistant's proxy passes on the name by which the browser reaches Home Assistant. A foreign name has no login there.
        guard context.user != nil || permits(request.head.authority) else { throw WebRefusal.foreignHost }
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

/// Adds the authority of an absolute-form target (RFC 9112, 3.2.2) as a Host field, where the request's Host is another one.
///
/// The codec behind it keeps the target's path alone. So a request whose target and Host name different machines is one with
/// two Host fields, and is refused as such.
final class AbsoluteTarget: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data), let authority = Self.authority(of: head.uri),
            head.headers["host"].map({ $0.lowercased() }) != [authority.lowercased()]
        else {
            context.fireChannelRead(data)
            return
        }
        head.headers.add(name: "host", value: authority)
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    /// Returns `nil` for a target that names no machine: a path, or an asterisk.
    static func authority(of target: String) -> String? {
        guard !target.hasPrefix("/"), target != "*" else { return nil }
        guard let colon = target.firstIndex(of: ":"), target[colon...].hasPrefix("://") else { return "" }
        return String(target[colon...].dropFirst(3).prefix { !"/?#".contains($0) })
    }
}

/// The part of a client's address by which its connections are counted.
///
/// An IPv4 address, or the first 64 bits of an IPv6 address: a host chooses the others freely (RFC 8981, RFC 4862). All hosts
/// of a link share those bits of their link-local addresses, so such an address counts by its interface.
struct ClientAddress: Hashable, Sendable {
    private let bytes: [UInt8]

    /// - Returns: `nil` for a Unix socket, whose clients have no addresses.
    init?(_ address: SocketAddress) {
        switch address {
        // sin_addr of ip(7) and sin6_addr of ipv6(7): their module is swift-nio's own.
        case .v4(let address): bytes = withUnsafeBytes(of: address.address) { Array($0[4..<8]) }
        case .v6(let address):
            // sin6_addr, then sin6_scope_id: the interface of a link-local address, 0 of any other.
            let all = withUnsafeBytes(of: address.address) { Array($0[8..<28]) }
            let isMapped = all.prefix(12) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
            bytes = isMapped ? Array(all[12..<16]) : Array(all.prefix(8) + all.suffix(4))
        case .unixDomainSocket: return nil
        }
    }
}
