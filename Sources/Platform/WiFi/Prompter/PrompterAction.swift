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
