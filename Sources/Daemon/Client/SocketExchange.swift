import Glibc
import OkaeriPlumbing
import Synchronization

/// One request over a Unix socket, and its answer. It needs no event loop: a command that asks once starts and ends faster without.
struct SocketExchange: Sendable {
    enum Failure: Error, Equatable {
        /// No connection: the error of a system call.
        case connection(code: Int32)
        /// The daemon closed the connection before the end of its answer, or sent nothing in time.
        case hungUp
        case answer(HTTPAnswerReader.Problem)
        case thread(BlockingThread.StartError)
        /// The path of the socket, which fits into no address.
        case longPath
    }

    let socket: String
    let request: [UInt8]

    /// The limit of the connection, and again of the answer.
    let limit: Duration

    /// Ends the exchange of a task that is cancelled.
    private final class Interruption: Sendable {
        /// The descriptor; `nil` before it is opened and after it is closed.
        private let number = Mutex<Int32?>(nil)
        private let isCancelled = Mutex(false)

        func begin(_ descriptor: Int32) {
            number.withLock { $0 = descriptor }
            if isCancelled.withLock(\.self) { cancel() }
        }

        func end() { number.withLock { $0 = nil } }

        func cancel() {
            isCancelled.withLock { $0 = true }
            number.withLock { number in
                if let number { _ = shutdown(number, Int32(SHUT_RDWR)) }
            }
        }
    }

    /// Sends the request, and waits for the answer on a thread of its own.
    func run() async throws(Failure) -> HTTPAnswer {
        let interruption = Interruption()
        let result = await withTaskCancellationHandler {
            do throws(Failure) {
                return Result<HTTPAnswer, Failure>.success(
                    try await BlockingThread.run({ .thread(BlockingThread.StartError(code: $0)) }) {
                        () throws(Failure) in try exchange(interruption)
                    })
            } catch {
                return .failure(error)
            }
        } onCancel: {
            interruption.cancel()
        }
        return try result.get()
    }

    private func exchange(_ interruption: Interruption) throws(Failure) -> HTTPAnswer {
        let connection = try connection()
        interruption.begin(connection.number)
        // Before the descriptor is closed, and its number another file's.
        defer { interruption.end() }
        let end = ContinuousClock.now + limit
        try send(over: connection.number, until: end)
        return try answer(from: connection.number, until: end)
    }

    private func connection() throws(Failure) -> OwnedDescriptor {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = Array(socket.utf8)
        guard path.count < MemoryLayout.size(ofValue: address.sun_path) else { throw .longPath }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        let connection = OwnedDescriptor(
            owning: try OwnedDescriptor.retrying(Failure.connection) {
                Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            })
        // The connection waits while the daemon has not accepted the earlier ones.
        var wait = timeval(tv_sec: Int(limit.components.seconds), tv_usec: 0)
        setsockopt(connection.number, SOL_SOCKET, SO_SNDTIMEO, &wait, socklen_t(MemoryLayout<timeval>.size))
        let length = socklen_t(MemoryLayout<sockaddr_un>.size)
        _ = try OwnedDescriptor.retrying({ $0 == EAGAIN ? Failure.hungUp : .connection(code: $0) }) {
            withUnsafePointer(to: &address) { address in
                address.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(connection.number, $0, length) }
            }
        }
        return connection
    }

    private func send(over descriptor: Int32, until end: ContinuousClock.Instant) throws(Failure) {
        var rest = request[...]
        while !rest.isEmpty {
            guard wait(for: Int16(POLLOUT), on: descriptor, until: end) else { throw .hungUp }
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
            }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EPIPE || errno == ECONNRESET {
                // The daemon may have answered and closed before it has read all.
                return
            } else if errno != EINTR, errno != EAGAIN {
                throw .connection(code: errno)
            }
        }
    }

    private func answer(from descriptor: Int32, until end: ContinuousClock.Instant) throws(Failure) -> HTTPAnswer {
        var reader = HTTPAnswerReader()
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            guard wait(for: Int16(POLLIN), on: descriptor, until: end) else { throw .hungUp }
            let count = recv(descriptor, &piece, piece.count, Int32(MSG_DONTWAIT))
            if count < 0 {
                if errno == EINTR || errno == EAGAIN { continue }
                throw errno == ECONNRESET ? .hungUp : .connection(code: errno)
            }
            guard count > 0 else {
                guard let answer = reader.ended() else { throw .hungUp }
                return answer
            }
            do throws(HTTPAnswerReader.Problem) {
                if let answer = try reader.received(piece.prefix(count)) { return answer }
            } catch {
                throw .answer(error)
            }
        }
    }

    /// Returns whether the descriptor is ready, or broken, before the time is up.
    private func wait(for events: Int16, on descriptor: Int32, until end: ContinuousClock.Instant) -> Bool {
        while true {
            let rest = max(.zero, ContinuousClock.now.duration(to: end)) / .milliseconds(1)
            var one = pollfd(fd: descriptor, events: events, revents: 0)
            let result = poll(&one, 1, Int32(min(rest.rounded(.up), 3_600_000)))
            if result > 0 { return true }
            if result == 0, ContinuousClock.now >= end { return false }
            if result < 0, errno != EINTR { return true }
        }
    }
}
