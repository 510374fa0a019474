import Glibc
import Plumbing

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
