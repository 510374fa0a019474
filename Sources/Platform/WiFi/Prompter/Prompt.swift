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

    public init(id: String, ssid: String, regions: [String], arrival: Int) {
        self.id = id
        self.ssid = ssid
        self.regions = regions
        self.arrival = arrival
    }
}
