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
