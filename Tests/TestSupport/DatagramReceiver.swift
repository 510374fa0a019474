import Foundation
import Glibc

/// The receiving end of a Unix socket for datagrams, such as systemd's or the journal's.
public final class DatagramReceiver: Sendable {
    /// A path, or `@` and a name.
    public let address: String
    private let descriptor: Int32
    private let folder: TemporaryFolder

    public init?(isAbstract: Bool = false) {
        guard let folder = try? TemporaryFolder() else { return nil }
        self.folder = folder
        address = isAbstract ? "@okaeri-test-\(UInt64.random(in: 0...UInt64.max))" : "\(folder.path)/receiver"
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

    deinit { close(descriptor) }

    /// The next message; nil when none waits and `isBlocking` is not.
    public func next(isBlocking: Bool = false) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        let count = recv(descriptor, &buffer, buffer.count, isBlocking ? 0 : Int32(MSG_DONTWAIT))
        return count < 0 ? nil : Array(buffer[..<count])
    }

    /// The next message as text.
    public func nextText(isBlocking: Bool = false) -> String? {
        next(isBlocking: isBlocking).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The next message, waited for on a thread that may block.
    public func text() async -> String {
        let (texts, continuation) = AsyncStream.makeStream(of: String.self)
        let thread = Thread { [self] in
            continuation.yield(nextText(isBlocking: true) ?? "")
            continuation.finish()
        }
        thread.start()
        for await text in texts { return text }
        return ""
    }
}
