public enum PromptWithdrawal: Hashable, Sendable {
    case answered(PromptAnswer)

    /// The last of its regions was left.
    case departed

    /// The network was joined without it.
    case connected

    /// The network's policy is not to ask any more.
    case reconfigured
}
