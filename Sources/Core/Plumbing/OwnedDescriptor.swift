import Glibc

/// The one owner of a file descriptor: it is closed when the owner goes.
package struct OwnedDescriptor: ~Copyable, Sendable {
    /// The number, for calls which do not outlive the owner.
    package let number: Int32

    package init(owning number: Int32) {
        self.number = number
    }

    deinit {
        close(number)
    }

    /// Makes a system call again for as long as signals interrupt it (`EINTR`).
    ///
    /// - Parameters:
    ///   - failure: makes the error of what the last call left in `errno`.
    ///   - call: the system call; less than zero is a failure.
    /// - Returns: The result of the call, zero or more.
    package static func retrying<Result: SignedInteger, Failure>(
        _ failure: (_ code: Int32) -> Failure, _ call: () -> Result
    ) throws(Failure) -> Result {
        while true {
            let result = call()
            if result >= 0 { return result }
            let code = errno
            if code != EINTR { throw failure(code) }
        }
    }
}
