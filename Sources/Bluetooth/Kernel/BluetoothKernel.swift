/// Everything the scanner asks of Linux. Tests stand in for it with socket pairs.
public protocol BluetoothKernel: Sendable {
    /// All adapters, switched on or not, by index.
    func adapters() throws(KernelError) -> [Adapter]

    /// A socket for commands to one adapter, and for its events.
    func openScanSocket(adapter index: UInt16) throws(KernelError) -> HCISocket

    /// A socket that tells when adapters come, go, and are switched on or off.
    func openHotPlugSocket() throws(KernelError) -> HCISocket

    /// Nanoseconds of a clock that never jumps.
    func now() -> Int64
}
