import Glibc

/// Everything the scanner asks of Linux. Tests stand in for it with socket pairs.
public protocol BluetoothKernel: Sendable {
    /// All adapters, switched on or not, by index.
    func adapters() throws(KernelError) -> [Adapter]

    /// A socket for commands to one adapter, and for its events.
    func openScanSocket(adapter index: UInt16) throws(KernelError) -> HCISocket

    /// Whether the kernel discovers devices with an adapter for another program; `false` also if it does not show that.
    func isDiscovering(adapter index: UInt16) -> Bool

    /// Opens a socket that reports when adapters come, go, and are switched on or off.
    func openHotPlugSocket() throws(KernelError) -> HCISocket

    /// Switches an adapter off and on, which starts its controller anew; returns when the controller has answered.
    func powerCycle(_ adapter: Adapter) throws(KernelError)

    /// Nanoseconds of a clock that never jumps.
    func now() -> Int64

    /// Whether the machine has a Wi-Fi device, which may share an adapter's antenna.
    var hasWiFi: Bool { get }
}

extension BluetoothKernel {
    /// `true`: this kernel does not report Wi-Fi devices.
    public var hasWiFi: Bool { true }

    /// `false`: this kernel does not report discoveries.
    public func isDiscovering(adapter index: UInt16) -> Bool { false }

    /// Throws EOPNOTSUPP: this kernel cannot switch adapters.
    public func powerCycle(_ adapter: Adapter) throws(KernelError) {
        throw KernelError(.switchOff, code: EOPNOTSUPP)
    }
}

/// A right of a process that is not root's alone (capabilities(7)).
public enum Capability: Int, Hashable, Sendable, CaseIterable {
    /// Switching adapters on and off, and the kernel's management of them.
    case networkAdministration = 12

    /// LE events, and LE commands.
    case rawSockets = 13

    /// Whether this process has it in effect; `nil` if /proc does not show it.
    public var isEffective: Bool? {
        SystemFile.text("/proc/self/status").flatMap(isEffective(in:))
    }

    /// Whether it is in effect by the text of /proc/PID/status; `nil` if the text does not show it.
    func isEffective(in status: String) -> Bool? {
        guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix("CapEff:") }),
            let digits = line.split(whereSeparator: \.isWhitespace).last,
            let mask = UInt64(digits, radix: 16)
        else { return nil }
        return mask & (1 << rawValue) != 0
    }
}
