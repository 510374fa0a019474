public enum PromptWithdrawal: Hashable, Sendable {
    case answered(PromptAnswer)

    /// The last of its regions was left.
    case departed

    /// The network was joined without it.
    case connected

    /// The network's policy is not to ask any more.
    case reconfigured
}

extension PromptWithdrawal {
    /// A stable name for programs and translations.
    public var code: String {
        switch self {
        case .answered: "answered"
        case .departed: "departed"
        case .connected: "connected"
        case .reconfigured: "reconfigured"
        }
    }
}
