/// What an arrival does about a network.
public enum JoinPolicy: String, Hashable, Sendable, CaseIterable {
    /// Ask, and join when the answer is to join.
    case prompt

    /// Join without a question.
    case auto

    /// Neither ask nor join.
    case off
}
