import CBluetooth
import Glibc
import Plumbing

/// Ends a wait in `poll` from another thread: an eventfd.
package struct WakeUp: ~Copyable, Sendable {
    private let descriptor: OwnedDescriptor

    package init() throws(KernelError) {
        descriptor = OwnedDescriptor(
            owning: try OwnedDescriptor.retrying(.createWakeUp) {
                eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
            })
    }

    /// For `poll`; not to be kept.
    var number: Int32 { descriptor.number }

    /// From any thread. It can fail only when 2^64 calls are waiting, and then the wait ends anyway.
    package borrowing func signal() {
        _ = eventfd_write(descriptor.number, 1)
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
    borrowing func clear() {
        var count: eventfd_t = 0
        _ = unsafe eventfd_read(descriptor.number, &count)
    }
}
