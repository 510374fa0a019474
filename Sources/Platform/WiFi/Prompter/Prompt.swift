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
