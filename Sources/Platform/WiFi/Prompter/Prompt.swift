/// The question whether to join a network, put once an arrival.
public struct Prompt: Codable, Hashable, Sendable {
    /// The identifier for an answer: a number, short enough to type.
    public let id: String

    /// The network it is about.
    public let ssid: String

    /// The regions of that network that are inside when it is put, in the order of their arrival.
    public let regions: [String]

    /// The number of the arrival at this network, counted from 1.
    public let arrival: Int

    /// The circumstance that the question names; `nil`: this machine has no connection, or is connected to another Wi-Fi network.
    public let situation: PromptSituation?

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
}

extension JoinReadiness {
    var situation: PromptSituation? {
        if replacesWeakTwin { return .weakTwin }
        return switch otherConnection {
        case .ethernet: .ethernet
        case .mobile: .mobile
        case .other: .otherConnection
        case nil: nil
        }
    }
}
