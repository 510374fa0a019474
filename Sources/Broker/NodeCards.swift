import Agreement

/// What the nodes of the house say of themselves, by name.
///
/// Any client of the broker can publish as any node, and the broker delivers what it keeps at each start. So the number of
/// nodes is bounded, and the bytes of all of them together.
struct NodeCards: Sendable {
    /// The maximum size of all payloads together. A list of regions that equals this node's own does not count, because it
    /// is stored once: with one configuration for all, as in most houses, every node has a place.
    private static let byteLimit = 1 << 20

    private(set) var all: [String: NodeCard] = [:]
    private var sizes: [String: Int] = [:]
    private var size = 0

    subscript(name: String) -> NodeCard? { all[name] }

    /// Stores what a node says of itself. Without room for it nothing changes, and the payload is not parsed.
    ///
    /// - Returns: the card; `nil` for a payload that is not stored.
    mutating func receive(_ payload: [UInt8], from name: String, like list: NodeCard.RegionList) -> NodeCard? {
        let others = size - (sizes[name] ?? 0)
        let own = list.ends(payload) ? payload.count - list.end.count : payload.count
        guard all[name] != nil || all.count < HouseReplica.nodeLimit, own <= Self.byteLimit - others,
            let card = NodeCard(payload, like: list)
        else { return nil }
        (all[name], sizes[name], size) = (card, own, others + own)
        return card
    }

    /// Stores this node's own card.
    mutating func set(_ card: NodeCard, of name: String) {
        remove(name)
        all[name] = card
    }

    mutating func remove(_ name: String) {
        all[name] = nil
        size -= sizes.removeValue(forKey: name) ?? 0
    }
}
