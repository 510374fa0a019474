import COkaeriBluetooth
import Glibc
public import HCI
package import OkaeriPlumbing

/// A raw HCI socket: commands go out, events and the commands of others come in, one packet a message.
///
/// It never blocks. Without CAP_NET_RAW it opens and binds, but LE events do not come and LE commands give EPERM.
public struct HCISocket: ~Copyable, Sendable {
    /// Room for packets in the kernel. A burst of several thousand is held while the process is not scheduled.
    static let receiveBuffer: Int32 = 4 << 20

    private let descriptor: OwnedDescriptor

    /// Takes over a connected socket that keeps message boundaries, of whatever family.
    package init(owning descriptor: consuming OwnedDescriptor) {
        // Without it the time of reading counts.
        _ = okaeri_stamp_messages(descriptor.number, 0)
        self.descriptor = descriptor
    }

    /// Opens a raw HCI socket and binds it to an adapter; nil for the events about adapters alone.
    init(adapter index: UInt16?) throws(KernelError) {
        let number = try OwnedDescriptor.retrying(.openSocket) {
            socket(
                AF_BLUETOOTH, Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), BTPROTO_HCI)
        }
        let owner = OwnedDescriptor(owning: number)
        if index == nil {
            try Self.filter(number, [UInt8(EVT_STACK_INTERNAL)], types: [.event])
        } else {
            // Commands of other programs show that the scan was stolen.
            try Self.filter(
                number,
                [
                    UInt8(EVT_LE_META_EVENT), UInt8(EVT_CMD_COMPLETE), UInt8(EVT_CMD_STATUS), UInt8(EVT_HARDWARE_ERROR),
                    UInt8(EVT_DISCONN_COMPLETE),
                ],
                types: [.event, .command])
            Self.enlargeReceiveBuffer(number)
            // Without it the time of reading counts.
            _ = okaeri_stamp_messages(number, 1)
        }
        // After the filter, so that nothing unwanted is queued.
        _ = try OwnedDescriptor.retrying(.bindSocket) {
            okaeri_hci_bind(number, index ?? UInt16(HCI_DEV_NONE), UInt16(HCI_CHANNEL_RAW))
        }
        descriptor = owner
    }

    /// For `poll`; not to be kept.
    var number: Int32 { descriptor.number }

    /// Sends a command. EPERM: no CAP_NET_RAW; ENETDOWN: switched off; EPIPE, ENODEV: unplugged.
    public borrowing func send(_ command: HCICommand) throws(KernelError) {
        let packet = command.packet
        let number = descriptor.number
        _ = try OwnedDescriptor.retrying(.send) {
            // Safe: the pointer lives for the call. MSG_NOSIGNAL: a peer that is gone is an error, not a signal.
            unsafe packet.withUnsafeBytes {
                unsafe Glibc.send(number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
        }
    }

    /// Fills the batch with the waiting packets; empty if there are none. EPIPE: the adapter or the peer is gone.
    public borrowing func receive(into batch: inout PacketBatch) throws(KernelError) {
        try batch.fill(from: descriptor.number)
    }

    /// Returns how many packets the kernel has dropped because they were not read in time; `nil` if it is unknown.
    public borrowing func drops() -> UInt64? {
        UInt64(exactly: okaeri_socket_drops(descriptor.number))
    }

    private static func filter(
        _ number: Int32, _ events: [UInt8], types: [HCIPacketType]
    ) throws(KernelError) {
        var filter = hci_filter()
        for type in types { filter.type_mask |= 1 << UInt32(type.rawValue) }
        for event in events {
            // 64 bits in two words, as the kernel looks them up: by the low six bits of the event code.
            let bit: UInt32 = 1 << UInt32(event & 31)
            if event & 32 == 0 { filter.event_mask.0 |= bit } else { filter.event_mask.1 |= bit }
        }
        _ = try OwnedDescriptor.retrying(.setFilter) {
            unsafe setsockopt(number, SOL_HCI, HCI_FILTER, &filter, socklen_t(MemoryLayout<hci_filter>.size))
        }
    }

    /// As much as the kernel grants: beyond its limit only with CAP_NET_ADMIN. A smaller buffer still works.
    private static func enlargeReceiveBuffer(_ number: Int32) {
        var size = receiveBuffer
        let length = socklen_t(MemoryLayout<Int32>.size)
        if unsafe setsockopt(number, SOL_SOCKET, SO_RCVBUFFORCE, &size, length) != 0 {
            _ = unsafe setsockopt(number, SOL_SOCKET, SO_RCVBUF, &size, length)
        }
    }
}

extension OwnedDescriptor {
    /// Makes a call again for as long as signals interrupt it; throws with what the last one left in `errno`.
    static func retrying<Result: SignedInteger>(
        _ operation: KernelError.Operation, _ call: () -> Result
    ) throws(KernelError) -> Result {
        try retrying({ KernelError(operation, code: $0) }, call)
    }
}

extension WakeUp {
    package init() throws(KernelError) {
        try self.init { KernelError(.createWakeUp, code: $0) }
    }
}
