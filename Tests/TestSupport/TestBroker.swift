import Foundation
import Glibc
import OkaeriPlumbing
import Synchronization

/// A mosquitto of the test's own, on a port of its own. Its data lie in its folder, over a restart too.
///
/// `$OKAERI_MOSQUITTO` names another one than the machine's.
///
/// Sendable: what changes does so on the test's task alone, but for the log.
package final class TestBroker: @unchecked Sendable {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    package let folder: TemporaryFolder
    package private(set) var port: UInt16 = 0
    private let lines: [String]
    private var process: ChildProcess?
    /// The output since this start; some of an earlier start may still come.
    private let log = Mutex((start: 0, text: ""))
    private let news = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    /// - Parameter lines: The configuration beside the port.
    package init(_ lines: [String] = ["allow_anonymous true"], folder: TemporaryFolder? = nil) throws {
        self.folder = try folder ?? TemporaryFolder()
        self.lines = lines
        // The port may be taken before the broker has it.
        for _ in 0..<10 {
            port = try freePort()
            do {
                try start()
                return
            } catch {
                guard text.contains("Address already in use") else { throw error }
            }
        }
        throw Failure(description: "no port is free")
    }

    deinit { kill() }

    /// The output so far.
    package var text: String { log.withLock { $0.text } }

    /// Starts it, on the same port again, and waits until it listens.
    package func start() throws {
        // Started by root it would change its user, to one that must not write into the folder.
        let configuration = [
            "user \(geteuid() == 0 ? "root" : "mosquitto")", "listener \(port) 127.0.0.1", "log_type all",
            "log_dest stderr", "persistence_location \(folder.path)/",
        ]
        let path = try folder.file("mosquitto.conf", Array((configuration + lines).joined(separator: "\n").utf8) + [10])
        let process = ChildProcess()
        process.executableURL = URL(
            fileURLWithPath: ProcessInfo.processInfo.environment["OKAERI_MOSQUITTO"] ?? "/usr/sbin/mosquitto")
        process.arguments = ["-c", path]
        let output = Pipe()
        process.standardError = output
        process.standardOutput = FileHandle.nullDevice
        let start = log.withLock { log in
            log = (log.start + 1, "")
            return log.start
        }
        try process.run()
        self.process = process
        while true {
            let piece = output.fileHandleForReading.availableData
            guard !piece.isEmpty else { throw Failure(description: "mosquitto ends: \(text)") }
            log.withLock { $0.text += String(decoding: piece, as: UTF8.self) }
            if text.contains(" running") { break }
        }
        // A thread, not `readabilityHandler`: libdispatch crashes where several handlers come and go (its issue 949).
        try BlockingThread.start { [weak self, handle = output.fileHandleForReading] in
            while true {
                let piece = handle.availableData
                guard !piece.isEmpty, let self else { return }
                log.withLock { if $0.start == start { $0.text += String(decoding: piece, as: UTF8.self) } }
                news.continuation.yield()
            }
        }
    }

    /// Waits until it has written this so often.
    package func logged(_ words: String, times: Int = 1) async throws {
        func isThere() -> Bool { text.components(separatedBy: words).count > times }
        if isThere() { return }
        for await _ in news.stream where isThere() { return }
        throw CancellationError()
    }

    /// Returns the times of the lines with these words, in seconds since the Unix epoch.
    package func seconds(of words: String) -> [Int] {
        text.split(separator: "\n").filter { $0.contains(words) }
            .compactMap { $0.split(separator: ":").first.flatMap { Int($0) } }
    }

    package func kill() { process?.killAndWait() }

    /// It stands still, and listens no more.
    package func freeze() { signal(SIGSTOP) }
    package func thaw() { signal(SIGCONT) }

    private func signal(_ number: Int32) {
        if let process { Glibc.kill(process.processIdentifier, number) }
    }
}

/// Returns a port of loopback that is free now.
package func freePort() throws -> UInt16 {
    let listener = try LoopbackListener()
    defer { listener.close() }
    return listener.port
}

/// A socket that listens on loopback.
///
/// Its port is below those that the kernel gives to clients, and never the same twice in a process: after ``close()`` it
/// stays free for the server under test.
package struct LoopbackListener {
    package let descriptor: Int32
    package let port: UInt16

    private static let ports = Mutex((20_000...30_000).shuffled())

    package init() throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        while let port = Self.ports.withLock({ $0.popLast() }).map({ UInt16($0) }) {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            let listens = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0 && listen(descriptor, 16) == 0
                }
            }
            if listens {
                (self.descriptor, self.port) = (descriptor, port)
                return
            }
        }
        Glibc.close(descriptor)
        throw TestBroker.Failure(description: "no port is free")
    }

    package func close() { Glibc.close(descriptor) }
}
