/// The next actions of a ``JoinPrompter``'s driver, in order.
public enum PrompterAction: Hashable, Sendable {
    /// Ask ``WiFiService/condition(of:for:)`` and hand the answer back with the ticket.
    case determineCondition(ticket: Int, HomeNetwork, NetworkAction = .join)

    /// Put the prompt: the event `wifiPrompt`.
    case announce(Prompt)

    /// Take the prompt away. After an answer: the event `wifiPromptAnswered`.
    case withdraw(Prompt, PromptWithdrawal)

    /// Start ``WiFiService/carryOut(_:_:consent:)`` and hand its result back with the attempt's number.
    case startAction(JoinAttempt)

    /// Report an action that succeeded: the event `wifiJoined`, or `wifiActionCompleted` for another action than a join.
    case actionCompleted(JoinAttempt, JoinedNetwork)

    /// Report an action that failed: the event `wifiJoinFailed` or `wifiActionFailed`.
    case actionFailed(JoinAttempt, JoinFailure)

    /// Report the reason why there is no prompt and no join; each distinct reason once an arrival.
    case note(ssid: String, regions: [String], Reason)

    /// The reason why an arrival leads to no prompt and no join, or not yet.
    public enum Reason: Hashable, Sendable {
        case alreadyConnected

        /// The last prompt or attempt is too recent; it follows when the cool-down ends, if still inside.
        case coolingDown

        /// The answer was never.
        case refused

        /// This machine has another connection, and the question was put at an earlier arrival, or is not to be put.
        case otherConnection(OtherConnection)

        /// A user of this machine has ended the connection that an arrival had made.
        case disconnectedByUser

        /// It cannot be joined now; asked again after a while and whenever Wi-Fi changes.
        case unavailable(JoinFailure)
    }
}

extension PrompterAction {
    init(_ attempt: JoinAttempt, _ result: Result<JoinedNetwork, JoinFailure>) {
        switch result {
        case .success(let joined): self = .actionCompleted(attempt, joined)
        case .failure(let failure): self = .actionFailed(attempt, failure)
        }
    }
}

extension PrompterAction.Reason: CustomStringConvertible {
    public var description: String {
        switch self {
        case .alreadyConnected: "it is connected already"
        case .coolingDown: "the last prompt or attempt is too recent; it follows when the cool-down ends"
        case .refused:
            "an earlier prompt was answered with never, which holds for every join policy; "
                + "`okaeri prompts --clear SSID` takes that back"
        case .otherConnection(let kind):
            "this machine has another connection (\(kind.rawValue)), and \"whenOnline\" decides about questions and joins then"
        case .disconnectedByUser: "a user of this machine ended the connection; the next arrival joins it again"
        case .unavailable(let failure): failure.description
        }
    }
}

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
