import COkaeriBluetooth
import Glibc
import OkaeriPlumbing

/// The kernel this process runs on.
public struct LinuxKernel: BluetoothKernel {
    let radioSwitches: RadioSwitches

    /// The kernel; nothing is asked of it yet.
    public init() {
        radioSwitches = RadioSwitches()
    }

    /// All adapters, switched on or not, by index: none where none is plugged in.
    ///
    /// - Throws: EAFNOSUPPORT where there is no Bluetooth, in the kernel or for this process.
    public func adapters() throws(KernelError) -> [Adapter] {
        let socket = try openControlSocket(.openSocket)
        var list = okaeri_hci_device_list()
        _ = try OwnedDescriptor.retrying(.listAdapters) { unsafe okaeri_hci_device_list_get(socket.number, &list) }
        var adapters: [Adapter] = []
        for position in 0..<UInt32(list.count) {
            let index = unsafe okaeri_hci_device_list_index(&list, position)
            do throws(KernelError) {
                adapters.append(try adapter(index, by: socket))
            } catch  where error.code == ENODEV {
                // It was unplugged in between.
                continue
            }
        }
        return adapters.sorted { $0.index < $1.index }
    }

    /// Without CAP_NET_RAW the socket would open and stay silent for ever: that is EPERM here already.
    public func openScanSocket(adapter index: UInt16) throws(KernelError) -> HCISocket {
        try demandRawSockets()
        return try HCISocket(adapter: index)
    }

    /// Needs CAP_NET_ADMIN: `false` without it.
    public func isDiscovering(adapter index: UInt16) -> Bool {
        guard let socket = try? ManagementSocket() else { return false }
        return (try? socket.isDiscovering(adapter: index)) ?? false
    }

    /// Without CAP_NET_RAW the kernel keeps its events about adapters back: that is EPERM here already.
    ///
    /// The management channel reports adapters to all, but power only when a management client such as bluetoothd has
    /// taken the adapter up. A process without CAP_NET_RAW cannot scan anyway, so one source is enough.
    public func openHotPlugSocket() throws(KernelError) -> HCISocket {
        try demandRawSockets()
        return try HCISocket(adapter: nil)
    }

    /// Nanoseconds of CLOCK_MONOTONIC: it stands still while the machine is suspended.
    public func now() -> Int64 { KernelClock.monotonic }

    /// Whether the kernel drives a Wi-Fi device, of whatever manager.
    public var hasWiFi: Bool { WiFiHardware().isPresent }

    /// A socket for questions and orders about adapters, bound to none of them.
    func openControlSocket(_ operation: KernelError.Operation) throws(KernelError) -> OwnedDescriptor {
        OwnedDescriptor(
            owning: try OwnedDescriptor.retrying(operation) {
                Glibc.socket(AF_BLUETOOTH, Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue), BTPROTO_HCI)
            })
    }

    private func adapter(_ index: UInt16, by socket: borrowing OwnedDescriptor) throws(KernelError) -> Adapter {
        var info = hci_dev_info()
        info.dev_id = index
        let number = socket.number
        _ = try OwnedDescriptor.retrying(.readAdapter) { unsafe okaeri_hci_device_info_get(number, &info) }
        let name = "hci\(index)"
        return Adapter(
            index: index, name: name, isUp: info.flags & (1 << UInt32(HCI_UP)) != 0,
            radioBlock: radioSwitches.block(of: name), hasLowEnergy: info.hasLowEnergy,
            hasOwnAntenna: Int32(info.type & 0x0F) == HCI_USB && WiFiHardware().isStick(name))
    }

    private func demandRawSockets() throws(KernelError) {
        // If /proc does not show it, the kernel will report it.
        if Capability.rawSockets.isEffective == false {
            throw KernelError(.openSocket, code: EPERM)
        }
    }
}

extension hci_dev_info {
    /// Whether the LMP features have "LE Supported (Controller)" (Core Specification, Vol 2, Part C, Section 3.3), or are
    /// all zero, as they are before Linux has read them.
    var hasLowEnergy: Bool {
        let features = [
            features.0, features.1, features.2, features.3, features.4, features.5, features.6, features.7,
        ]
        return features[4] & 0x40 != 0 || features.allSatisfy { $0 == 0 }
    }
}
