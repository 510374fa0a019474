import Glibc

/// Ends a wait in `poll` from another thread: two sockets, one to write to and one to wait for.
package struct WakeUp: ~Copyable, Sendable {
    private let near: OwnedDescriptor
    private let far: OwnedDescriptor

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

    /// From any thread. It can fail only when so many signals wait that no more fit, and then the wait ends anyway.
    package borrowing func signal() {
        var byte: UInt8 = 1
        _ = unsafe send(far.number, &byte, 1, Int32(MSG_NOSIGNAL))
    }

    /// Waits for a signal, and takes all that are waiting.
    ///
    /// - Parameter limit: how long to wait at most, and never longer than an hour; below zero: not at all.
    /// - Returns: false when the time was up. It may be true without a signal.
    package borrowing func wait(for limit: Duration) -> Bool {
        // Rounded up: waking too early would only mean to wait again.
        let milliseconds = (max(.zero, min(limit, .seconds(3600))) / .milliseconds(1)).rounded(.up)
        var descriptor = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        let result = unsafe poll(&descriptor, 1, Int32(milliseconds))
        clear()
        return result != 0
    }

    /// Takes all signals that are waiting.
    package borrowing func clear() {
        unsafe withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
            // Safe: the kernel writes no more than there is room for.
            while unsafe recv(near.number, buffer.baseAddress, buffer.count, 0) == buffer.count {}
        }
    }
}
