/// The action of an arrival or a departure.
public enum NetworkAction: String, Hashable, Sendable, CaseIterable {
    /// Joins the network.
    case join

    /// Opens the hotspot of that name, with a profile of NetworkManager.
    case hotspot

    /// Switches Wi-Fi on. NetworkManager then connects as its profiles say.
    case radioOn = "radio-on"

    /// Leaves the network. NetworkManager does not connect to it by itself then.
    case leave

    /// Closes the hotspot of that name.
    case hotspotOff = "hotspot-off"

    /// Switches Wi-Fi off.
    case radioOff = "radio-off"

    public static let ofArrivals: [NetworkAction] = [.join, .hotspot, .radioOn]
    public static let ofDepartures: [NetworkAction] = [.leave, .hotspotOff, .radioOff]

    public var isOfDeparture: Bool { Self.ofDepartures.contains(self) }

    /// Whether a connection results that can be lost.
    var connects: Bool { self == .join || self == .hotspot }
}
