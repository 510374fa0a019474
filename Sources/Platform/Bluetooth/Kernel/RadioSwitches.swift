import COkaeriBluetooth
import Glibc
import OkaeriPlumbing

/// rfkill, as sysfs shows it.
struct RadioSwitches: Sendable {
    /// `/sys/class/bluetooth`; a test has its own.
    var folder = "/sys/class/bluetooth"

    /// The numbers of an adapter's switches: more than one only while one is being replaced.
    func numbers(of adapter: String) -> [UInt32] {
        SystemFile.names("\(folder)/\(adapter)").compactMap { name in
            name.hasPrefix("rfkill") ? UInt32(name.dropFirst("rfkill".count)) : nil
        }
    }

    /// Returns the switch that blocks an adapter. Its switch is the folder rfkillN in the adapter's own.
    func block(of adapter: String) -> Adapter.RadioBlock {
        let path = "\(folder)/\(adapter)"
        let switches = SystemFile.names(path).filter { $0.hasPrefix("rfkill") }
        if switches.contains(where: { isSet("\(path)/\($0)/hard") }) { return .hard }
        if switches.contains(where: { isSet("\(path)/\($0)/soft") }) { return .soft }
        return .none
    }

    private func isSet(_ path: String) -> Bool {
        SystemFile.text(path)?.first == "1"
    }
}

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
        let byRoot = "run \(Remedy.machine("rfkill unblock bluetooth"))"
        guard let group else { return byRoot }
        return "join the group \(group) with \(Remedy.machine("adduser $USER \(group)")) and log in again, or \(byRoot)"
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

/// The Wi-Fi devices of the machine as sysfs shows them, and whether an adapter shares its antenna with one.
struct WiFiHardware: Sendable {
    /// `/sys/class`; a test has its own.
    private let classes: String

    init() {
        self.init(classes: "/sys/class")
    }

    init(classes: String) {
        self.classes = classes
    }

    /// Whether the kernel drives a Wi-Fi device, of whatever manager.
    var isPresent: Bool { !devices.isEmpty }

    private var devices: [String] { SystemFile.names("\(classes)/ieee80211").map { "\(classes)/ieee80211/\($0)" } }

    /// Whether a USB adapter is a stick with an antenna of its own.
    ///
    /// Many laptops and small computers have a card that is Wi-Fi on PCI or USB and Bluetooth on an internal USB port, with common
    /// antennas. The firmware declares such a port as fixed, but not on every machine: where sysfs does not know it, a Wi-Fi
    /// device on PCI makes the adapter suspect. A stick can have both functions, too: then one USB device has both.
    func isStick(_ adapter: String) -> Bool {
        // The adapter's device is an interface of the USB device.
        let device = "\(classes)/bluetooth/\(adapter)/device/.."
        guard let path = Self.resolved(device) else { return false }
        if devices.contains(where: { Self.resolved("\($0)/device/..") == path }) { return false }
        switch SystemFile.text("\(device)/removable")?.trimmed {
        case "fixed": return false
        case "removable": return true
        default: return !devices.contains { Self.resolved("\($0)/device/subsystem")?.hasSuffix("/pci") ?? false }
        }
    }

    private static func resolved(_ path: String) -> String? {
        guard let resolved = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(resolved) }
        // Safe: realpath ends its result with a zero.
        return unsafe String(cString: resolved)
    }
}

extension String {
    fileprivate var trimmed: Substring { prefix { $0 != "\n" } }
}

/// Small files of /proc and /sys, read whole.
enum SystemFile {
    /// The file's text, at most 4096 bytes of it; nil when it cannot be read.
    static func text(_ path: String) -> String? {
        guard let number = try? OwnedDescriptor.retrying(.readAdapter, { unsafe open(path, O_RDONLY | O_CLOEXEC) })
        else {
            return nil
        }
        let file = OwnedDescriptor(owning: number)
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
            // Safe: read writes at most the buffer's size, and the count is what it wrote.
            count = unsafe max(0, read(file.number, buffer.baseAddress, buffer.count))
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The names in a folder, sorted; empty when it cannot be read.
    static func names(_ path: String) -> [String] {
        guard let folder = unsafe opendir(path) else { return [] }
        defer { unsafe closedir(folder) }
        var names: [String] = []
        while let entry = unsafe readdir(folder) {
            // Safe: the kernel ends the name with a zero, and the entry lives until the next call.
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }
}
