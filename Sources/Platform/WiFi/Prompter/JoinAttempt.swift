/// An action that is carried out: a join, or another ``NetworkAction``.
public struct JoinAttempt: Hashable, Sendable {
    /// Names the attempt in ``JoinPrompter/joinFinished(_:result:at:)``.
    public let id: Int

    public let network: HomeNetwork

    /// The regions of that network that are inside when it starts, in the order of their arrival; for a departure the one that was left last.
    public let regions: [String]

    /// The prompt whose answer started it; nil if the network is joined without a question.
    public let prompt: Prompt?

    public var action = NetworkAction.join

    /// Whether Wi-Fi is switched on first, if it is off: the question was about that, too, or departures switch it off.
    public var switchesOn: Bool {
        guard let prompt else { return network.onDeparture == .radioOff }
        return prompt.situation.map { [.radioOff, .countryUnset, .hotspotRadioOff].contains($0) } ?? false
    }
}
