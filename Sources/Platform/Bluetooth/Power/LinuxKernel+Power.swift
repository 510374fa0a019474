import CBluetooth
import Glibc
import Plumbing

extension LinuxKernel: PowerKernel {
    /// Lifts the soft block of the adapter's own switches, through /dev/rfkill; one without any is left alone.
    ///
    /// - Throws: EACCES where the process may not write there.
    public func unblock(_ adapter: Adapter) throws(KernelError) {
        try radioSwitches.unblock(adapter.name)
    }

    /// Switches the adapter on by HCIDEVUP, and returns when its controller has answered; does nothing if it is on.
    ///
    /// - Throws: EPERM without CAP_NET_ADMIN, ERFKILL while it is blocked, ETIMEDOUT when the controller is silent.
    public func switchOn(_ adapter: Adapter) throws(KernelError) {
        let socket = try openControlSocket(.switchOn)
        let number = socket.number
        do throws(KernelError) {
            _ = try OwnedDescriptor.retrying(.switchOn) { okaeri_hci_device_up(number, adapter.index) }
        } catch  where error.code == EALREADY {
            // bluetoothd does the same when a block is lifted, and may have been faster.
        }
    }

    /// Sets the soft block through /dev/rfkill, or switches the adapter off by HCIDEVDOWN.
    public func takeBack(_ step: PowerStep, of adapter: Adapter) throws(KernelError) {
        switch step {
        case .unblock: try radioSwitches.block(adapter.name)
        case .switchOn:
            let socket = try openControlSocket(.switchOff)
            let number = socket.number
            do throws(KernelError) {
                _ = try OwnedDescriptor.retrying(.switchOff) { okaeri_hci_device_down(number, adapter.index) }
            } catch  where error.code == EALREADY {
                // bluetoothd may have been faster.
            }
        }
    }

    /// Switches the adapter off and on by HCIDEVDOWN and HCIDEVUP.
    ///
    /// - Throws: EBUSY while the adapter has connections and EPERM without CAP_NET_ADMIN, then the adapter is as it was;
    ///   ETIMEDOUT when the controller is silent, then the adapter is off.
    public func powerCycle(_ adapter: Adapter) throws(KernelError) {
        try demandNoConnections(of: adapter)
        try takeBack(.switchOn, of: adapter)
        try switchOn(adapter)
    }

    private func demandNoConnections(of adapter: Adapter) throws(KernelError) {
        let socket = try openControlSocket(.switchOff)
        let number = socket.number
        let count = try OwnedDescriptor.retrying(.switchOff) { okaeri_hci_has_connections(number, adapter.index) }
        if count > 0 { throw KernelError(.switchOff, code: EBUSY) }
    }

    /// Throws what the step would throw for want of a right, EPERM or EACCES, without doing it.
    public func demandRight(to step: PowerStep) throws(KernelError) {
        switch step {
        case .unblock: try RadioSwitches.demandRight()
        case .switchOn:
            // If /proc does not show it, the kernel will report it.
            if Capability.networkAdministration.isEffective == false { throw KernelError(.switchOn, code: EPERM) }
        }
    }
}
