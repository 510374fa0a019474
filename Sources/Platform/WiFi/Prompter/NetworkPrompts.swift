/// The prompts and the cool-down of a network, as ``JoinPrompter/networks(at:)`` returns them.
public struct NetworkPrompts<Instant: InstantProtocol>: Hashable, Sendable where Instant.Duration == Duration {
    /// The network's name.
    public let name: SSID

    /// The number of prompts that were put since the start of the prompter.
    public let prompts: Int

    /// The time until which no prompt comes; `nil` if nothing delays one.
    public let coolDownEnd: Instant?

    /// The reason for the cool-down; `nil` without one.
    public let cause: NetworkCoolDown.Cause?
}

/// The time after a prompt or an action in which a network is not asked about.
public enum NetworkCoolDown {
    /// The reason for a cool-down. The raw values are those of the API.
    public enum Cause: String, Hashable, Sendable, CaseIterable {
        /// The last prompt, or the last action without one, is too recent.
        case recentOffer

        /// The last action failed, and begins again.
        case failure

        /// The connection was lost after a short time, and is made again.
        case lostConnection

        /// The program was restarted while a departure waited, and its region may be entered again soon.
        case restart
    }
}

extension NetworkCoolDown.Cause: CustomStringConvertible {
    /// The end of a sentence, such as `the last attempt failed`.
    public var description: String {
        switch self {
        case .recentOffer: "the last prompt, or the last action without one, is less than 5 minutes old"
        case .failure: "the last attempt failed"
        case .lostConnection: "the connection was lost after a short time"
        case .restart: "okaeri was restarted after a departure"
        }
    }
}
