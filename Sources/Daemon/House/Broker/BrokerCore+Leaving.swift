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
    /// Handles that this node leaves. Topics of the house are emptied as well if no other node is known, because no node
    /// would empty them later.
    func left(_ departure: Departure) -> [Output] {
        guard isConnected else { return [] }
        let isAlone = statuses.keys.allSatisfy { $0 == node }
        var gone: [String] = []
        if let discovery {
            gone += levels.map { discovery.part(region: $0, node: node).topic } + [discovery.node(node).topic]
            if isAlone {
                gone += levels.map { discovery.region($0, nodes: []).topic } + [discovery.hub(nodes: []).topic]
            }
        }
        if departure == .house {
            gone += levels.map { topics.observation(of: name($0), by: node) }
            if isAlone {
                gone += levels.map { topics.region(name($0)) } + [topics.house]
                gone += batteries.keys.sorted().map { topics.battery(name($0)) }
            }
            gone += [topics.scanner(node), topics.prompt(node), topics.about(node)]
        }
        return gone.map { .publish(.clearing($0)) }
    }
}
