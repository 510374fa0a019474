import COkaeriBluetooth
import Glibc
import OkaeriPlumbing

/// The steps to switch an adapter on, so that a person can be asked before they are taken.
public struct PowerPlan: Sendable {
    /// The adapter.
    public let adapter: Adapter

    /// The steps, in order; none if it is on already.
    public let steps: [PowerStep]

    private let kernel: any PowerKernel

    /// Looks at the adapter of that name, as it is now, and changes nothing.
    ///
    /// - Throws: ``PowerFailure`` if it is gone or held down by a switch or key, or if the permission is missing.
    public init(adapter name: String, kernel: some PowerKernel = LinuxKernel()) throws(PowerFailure) {
        do throws(KernelError) {
            guard let found = try kernel.adapters().first(where: { $0.name == name }) else {
                throw KernelError(.readAdapter, code: ENODEV)
            }
            adapter = found
        } catch {
            throw PowerFailure(error)
        }
        self.kernel = kernel
        switch (adapter.isUp, adapter.radioBlock) {
        case (true, _): steps = []
        case (false, .none): steps = [.switchOn]
        case (false, .soft): steps = [.unblock, .switchOn]
        case (false, .hard): throw PowerFailure(cause: .hardBlock, reason: AdapterUpdate.off(adapter).reason)
        }
        do throws(KernelError) {
            for step in steps { try kernel.demandRight(to: step) }
        } catch {
            throw PowerFailure(error)
        }
    }

    /// The steps, as the end of a sentence: `lift rfkill's block of hci0 and switch it on`.
    public var intention: String {
        steps.contains(.unblock)
            ? "lift rfkill's block of \(adapter.name) and switch it on" : "switch \(adapter.name) on"
    }

    /// Does it, on a thread of its own: a controller may take seconds to answer.
    ///
    /// - Throws: ``PowerFailure`` when Linux or the controller does not let it be done.
    public func carryOut() async throws(PowerFailure) {
        try await onThread { () throws(KernelError) in try take(steps) }
    }

    /// Undoes it, if a person has changed their mind: the adapter is off and blocked as it was found.
    ///
    /// - Throws: ``PowerFailure`` when Linux does not let it be done.
    public func takeBack() async throws(PowerFailure) {
        try await onThread { () throws(KernelError) in
            for step in steps.reversed() { try kernel.takeBack(step, of: adapter) }
        }
    }

    private func onThread(_ body: @escaping @Sendable () throws(KernelError) -> Void) async throws(PowerFailure) {
        do throws(KernelError) {
            try await BlockingThread.run({ KernelError(.startThread, code: $0) }, body)
        } catch {
            throw PowerFailure(error)
        }
    }

    private func take(_ steps: [PowerStep]) throws(KernelError) {
        for step in steps {
            switch step {
            case .unblock: try kernel.unblock(adapter)
            case .switchOn: try kernel.switchOn(adapter)
            }
        }
    }
}

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

/// One thing that has to be done for an adapter to be switched on.
public enum PowerStep: Hashable, Sendable {
    /// Lift the soft block of rfkill.
    case unblock

    /// Switch it on.
    case switchOn
}

/// An adapter cannot be switched on.
public struct PowerFailure: Error, Hashable, Sendable {
    /// The reason of the failure.
    public enum Cause: Hashable, Sendable {
        /// A switch or key of the machine holds it down: no program can change that.
        case hardBlock

        /// This process may not.
        case notPermitted

        /// Linux, or the controller, does not.
        case refused
    }

    /// The reason of the failure.
    public let cause: Cause

    /// The failure, its reason and the remedy, for people.
    public let reason: String
}

extension PowerFailure: CustomStringConvertible {
    init(_ error: KernelError) {
        self.init(
            cause: error.state == .unauthorized ? .notPermitted : .refused, reason: error.description)
    }

    public var description: String { reason }
}

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
