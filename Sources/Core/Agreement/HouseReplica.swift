package import Plumbing

/// The state of the house at one node: the regions' states, and the nodes that write them.
///
/// A value without clocks, sockets or a broker. A message that the broker delivers goes in by a function in the past tense, with its
/// time; the effects come back:
///
///     act(house.connected(at: now))                        // subscribed to statuses, house states and events
///     act(house.statusReceived(node: "attic", isOnline: true, isRetained: false, at: now))
///     act(house.observationReceived(node: "attic", region: "keys", observation, isRetained: false, at: now))
///     act(house.advanced(to: now))                         // by a timer set to house.nextDeadline
///
/// The rules that hold at any time are in docs/developers/agreement.md. Everything is bounded: ``nodeLimit`` nodes, the configured
/// regions, and one observation of each node for each region that is owned here.
package struct HouseReplica: Sendable {
    /// The connection to the broker.
    ///
    ///     offline  → settling   connected
    ///     settling → active     this node's own description came back, and the nodes of before are back or late
    ///     active   → settling   the process was suspended
    ///     settling, active → offline   disconnected
    enum Connection: Sendable {
        case offline
        case settling(Settling)
        case active
    }

    /// The maximum number of tracked nodes. Any client can publish under our topics, so memory must be bounded.
    package static let nodeLimit = 1000

    /// The maximum length of the name of a node, a room or an incarnation, in bytes of UTF-8.
    package static let nameLimit = 128

    /// If a timer fires this late, the process was suspended; observations from before are stale.
    private static let suspension = 3 * Nanoseconds.second

    /// The interval at which an owner checks whether the process was suspended. Together with ``suspension`` no longer
    /// than another node takes from its connection to its first message: two owners would announce the same event.
    static let watch = 2 * Nanoseconds.second

    /// The time after the loss of its connection for which a node has later messages than a broker that was restored.
    private static let memory = 900 * Nanoseconds.second

    package let node: String
    let writer: UInt64

    var connection = Connection.offline
    var regions: [HouseRegion]
    var positions: [String: Int] = [:]
    var nodes: [String: HouseNode] = [:]
    /// The nodes that can own regions.
    var candidates: [String: Candidate] = [:]
    /// The nodes that were there before the connection was lost, and are not back.
    var absence = Absence()
    /// The nodes that were forgotten, at most ``nodeLimit``: the time at which this node empties their status again because a
    /// message waits for them; `.max` while none does, and `.min` after it was done.
    var forgotten: [String: Int64] = [:]
    /// The nodes whose regions changed since owners were determined.
    var redescribed: Set<String> = []
    /// Whether this node counts the nodes and announces the house.
    package internal(set) var isHub = false
    /// The number of changes of owners, announcers and the hub.
    package internal(set) var ownership: UInt64 = 0
    var publishedOnline: Int?
    var lostAt: Int64?
    /// Whether the messages that the broker lost are still to be found.
    var isBack = false

    /// The next time at which a node's status may change by itself. May be early, is never late.
    var nodesDue: Int64?

    /// The time at which ``advanced(to:)`` is needed next. May be early, is never late.
    package private(set) var nextDeadline: Int64?

    /// - Parameters:
    ///   - node: this node's own name.
    ///   - incarnation: an identifier that is new with every start of the daemon.
    ///   - regions: the identifiers of the configured regions as in topics; others are ignored.
    package init(node: String, incarnation: String, regions: [String]) {
        self.node = node
        writer = incarnation.utf8.fnv1a
        self.regions = []
        setRegions(regions)
        nodes[node] = HouseNode()
    }

    private mutating func setRegions(_ identifiers: [String]) {
        let known = Dictionary(regions.map { ($0.identifier, $0) }, uniquingKeysWith: { first, _ in first })
        var seen: Set<String> = []
        regions = identifiers.filter { seen.insert($0).inserted }.map { known[$0] ?? HouseRegion($0) }
        positions = Dictionary(uniqueKeysWithValues: regions.enumerated().map { ($1.identifier, $0) })
    }

    package var isConnected: Bool { if case .offline = connection { false } else { true } }

    /// The agreed state of a region; `nil` if nothing is known, or without a broker.
    package func state(of region: String) -> HouseState? {
        guard isConnected, let index = positions[region], regions[index].message.isStored else { return nil }
        return regions[index].message.state
    }

    /// The node that writes a region's state; `nil` while there is none.
    package func owner(of region: String) -> String? { positions[region].flatMap { regions[$0].owner?.name } }

    /// The node that announces a region to Home Assistant; `nil` while there is none.
    package func announcer(of region: String) -> String? { positions[region].flatMap { regions[$0].announcer } }

    /// The names of the nodes that are online, in order.
    package func online(at now: Int64) -> [String] {
        nodes.filter { $0.value.isPresent(at: now) }.keys.sorted()
    }

    /// Whether the house waits for a node, even if the broker holds nothing of it.
    package func isWaited(for name: String) -> Bool {
        regions.contains { $0.message.state?.waiting.contains(name) ?? false }
    }

    /// Whether the broker accepts this node's messages and has delivered none for so long that it never will.
    package func isUnreadable(at now: Int64) -> Bool {
        settling?.isUnreadable(at: now) ?? false
    }

    /// Whether the broker delivers to this node, so that it is online.
    var isReadable: Bool { isConnected && settling?.isUnheard != true }

    /// Whether a name from a topic or a payload is acceptable.
    static func isName(_ name: String) -> Bool { !name.isEmpty && name.utf8.count <= nameLimit }

    func view(at now: Moment) -> HouseView {
        HouseView(
            node: node, writer: writer, now: now, nodes: nodes, absence: absence,
            candidates: candidates.isEmpty ? absence.nodes : candidates, isActive: isActive)
    }

    private var isActive: Bool { if case .active = connection { true } else { false } }

    mutating func schedule(_ instant: Int64) { nextDeadline = min(nextDeadline ?? instant, instant) }

    mutating func scheduleNodes(_ instant: Int64) {
        nodesDue = min(nodesDue ?? instant, instant)
        schedule(instant)
    }
}

/// The part of the house's state that a region reads.
struct HouseView {
    let node: String
    let writer: UInt64
    let now: Moment
    let nodes: [String: HouseNode]
    let absence: Absence
    let candidates: [String: Candidate]
    /// Whether this node may write.
    let isActive: Bool

    /// The number of other nodes that own the region before this one.
    func rank(of region: HouseRegion) -> Int {
        let own = Ownership.weight(node.utf8.fnv1a, region.key.hash)
        return candidates.values.count { $0.name != node && $0.weight(for: region.key) ?? 0 > own }
    }

    /// Whether this node is among the first that bring a message back. Hundreds may remember it.
    func isWitness(of region: HouseRegion) -> Bool { rank(of: region) < 3 }
}

// MARK: Connection

extension HouseReplica {
    /// Handles CONNACK. The broker delivers its retained messages next.
    package mutating func connected(at now: Moment) -> [HouseAction] {
        let actions = disconnected(at: now)
        if let lostAt, now.instant.subtractingClamped(lostAt) > Self.memory { forgetMessages() }
        absence.began(at: now.instant, without: node)
        connection = .settling(Settling(at: now.instant))
        isBack = true
        for index in regions.indices { regions[index].connected(.silent, at: now.instant) }
        nextDeadline = announcementsEnd
        schedule(settlingEnd ?? now.instant)
        return actions
    }

    /// Handles the loss of the connection. What was known stays known, and nothing is owned: the next connection delivers
    /// messages before owners are determined.
    package mutating func disconnected(at now: Moment) -> [HouseAction] {
        if isConnected {
            lostAt = now.instant
            absence.lost(nodes.filter { $0.key != node }, candidates, at: now.instant)
        }
        connection = .offline
        var actions: [HouseAction] = []
        // A node that cannot own regions yet may own this node's later, and this process may have been suspended for minutes.
        let isAlone = nodes.allSatisfy { $0.key == node || !$0.value.isOnline }
        for index in regions.indices {
            actions += regions[index].disconnected(isAlone: isAlone, at: now.instant)
        }
        let own = nodes[node]
        nodes = [node: HouseNode(room: own?.room, regions: own?.regions, announces: own?.announces ?? true)]
        (candidates, redescribed) = ([:], [])
        (isHub, publishedOnline, nodesDue) = (false, nil, nil)
        nextDeadline = announcementsEnd
        return actions
    }

    /// The time at which an event is announced, even without a connection.
    private var announcementsEnd: Int64? { regions.compactMap(\.announcesAt).min() }

    /// Handles a new configuration. Regions that stay keep what is known of them.
    package mutating func regionsReplaced(with identifiers: [String], at now: Moment) -> [HouseAction] {
        let kept = Set(identifiers)
        var actions: [HouseAction] = []
        for index in regions.indices where !kept.contains(regions[index].identifier) {
            actions += regions[index].stoodDown()
        }
        setRegions(identifiers)
        return isConnected ? actions + ownersDetermined(at: now) : []
    }

    /// Handles the passing of time.
    package mutating func advanced(to now: Moment) -> [HouseAction] {
        var actions = isConnected ? resumed(at: now) : []
        guard let due = nextDeadline, due <= now.instant else { return actions }
        guard isConnected else {
            defer { nextDeadline = announcementsEnd }
            let view = view(at: now)
            return regions.indices.flatMap { regions[$0].announced(view) }
        }
        nextDeadline = nil
        let isOver = absence.advance(to: now.instant)
        actions += settled(at: now)
        if nodesDue.map({ $0 <= now.instant }) ?? false { actions += nodesAdvanced(at: now) }
        let view = view(at: now)
        for index in regions.indices {
            let isDue = regions[index].nextDeadline(view).map { $0 <= now.instant } ?? false
            if isDue || isOver { actions += regions[index].advanced(view) }
        }
        reschedule(view)
        return actions
    }

    /// Sets the next deadline to the earliest of all.
    private mutating func reschedule(_ view: HouseView) {
        if let end = settlingEnd { schedule(end) }
        if let nodesDue { schedule(nodesDue) }
        var isOwner = false
        for index in regions.indices {
            if let due = regions[index].nextDeadline(view) { schedule(max(due, view.now.instant)) }
            isOwner = isOwner || !regions[index].isFollower
        }
        if isOwner { schedule(view.now.instant.addingClamped(Self.watch)) }
    }

    /// The settling, which can be changed while it goes on.
    private var settling: Settling? {
        get { if case .settling(let settling) = connection { settling } else { nil } }
        set { if let newValue { connection = .settling(newValue) } }
    }

    var settlingEnd: Int64? { settling?.end(isComplete: absence.nodes.isEmpty) }

    /// Ends the settling if it is time.
    private mutating func settled(at now: Moment) -> [HouseAction] {
        guard let settling, let end = settlingEnd, end <= now.instant else { return [] }
        if settling.isUnheard { return [self.settling?.asked(at: now.instant)].compactMap(\.self) }
        connection = .active
        scheduleNodes(now.instant)
        return ownersDetermined(at: now)
    }

    /// Handles this node's own description: everything that the broker retains has been delivered before it.
    mutating func ownReceived(at now: Moment) -> [HouseAction] {
        guard settling?.isUnheard == true else { return [] }
        settling?.heard(at: now.instant)
        for index in regions.indices { regions[index].connected(.delivering, at: now.instant) }
        if let end = [settlingEnd, announcementsEnd].compactMap(\.self).min() { schedule(end) }
        return [.publishOnline]
    }

    /// Handles that a node is online that was not.
    mutating func arrived(_ name: String, at now: Int64) {
        absence.returned(name)
        settling?.arrived(at: now)
        if let end = settlingEnd { schedule(end) }
    }

    /// If this call is late, the process was suspended: the broker may have given this node's regions to others, and what it
    /// delivered meanwhile waits.
    private mutating func resumed(at now: Moment) -> [HouseAction] {
        guard let due = nextDeadline, now.instant.subtractingClamped(due) >= Self.suspension else { return [] }
        if now.instant.subtractingClamped(due) > Self.memory { forgetMessages() }
        let actions = suspendRegions(now)
        if case .active = connection { connection = .settling(Settling(at: now.instant, isUnheard: false)) }
        nodesDue = now.instant.addingClamped(Settling.shortest)
        nextDeadline = nodesDue
        return actions
    }

    /// Has this node listen again before it writes.
    mutating func suspendRegions(_ now: Moment) -> [HouseAction] {
        let view = view(at: now)
        return regions.indices.flatMap { regions[$0].resumed(view) }
    }

    private mutating func forgetMessages() {
        for index in regions.indices { regions[index].outlived() }
    }
}
