/// An action that is carried out: a join, or another ``NetworkAction``.
public struct JoinAttempt: Hashable, Sendable {
    /// Names the attempt in ``JoinPrompter/actionFinished(_:result:at:)``.
    public let id: Int

    public let network: HomeNetwork

    /// The regions of that network that are inside when it starts, in the order of their arrival; for a departure the one that was left last.
    public let regions: [String]

    /// The prompt whose answer started it; nil if the network is joined without a question.
    public let prompt: Prompt?

    public var action = NetworkAction.join

    /// The side effects that the question named, or the configuration.
    public var consent: ActionConsent {
        guard let prompt else {
            return network.onDeparture == .radioOff && !action.isOfDeparture ? .switchOn : []
        }
        return switch prompt.situation {
        case .radioOff, .countryUnset, .hotspotRadioOff: .switchOn
        case .hotspotInstead: .endConnection
        case .leaveLoggedIn, .hotspotOffLoggedIn, .switchOffLoggedIn: .endLogins
        default: []
        }
    }
}

/// The side effects of an action that a user has agreed to, or the configuration.
public struct ActionConsent: OptionSet, Hashable, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Wi-Fi is switched on first, if it is off.
    public static let switchOn = ActionConsent(rawValue: 1)

    /// A hotspot takes a device that is connected to a network.
    public static let endConnection = ActionConsent(rawValue: 2)

    /// A connection ends over which a user is logged in.
    public static let endLogins = ActionConsent(rawValue: 4)
}
