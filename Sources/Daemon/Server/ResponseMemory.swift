import OkaeriEvents
import COkaeri
package import Hummingbird
import OkaeriPlumbing
import Synchronization

/// The memory of the answers that clients have not read yet, of all listeners together.
///
/// An answer of more than a piece is in memory as a whole until its client has read it, or its connection is closed. Clients that do not
/// read would fill the memory with them. The pieces on their way are bounded by the number of connections, and so are those of event
/// streams and lists, which are made as the client reads them.
package final class ResponseMemory: Sendable {
    /// The maximum number of bytes, once for large answers and once for all others, so that unread pictures refuse no status. A single
    /// answer may be larger while no other large one is in memory.
    static let limit = 8 << 20

    /// The size from which an answer is a large one, in bytes.
    static let large = 256 << 10

    /// The time after which a refused client is to send its request again, in seconds.
    static let retryAfter = 2

    /// Memory is returned to the system after so many bytes of answers, in bytes, and once in so much time.
    private static let notable = 1 << 20
    private static let returnInterval = Duration.seconds(1)

    /// The memory of this process.
    package static let shared = ResponseMemory(limit: limit)

    private struct State {
        /// The number of bytes that wait for their clients.
        var held = (large: 0, other: 0)
        /// The number of bytes that were released, or refused, since memory was returned.
        var released = 0
        var isReturnDue = false

        /// Changes the number of bytes of the answers of a size.
        mutating func change<Result>(_ bytes: Int, _ body: (inout Int, Int) -> Result) -> Result {
            bytes >= ResponseMemory.large ? body(&held.large, bytes) : body(&held.other, bytes)
        }
    }

    private final class Share: Sendable {
        private let memory: ResponseMemory
        private let bytes: Int

        init(_ bytes: Int, of memory: ResponseMemory) { (self.memory, self.bytes) = (memory, bytes) }

        deinit { memory.release(bytes) { $0 -= $1 } }
    }

    private let limit: Int
    private let state = Mutex(State())
    private let nextReturn = Alarm()
    private let returnMemory: @Sendable () -> Void

    init(limit: Int, returnMemory: @escaping @Sendable () -> Void = { okaeri_return_memory() }) {
        self.limit = limit
        self.returnMemory = returnMemory
    }

    /// The number of bytes that wait for their clients.
    var held: Int { state.withLock { $0.held.large + $0.held.other } }

    /// Refuses a request for a large answer if large answers use all of their memory.
    package func demandRoom() throws(PageFailure) {
        if state.withLock(\.held.large) >= limit { throw Self.failure }
    }

    /// Counts memory beside the answers until the result is dropped.
    ///
    /// - Returns: `nil` if large answers use more than half of their memory then, so that there is room for a picture.
    func reserved(_ bytes: Int) -> (any Sendable)? {
        let isAdmitted = state.withLock { state in
            guard bytes <= limit / 2 - state.held.large else { return false }
            state.change(bytes) { $0 += $1 }
            return true
        }
        return isAdmitted ? Share(bytes, of: self) : nil
    }

    /// Returns an answer that counts until it is written or dropped.
    ///
    /// - Throws: A refusal if its memory is used up.
    package func holding(_ response: Response) throws(PageFailure) -> Response {
        guard let length = response.body.contentLength, length > PieceWriter.size else { return response }
        let isAdmitted = state.withLock { state in
            state.change(length) { held, length in
                guard held == 0 || length <= limit - held else { return false }
                held += length
                return true
            }
        }
        guard isAdmitted else {
            release(length) { _, _ in }
            throw Self.failure
        }
        let (share, body) = (Share(length, of: self), response.body)
        var response = response
        response.body = ResponseBody(contentLength: length) { writer in
            try await body.write(writer)
            withExtendedLifetime(share) {}
        }
        return response
    }

    /// Returns memory to the system soon, after work that needed much of it.
    package func returnSoon() { release(Self.notable) { _, _ in } }

    private static let failure = PageFailure(
        .serviceUnavailable, .tooManyAnswers, "\(retryAfter)", retryAfter: retryAfter)

    /// glibc keeps freed memory for the thread that allocated it, so that a moment with large answers would last.
    private func release(_ bytes: Int, _ change: (inout Int, Int) -> Void) {
        let isDue = state.withLock { state in
            state.change(bytes, change)
            state.released = state.released.addingReportingOverflow(bytes).partialValue
            guard state.released >= Self.notable, !state.isReturnDue else { return false }
            state.isReturnDue = true
            return true
        }
        guard isDue else { return }
        nextReturn.set(.now + Self.returnInterval) { [weak self] in
            guard let self else { return }
            state.withLock { ($0.released, $0.isReturnDue) = (0, false) }
            returnMemory()
        }
    }
}
