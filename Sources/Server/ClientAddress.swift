import NIOCore

/// The part of a client's address by which its connections are counted.
///
/// An IPv4 address, or the first 64 bits of an IPv6 address: a host chooses the others freely (RFC 8981). All hosts of a link
/// share the first 64 bits of their link-local addresses, which therefore count as a whole.
struct ClientAddress: Hashable, Sendable {
    private let bytes: [UInt8]

    /// - Returns: `nil` for a Unix socket, whose clients have no addresses.
    init?(_ address: SocketAddress) {
        switch address {
        // sin_addr of ip(7) and sin6_addr of ipv6(7): their module is swift-nio's own.
        case .v4(let address): bytes = withUnsafeBytes(of: address.address) { Array($0[4..<8]) }
        case .v6(let address):
            let all = withUnsafeBytes(of: address.address) { Array($0[8..<24]) }
            let isMapped = all.prefix(12) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
            let isLinkLocal = all[0] == 0xFE && all[1] & 0xC0 == 0x80
            bytes = isMapped ? Array(all.suffix(4)) : isLinkLocal ? all : Array(all.prefix(8))
        case .unixDomainSocket: return nil
        }
    }
}
