import CBluetooth
import Glibc

extension LinuxKernel: PowerKernel {
    public func unblock(_ adapter: Adapter) throws(KernelError) {
        try radioSwitches.unblock(adapter.name)
    }

    public func switchOn(_ adapter: Adapter) throws(KernelError) {
        let socket = try openControlSocket(.switchOn)
        let number = socket.number
        do throws(KernelError) {
            _ = try OwnedDescriptor.retrying(.switchOn) { okaeri_hci_device_up(number, adapter.index) }
        } catch  where error.code == EALREADY {
            // bluetoothd does the same when a block is lifted, and may have been faster.
        }
    }

    public func demandRight(to step: PowerStep) throws(KernelError) {
        switch step {
        case .unblock: try RadioSwitches.demandRight()
        case .switchOn:
            // Where /proc does not say, the kernel will.
            if Capability.networkAdministration.isEffective == false { throw KernelError(.switchOn, code: EPERM) }
        }
    }
}
