import MQTT

/// The part of a house that a node leaves for good.
package enum Departure: Sendable {
    /// The house: the node has another name from now on, or belongs to another house or to none.
    case house
    /// Home Assistant's discovery, or its prefix.
    case discovery
}

/// The end of this node's topics.
extension BrokerCore {
    /// Handles that this node leaves. The hub empties the topics of the house as well: no other node would.
    func left(_ departure: Departure) -> [Output] {
        guard isConnected else { return [] }
        var gone = announcedTopics
        if let discovery { gone.append(discovery.node(node).topic) }
        if departure == .house {
            if isHolding {
                gone +=
                    regions.map { topics.region(name($0.level)) } + [
                        topics.house, topics.wanted, topics.regions, topics.hub,
                    ]
                gone += batteries.levels.sorted().map { topics.battery(name($0)) }
            }
            gone += [topics.scanner(node), topics.prompt(node), topics.about(node)]
        }
        return gone.map { .publish(.clearing($0)) }
    }
}
