public struct JoinAttempt: Hashable, Sendable {
    /// Names the attempt in ``JoinPrompter/joinFinished(_:result:at:)``.
    public let id: Int

    public let network: HomeNetwork

    /// The regions of that network that are inside when it starts, in the order of their arrival.
    public let regions: [String]

    /// The prompt whose answer started it; nil if the network is joined without a question.
    public let prompt: Prompt?

    /// Whether Wi-Fi is switched on first, if it is off: the question was about that, too.
    public var switchesOn: Bool { prompt?.situation == .radioOff || prompt?.situation == .countryUnset }
}
