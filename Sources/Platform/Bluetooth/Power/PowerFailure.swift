/// An adapter cannot be switched on.
public struct PowerFailure: Error, Hashable, Sendable {
    /// Why not.
    public enum Cause: Hashable, Sendable {
        /// A switch or key of the machine holds it down: no program can change that.
        case hardBlock

        /// This process may not.
        case notPermitted

        /// Linux, or the controller, does not.
        case refused
    }

    /// Why not.
    public let cause: Cause

    /// What happened, why, and what to do about it: for people.
    public let reason: String

    init(cause: Cause, reason: String) {
        self.cause = cause
        self.reason = reason
    }

    init(_ error: KernelError) {
        self.init(
            cause: error.state == .unauthorized ? .notPermitted : .refused, reason: "\(error.description).")
    }
}

extension PowerFailure: CustomStringConvertible {
    public var description: String { reason }
}
