/// One thing that has to be done for an adapter to be switched on.
public enum PowerStep: Hashable, Sendable {
    /// Lift the soft block of rfkill.
    case unblock

    /// Switch it on.
    case switchOn
}
