import Glibc

/// A client that is not an HTTP library: it sends and reads on request.
final class RawClient {
    private let path: String?
    private let port: UInt16
    private let descriptor: Int32
    private var bytes: [UInt8] = []
    private var isOpen = true
    private(set) var isAtEnd = false

    struct Failure: Error {
        var code: Int32
    }

    /// To a Unix socket.
    init(_ path: String) throws {
        (self.path, port) = (path, 0)
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        if descriptor < 0 { throw Failure(code: errno) }
    }

    /// To a port of this machine.
    ///
    /// - Parameter host: the last byte of the client's own address, 127.0.0.0/24.
    init(port: UInt16, from host: UInt8 = 1) throws {
        (path, self.port) = (nil, port)
        // A connection to oneself is there at once, or refused.
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        if descriptor < 0 { throw Failure(code: errno) }
        if host != 1 { try descriptor.withAddress(port: 0, host: host, Glibc.bind) }
    }

    deinit { close() }

    func connect() throws {
        guard let path else {
            try descriptor.withAddress(port: port, Glibc.connect)
            // Without a listener the kernel may choose the same port for the client, which is then connected to itself.
            if ownPort == port { throw Failure(code: ECONNREFUSED) }
            _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
            return
        }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        if result != 0 { throw Failure(code: errno) }
    }

    private var ownPort: UInt16 {
        var (address, length) = (sockaddr_in(), socklen_t(MemoryLayout<sockaddr_in>.size))
        return withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        } == 0 ? UInt16(bigEndian: address.sin_port) : 0
    }

    /// Sends as much as the server takes.
    func send(_ text: String) {
        let bytes = Array(text.utf8)
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count > 0 { sent += count } else if errno != EAGAIN { return }
        }
    }

    /// Sends a few bytes if there is room for them, and does not wait otherwise.
    func offer(_ text: String) {
        _ = Array(text.utf8).withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }

    /// Everything that has come so far.
    var received: String {
        read()
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Everything that has come so far, as it is.
    var receivedBytes: [UInt8] {
        read()
        return bytes
    }

    /// Whether the server has hung up.
    var isClosedByPeer: Bool {
        read()
        return isAtEnd
    }

    /// The number of bytes that wait to be read.
    var waiting: Int {
        var count: Int32 = 0
        return ioctl(descriptor, UInt(FIONREAD), &count) == 0 ? Int(count) : 0
    }

    func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    func close() {
        if isOpen { Glibc.close(descriptor) }
        isOpen = false
    }

    private func read() {
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = recv(descriptor, &chunk, chunk.count, 0)
            if count > 0 {
                bytes += chunk[..<count]
            } else {
                if count == 0 || errno != EAGAIN { isAtEnd = true }
                return
            }
        }
    }
}

extension Int32 {
    fileprivate func withAddress(
        port: UInt16, host: UInt8 = 1, _ call: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) throws {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = (0x7F00_0000 | UInt32(host)).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                call(self, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        if result != 0 { throw RawClient.Failure(code: errno) }
    }
}

extension String {
    /// Returns the text between two others; empty if they are missing.
    func word(between start: String, and end: String) -> String {
        guard let from = range(of: start)?.upperBound, let to = self[from...].range(of: end)?.lowerBound else {
            return ""
        }
        return String(self[from..<to])
    }
}
