import Plumbing

extension OwnedDescriptor {
    /// Makes a call again for as long as signals interrupt it; throws with what the last one left in `errno`.
    static func retrying<Result: SignedInteger>(
        _ operation: KernelError.Operation, _ call: () -> Result
    ) throws(KernelError) -> Result {
        try retrying({ KernelError(operation, code: $0) }, call)
    }
}
