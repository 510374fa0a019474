public enum PromptWithdrawal: Hashable, Sendable {
    case answered(PromptAnswer)

    /// The last of its regions was left.
    case departed

    /// It was about a departure, and one of its regions was entered.
    case arrived

    /// The network was joined without it, or nothing is left to do.
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
        case .arrived: "arrived"
        case .connected: "connected"
        case .reconfigured: "reconfigured"
        }
    }
}
