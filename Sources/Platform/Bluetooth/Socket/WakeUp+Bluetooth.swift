package import Plumbing

extension WakeUp {
    package init() throws(KernelError) {
        try self.init { KernelError(.createWakeUp, code: $0) }
    }
}
