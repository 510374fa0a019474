import NIOCore
import NIOHTTP1

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
