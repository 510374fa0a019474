/// One region, as this node knows it: what the owner wrote last, and if that is this node, what it goes by.
struct HouseRegion: Sendable {
    let identifier: String
    let hash: UInt64

    init(_ identifier: String) {
        self.identifier = identifier
        hash = Ownership.hash(identifier)
    }

    /// Who owns it, and by what weight.
    var owner: String?
    var ownersWeight: UInt64 = 0

    /// Who owned it before the connection was lost.
    var formerOwner: String?

    /// What was written last, by whomever.
    var written: HouseState?

    /// What was written before the connection was lost: a broker may have forgotten it.
    var remembered: HouseState?

    /// What was written last, as far as is known here.
    var known: HouseState? { written ?? remembered }

    /// When it is brought back to the broker, if nobody else does it before; nil: the broker has it.
    var restoresAt: Int64?

    /// The latest word that was heard: a broker that was cut off, or that has lost its latest data, brings earlier ones again.
    var latest: HouseState.Stamp?

    func isOutdated(_ stamp: HouseState.Stamp) -> Bool { latest.map { stamp < $0 } ?? false }

    /// Whether what was written last, perhaps by us and heard by nobody yet, comes behind this.
    func hasReplaced(_ stamp: HouseState.Stamp) -> Bool { written?.stamp.map { stamp < $0 } ?? false }

    /// What comes behind all that was heard and written.
    func next(by writer: UInt64) -> HouseState.Stamp {
        let last = max(latest?.sequence ?? 0, known?.stamp?.sequence ?? 0)
        return HouseState.Stamp(sequence: last &+ 1, writer: writer)
    }

    /// What was known last, while it is unknown.
    var lastKnown: SightState?

    /// Whether all that its owner waited for were forgotten: it may not live to hear that.
    var isReleased = false

    /// The node is no more.
    mutating func forget(_ node: String) {
        guard written?.waiting.contains(node) ?? false else { return }
        written?.waiting.removeAll { $0 == node }
        isReleased = written?.waiting.isEmpty ?? false
    }

    /// What our own consumers were told: nil: nothing.
    var told: (state: SightState, room: String?)?

    /// An event that the last change asks for and that was not heard yet: its owner may have died between the two.
    var missing: (event: HouseEvent, until: Int64)?

    /// The last event, and when it came.
    var lastEvent: (event: HouseEvent, at: Int64)?

    /// What the owner goes by; nil while another node is the owner.
    var desk: Desk?
}
