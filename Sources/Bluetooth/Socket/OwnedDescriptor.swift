import Glibc

/// The one owner of a file descriptor: it is closed when the owner goes.
public struct OwnedDescriptor: ~Copyable, Sendable {
    /// The number, for calls which do not outlive the owner.
    let number: Int32

    /// Takes over an open descriptor.
    public init(owning number: Int32) {
        self.number = number
    }

    deinit {
        close(number)
    }

    /// Makes a call again for as long as signals interrupt it; throws with what the last one left in `errno`.
    static func retrying<Result: SignedInteger>(
        _ operation: KernelError.Operation, _ call: () -> Result
    ) throws(KernelError) -> Result {
        while true {
            let result = call()
            if result >= 0 { return result }
            let error = KernelError(last: operation)
            if error.code != EINTR { throw error }
        }
    }
}
