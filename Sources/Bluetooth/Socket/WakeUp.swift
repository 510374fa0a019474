import CBluetooth
import Glibc

/// Ends a wait in `poll` from another thread: an eventfd.
struct WakeUp: ~Copyable, Sendable {
    private let descriptor: OwnedDescriptor

    init() throws(KernelError) {
        descriptor = OwnedDescriptor(
            owning: try OwnedDescriptor.retrying(.createWakeUp) {
                eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
            })
    }

    /// For `poll`; not to be kept.
    var number: Int32 { descriptor.number }

    /// From any thread. It can fail only when 2^64 calls are waiting, and then the wait ends anyway.
    borrowing func signal() {
        _ = eventfd_write(descriptor.number, 1)
    }

    /// Takes all signals that are waiting.
    borrowing func clear() {
        var count: eventfd_t = 0
        _ = unsafe eventfd_read(descriptor.number, &count)
    }
}
