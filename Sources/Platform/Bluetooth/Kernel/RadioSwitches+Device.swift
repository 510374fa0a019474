import CBluetooth
import Glibc
import Plumbing

/// The device through which rfkill is switched.
extension RadioSwitches {
    static let device = "/dev/rfkill"

    /// Lifts the soft block of an adapter's radio, of no other.
    func unblock(_ adapter: String) throws(KernelError) {
        try set(.unblock, blocked: false, adapter)
    }

    func block(_ adapter: String) throws(KernelError) {
        try set(.block, blocked: true, adapter)
    }

    private func set(
        _ operation: KernelError.Operation, blocked: Bool, _ adapter: String
    ) throws(KernelError) {
        let device = OwnedDescriptor(
            owning: try OwnedDescriptor.retrying(operation) { unsafe open(Self.device, O_WRONLY | O_CLOEXEC) })
        for number in numbers(of: adapter) {
            var event = rfkill_event()
            event.idx = number
            event.op = UInt8(RFKILL_OP_CHANGE.rawValue)
            event.type = UInt8(RFKILL_TYPE_BLUETOOTH.rawValue)
            event.soft = blocked ? 1 : 0
            let descriptor = device.number
            _ = try OwnedDescriptor.retrying(operation) {
                unsafe write(descriptor, &event, MemoryLayout<rfkill_event>.size)
            }
        }
    }

    /// Throws when this process may not give orders.
    static func demandRight() throws(KernelError) {
        _ = try OwnedDescriptor.retrying(.unblock) { unsafe access(device, W_OK) }
    }

    /// Advice for a user without the permission to switch.
    static var advice: String { advice(forGroup: writers) }

    static func advice(forGroup group: String?) -> String {
        let byRoot = "run `sudo rfkill unblock bluetooth`"
        guard let group else { return byRoot }
        return "join the group \(group) with `sudo adduser $USER \(group)` and log in again, or \(byRoot)"
    }

    /// The group that may write the device, unless that is root's; nil when none may.
    private static var writers: String? {
        var status = stat()
        guard unsafe stat(device, &status) == 0, status.st_mode & S_IWGRP != 0, status.st_gid != 0 else { return nil }
        var entry = unsafe group()
        var found: UnsafeMutablePointer<group>?
        var text = [CChar](repeating: 0, count: 4096)
        // Safe: the name lies in `text`, which outlives the copy that is made of it.
        return unsafe text.withUnsafeMutableBufferPointer { buffer in
            unsafe getgrgid_r(status.st_gid, &entry, buffer.baseAddress, buffer.count, &found)
            guard let name = unsafe found?.pointee.gr_name else { return nil }
            return unsafe String(cString: name)
        }
    }
}
