import Glibc

/// The receiving end of a Unix socket for datagrams, such as systemd's or the journal's.
public final class DatagramReceiver: Sendable {
    /// A path, or `@` and a name.
    public let address: String
    private let descriptor: Int32

    public init?(isAbstract: Bool = false) {
        let name = "okaeri-test-\(UInt64.random(in: 0...UInt64.max))"
        address = isAbstract ? "@\(name)" : "/tmp/\(name)"
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var path = Array(address.utf8) + (isAbstract ? [] : [0])
        if isAbstract { path[0] = 0 }
        var bound = sockaddr_un()
        bound.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &bound.sun_path) { $0.copyBytes(from: path) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + path.count)
        let result = withUnsafePointer(to: &bound) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        if result != 0 { return nil }
    }

    deinit {
        close(descriptor)
        if address.hasPrefix("/") { unlink(address) }
    }

    /// The next message; nil when none waits and `isPatient` is not.
    public func next(isPatient: Bool = false) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        let count = recv(descriptor, &buffer, buffer.count, isPatient ? 0 : Int32(MSG_DONTWAIT))
        return count < 0 ? nil : Array(buffer[..<count])
    }

    /// The next message as text.
    public func nextText(isPatient: Bool = false) -> String? {
        next(isPatient: isPatient).map { String(decoding: $0, as: UTF8.self) }
    }
}
