/// The question whether to join a network, put once an arrival.
public struct Prompt: Codable, Hashable, Sendable {
    /// The identifier for an answer: a number, short enough to type.
    public let id: String

    /// The network it is about.
    public let ssid: String

    /// The regions of that network that are inside when it is put, in the order of their arrival; for a departure the one that was left last.
    public let regions: [String]

    /// The number of the arrival at this network, counted from 1.
    public let arrival: Int

    /// The circumstance that the question names; `nil`: this machine has no connection, or is connected to another Wi-Fi network.
    public let situation: PromptSituation?

    /// The action that the answer `join` starts.
    public var action: NetworkAction { situation?.action ?? .join }

    public init(
        id: String, ssid: String, regions: [String], arrival: Int, situation: PromptSituation? = nil
    ) {
        self.id = id
        self.ssid = ssid
        self.regions = regions
        self.arrival = arrival
        self.situation = situation
    }
}

/// A circumstance that a prompt names, because it changes what the answer `join` does.
public enum PromptSituation: String, Codable, Hashable, Sendable, CaseIterable {
    /// Wi-Fi is off. The answer `join` switches it on.
    case radioOff

    /// The same, and the country of the Wi-Fi is not set, which Raspberry Pi OS requires.
    case countryUnset

    /// This machine is connected by Ethernet.
    case ethernet

    /// This machine is connected by a mobile network.
    case mobile

    /// This machine has a connection of another kind.
    case otherConnection

    /// This machine is connected to an unprotected network of the same name.
    case weakTwin

    /// The question is whether to open a hotspot.
    case hotspot

    /// The same, and Wi-Fi is off. The answer `join` switches it on.
    case hotspotRadioOff

    /// The same, and the device is connected to a network, which the hotspot would end.
    case hotspotInstead

    /// The question is whether to switch Wi-Fi on.
    case switchOn

    /// The question is whether to leave the network.
    case leave

    /// The question is whether to close the hotspot.
    case hotspotOff

    /// The question is whether to switch Wi-Fi off.
    case switchOff

    /// The question of a departure, while a user is logged in over the connection that it would end.
    case leaveLoggedIn
    case hotspotOffLoggedIn
    case switchOffLoggedIn
}

extension PromptSituation {
    /// Whether the question contains that a user is logged in.
    var namesLogin: Bool { [.leaveLoggedIn, .hotspotOffLoggedIn, .switchOffLoggedIn].contains(self) }

    /// The action that the answer `join` starts.
    public var action: NetworkAction {
        switch self {
        case .radioOff, .countryUnset, .ethernet, .mobile, .otherConnection, .weakTwin: .join
        case .hotspot, .hotspotRadioOff, .hotspotInstead: .hotspot
        case .switchOn: .radioOn
        case .leave, .leaveLoggedIn: .leave
        case .hotspotOff, .hotspotOffLoggedIn: .hotspotOff
        case .switchOff, .switchOffLoggedIn: .radioOff
        }
    }
}

extension JoinReadiness {
    func situation(_ action: NetworkAction) -> PromptSituation? {
        switch action {
        case .hotspot: return endsConnection ? .hotspotInstead : .hotspot
        case .radioOn: return .switchOn
        case .leave: return isLoggedInOver ? .leaveLoggedIn : .leave
        case .hotspotOff: return isLoggedInOver ? .hotspotOffLoggedIn : .hotspotOff
        case .radioOff: return isLoggedInOver ? .switchOffLoggedIn : .switchOff
        case .join: break
        }
        if replacesWeakTwin { return .weakTwin }
        return switch otherConnection {
        case .ethernet: .ethernet
        case .mobile: .mobile
        case .other: .otherConnection
        case nil: nil
        }
    }
}

public enum PromptAnswer: String, Codable, Hashable, Sendable, CaseIterable {
    case join

    /// Not now: ask at the next arrival.
    case later

    /// Do not ask for this network again, until that is taken back.
    case never
}

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

public enum PromptAnswerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// No prompt of that name was put, or it is long gone.
    case noSuchPrompt(id: String)

    case closed(Prompt, PromptWithdrawal)

    public var description: String {
        switch self {
        case .noSuchPrompt(let id):
            "there is no prompt \(id); `okaeri prompts` lists those that wait"
        case .closed(let prompt, .answered(let answer)):
            "prompt \(prompt.id) for “\(prompt.ssid)” was answered already, with \(answer.rawValue)"
        case .closed(let prompt, .departed):
            "prompt \(prompt.id) for “\(prompt.ssid)” was withdrawn when the region was left; "
                + "the next arrival asks again"
        case .closed(let prompt, .arrived):
            "prompt \(prompt.id) for “\(prompt.ssid)” was withdrawn when the region was entered"
        case .closed(let prompt, .connected):
            "prompt \(prompt.id) for “\(prompt.ssid)” was withdrawn because nothing is left to do"
        case .closed(let prompt, .reconfigured):
            "prompt \(prompt.id) for “\(prompt.ssid)” was withdrawn because the configuration does not ask for it any more"
        }
    }
}
