/// The reaction of an arrival to a network.
public enum JoinPolicy: String, Hashable, Sendable, CaseIterable {
    /// Ask, and join when the answer is to join.
    case prompt

    /// Join without a question.
    case auto

    /// Neither ask nor join.
    case off

    /// Whether a join may end the connection of a device to another network. The answer to a prompt is the user's consent;
    /// without a question there is none.
    public var mayLeaveOtherNetwork: Bool { self == .prompt }
}
