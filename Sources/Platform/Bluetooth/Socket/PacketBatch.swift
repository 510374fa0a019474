import COkaeriBluetooth
import Glibc
import OkaeriPlumbing

/// Room for many packets, allocated once: one call to the kernel fetches all of them.
@safe public struct PacketBatch: ~Copyable {
    /// The maximum number of packets.
    public static let capacity = 64

    /// The longest packet that comes here, a command: type, opcode, length, 255 bytes. Rounded up to whole words.
    static let slot = 264

    /// The room for the time of a packet, in bytes.
    private static let stamp = Int(okaeri_stamp_size)

    /// The number of packets that the last call read.
    public private(set) var count = 0

    private let bytes: UnsafeMutableRawBufferPointer
    private let vectors: UnsafeMutableBufferPointer<iovec>
    private let stamps: UnsafeMutableRawBufferPointer
    private let messages: UnsafeMutableBufferPointer<okaeri_message>

    /// Room for ``capacity`` packets: 64 of at most 264 bytes.
    public init() {
        unsafe bytes = .allocate(byteCount: Self.capacity * Self.slot, alignment: 8)
        unsafe vectors = .allocate(capacity: Self.capacity)
        unsafe stamps = .allocate(byteCount: Self.capacity * Self.stamp, alignment: 8)
        unsafe messages = .allocate(capacity: Self.capacity)
        // Safe: all four live as long as the batch, each slot lies within `bytes`, and each stamp within `stamps`.
        unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0)
        unsafe stamps.initializeMemory(as: UInt8.self, repeating: 0)
        for index in 0..<Self.capacity {
            let slot = unsafe UnsafeMutableRawBufferPointer(
                rebasing: bytes[index * Self.slot..<(index + 1) * Self.slot])
            unsafe vectors.initializeElement(at: index, to: iovec(iov_base: slot.baseAddress, iov_len: slot.count))
            var message = unsafe okaeri_message()
            unsafe message.header.msg_iov = vectors.baseAddress?.advanced(by: index)
            unsafe message.header.msg_iovlen = 1
            unsafe message.header.msg_control = stamps.baseAddress?.advanced(by: index * Self.stamp)
            unsafe messages.initializeElement(at: index, to: message)
        }
    }

    deinit {
        unsafe messages.deallocate()
        unsafe stamps.deallocate()
        unsafe vectors.deallocate()
        unsafe bytes.deallocate()
    }

    /// A packet of the last call; empty beyond `count`.
    public subscript(index: Int) -> RawSpan {
        @_lifetime(borrow self)
        get {
            guard index >= 0, index < count else { return RawSpan() }
            // Safe: the kernel writes at most a slot, and the span cannot outlive the batch.
            let length = unsafe min(Int(messages[index].length), Self.slot)
            let slot = unsafe UnsafeRawBufferPointer(rebasing: bytes[index * Self.slot..<index * Self.slot + length])
            return unsafe _overrideLifetime(slot.bytes, borrowing: self)
        }
    }

    /// Returns the time at which the kernel received a packet of the last call, in nanoseconds of its wall clock; `nil` if it is unknown.
    package func time(of index: Int) -> Int64? {
        guard index >= 0, index < count, let messages = unsafe messages.baseAddress else { return nil }
        // Safe: the kernel has set the length of the control message, which lies within the batch.
        let time = unsafe okaeri_message_time(messages.advanced(by: index))
        return time < 0 ? nil : time
    }

    /// Fetches what is waiting. An empty message means that the socket's other end is closed.
    mutating func fill(from descriptor: Int32) throws(KernelError) {
        count = 0
        // The kernel has replaced the room by the length of what it wrote.
        for index in unsafe messages.indices { unsafe messages[index].header.msg_controllen = Self.stamp }
        do throws(KernelError) {
            count = try Int(
                OwnedDescriptor.retrying(.receive) {
                    unsafe okaeri_receive_messages(descriptor, messages.baseAddress, UInt32(Self.capacity))
                })
        } catch  where error.code == EAGAIN || error.code == EWOULDBLOCK {
            return
        }
        let end = unsafe messages[..<count].firstIndex { unsafe $0.length == 0 }
        guard let end else { return }
        count = end
        // What came before the end is handed out first; the next call finds the end again.
        if end == 0 { throw KernelError(.receive, code: EPIPE) }
    }
}
