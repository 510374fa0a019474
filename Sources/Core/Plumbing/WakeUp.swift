import Glibc
import Synchronization

/// Ends a wait in `poll` from another thread: two sockets, one to write to and one to wait for.
package struct WakeUp: ~Copyable, Sendable {
    private let near: OwnedDescriptor
    private let far: OwnedDescriptor
    /// Whether a byte waits, or is about to be sent: one is enough.
    private let isSignalled = Atomic(false)

    /// - Parameter failure: makes the error of what `socketpair` left in `errno`.
    package init<Failure>(_ failure: (_ code: Int32) -> Failure) throws(Failure) {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        _ = try OwnedDescriptor.retrying(failure) { unsafe socketpair(AF_UNIX, kind, 0, &ends) }
        near = OwnedDescriptor(owning: ends[0])
        far = OwnedDescriptor(owning: ends[1])
    }

    /// For `poll`; not to be kept.
    package var number: Int32 { near.number }

    /// From any thread. Signals without a wait between them count once.
    package borrowing func signal() {
        // Behind what the signal is about, which its receiver so finds.
        guard !isSignalled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        var byte: UInt8 = 1
        _ = unsafe send(far.number, &byte, 1, Int32(MSG_NOSIGNAL))
    }

    /// Waits for a signal, and takes all that are waiting.
    ///
    /// - Parameter limit: The longest time to wait, at most an hour; below zero: not at all.
    /// - Returns: false when the time was up. It may be true without a signal.
    package borrowing func wait(for limit: Duration) -> Bool {
        // Rounded up: waking too early would only mean to wait again.
        let milliseconds = (max(.zero, min(limit, .seconds(3600))) / .milliseconds(1)).rounded(.up)
        var descriptor = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        let result = unsafe poll(&descriptor, 1, Int32(milliseconds))
        // A signal can arrive after the time was up. It is taken here, and its sender sends no other one.
        let wasSignalled = clear()
        return wasSignalled || result != 0
    }

    /// Waits until a descriptor can be read, or for a signal, and takes all signals. Returns whether there was one.
    package borrowing func wait(toRead descriptor: Int32) -> Bool {
        while true {
            if let wasSignalled = wait(toRead: descriptor, milliseconds: -1) { return wasSignalled }
        }
    }

    /// The same with a limit of time. Returns `nil` when the time is up.
    ///
    /// - Parameter milliseconds: The limit; below zero: none.
    package borrowing func wait(toRead descriptor: Int32, milliseconds: Int32) -> Bool? {
        while true {
            let events = Int16(POLLIN)
            var descriptors = [
                pollfd(fd: number, events: events, revents: 0), pollfd(fd: descriptor, events: events, revents: 0),
            ]
            let result = unsafe poll(&descriptors, 2, milliseconds)
            if descriptors[0].revents != 0, clear() { return true }
            if result == 0 { return nil }
            // Any other failure is reported by what reads.
            if result > 0 ? descriptors[1].revents != 0 : errno != EINTR { return false }
        }
    }

    /// Takes all signals that are waiting. Returns whether there were any.
    @discardableResult
    package borrowing func clear() -> Bool {
        unsafe withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
            var wasSignalled = false
            while true {
                // Safe: the kernel writes no more than there is room for.
                let count = unsafe recv(near.number, buffer.baseAddress, buffer.count, 0)
                if count > 0 { wasSignalled = true }
                if count == buffer.count { continue }
                // Only when the byte is gone: a signal before this is received with it, and one after it sends another.
                if wasSignalled { _ = isSignalled.exchange(false, ordering: .acquiringAndReleasing) }
                return wasSignalled
            }
        }
    }
}
