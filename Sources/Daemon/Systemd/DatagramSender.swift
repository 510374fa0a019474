import Glibc
import Plumbing

/// Sends messages to one Unix socket, each as a datagram of its own.
final class DatagramSender: Sendable {
    private let descriptor: OwnedDescriptor
    private let address: sockaddr_un
    private let length: socklen_t

    /// - Parameter address: an absolute path, or `@` and a name for an abstract socket.
    /// - Returns: nil for any other address, one that is too long, and when no descriptor is left.
    init?(address text: String) {
        var path = Array(text.utf8)
        guard let first = path.first, path.count > 1 else { return nil }
        switch first {
        case UInt8(ascii: "/"): path.append(0)
        // An abstract name begins with a zero and is as long as its stated length, without one at the end.
        case UInt8(ascii: "@"): path[0] = 0
        default: return nil
        }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard path.count <= MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        self.address = address
        length = socklen_t(MemoryLayout<sa_family_t>.size + path.count)
        let number = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard number >= 0 else { return nil }
        descriptor = OwnedDescriptor(owning: number)
    }

    /// Sends one message. Waits for as long as the receiver's queue is full.
    ///
    /// - Returns: whether the receiver has it now.
    func send(_ message: [UInt8]) -> Bool {
        var address = address
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                while true {
                    let sent = sendto(descriptor.number, message, message.count, Int32(MSG_NOSIGNAL), pointer, length)
                    if sent >= 0 { return true }
                    if errno != EINTR { return false }
                }
            }
        }
    }
}
