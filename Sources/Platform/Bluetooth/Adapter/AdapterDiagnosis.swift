/// Everything that scanning needs of this machine, looked at once.
public struct AdapterDiagnosis: Sendable {
    /// The adapters, or why they cannot be listed.
    public let adapters: Result<[Adapter], KernelError>

    /// Whether the process may scan; `nil` if the kernel does not report it.
    public let mayScan: Bool?

    /// Whether the process may switch adapters on; `nil` if the kernel does not report it. Scanning does not need it.
    public let maySwitchOn: Bool?

    /// Looks.
    public init(kernel: some BluetoothKernel = LinuxKernel()) {
        adapters = Result { () throws(KernelError) in try kernel.adapters() }
        mayScan = Capability.rawSockets.isEffective
        maySwitchOn = Capability.networkAdministration.isEffective
    }
}
