import Glibc
import OkaeriPlumbing

/// systemd, as a service notifies it (sd_notify(3)): each message is a datagram to the socket in `$NOTIFY_SOCKET`.
///
/// These few lines stand in for libsystemd, which would be one more library to be there where the binary is put.
package final class ServiceManager: Sendable {
    /// A message of a service.
    package enum Message: Sendable, Equatable {
        /// It has started, or has read its configuration again.
        case ready
        /// It reads its configuration again; ``ready`` follows.
        case reloading
        /// It is about to end.
        case stopping
        /// It lives.
        case watchdog
        /// Its activity in a sentence; `systemctl status` shows it.
        case status(String)
    }

    /// The longest silence of the service before it counts as stuck; `nil` without a watchdog.
    package let watchdogInterval: Duration?

    /// The maximum length of a sentence, in characters: systemd drops a message of more than 4096 bytes.
    private static let longestStatus = 1000

    private let sender: DatagramSender

    /// - Returns: nil when no service manager wants to hear anything.
    package init?(environment: [String: String]) {
        guard let sender = environment["NOTIFY_SOCKET"].flatMap(DatagramSender.init) else { return nil }
        self.sender = sender
        watchdogInterval = Self.watchdogInterval(environment)
    }

    /// Sends all messages at once. The absence of the manager is not a fault of the service.
    package func notify(_ messages: Message...) { notify(messages) }

    func notify(_ messages: [Message]) {
        _ = sender.send(Array(messages.map(Self.text).joined(separator: "\n").utf8))
    }

    /// sd_watchdog_enabled(3).
    private static func watchdogInterval(_ environment: [String: String]) -> Duration? {
        if let process = environment["WATCHDOG_PID"], process != "\(getpid())" { return nil }
        return environment["WATCHDOG_USEC"].flatMap { Int64(decimal: $0) }.flatMap { $0 > 0 ? .microseconds($0) : nil }
    }

    private static func text(_ message: Message) -> String {
        switch message {
        case .ready: "READY=1"
        case .reloading: "RELOADING=1\nMONOTONIC_USEC=\(monotonicMicroseconds)"
        case .stopping: "STOPPING=1"
        case .watchdog: "WATCHDOG=1"
        // A line break would begin another message, and a name from the configuration may hold one.
        case .status(let sentence):
            "STATUS=" + String(sentence.unicodeScalars.prefix(longestStatus)).plain()
        }
    }

    private static var monotonicMicroseconds: Int64 { KernelClock.monotonic / 1000 }
}

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
