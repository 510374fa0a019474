/// The operations of Linux for switching an adapter on.
public protocol PowerKernel: BluetoothKernel {
    /// Lifts the soft block that rfkill has set on the adapter.
    func unblock(_ adapter: Adapter) throws(KernelError)

    /// Switches the adapter on; returns when its controller has answered. One that is on already is left alone.
    func switchOn(_ adapter: Adapter) throws(KernelError)

    /// Does the opposite of a step: sets the soft block, or switches the adapter off. One that is off already is left alone.
    func takeBack(_ step: PowerStep, of adapter: Adapter) throws(KernelError)

    /// Throws what the step would throw for want of a right, without doing it.
    func demandRight(to step: PowerStep) throws(KernelError)
}
