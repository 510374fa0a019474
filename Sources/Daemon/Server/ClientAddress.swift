import NIOCore

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
