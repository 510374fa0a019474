/// What the nodes of a house agree on: who is there, in which room, and which node writes it.
///
/// A value without clocks, sockets or broker, one at each node: what the broker delivers goes in by a function in the past tense
/// with its time, and what is to be published, subscribed or announced comes back. Everything retained comes with
/// `wasRetained`: it was found, not said, and counts only once its node is heard.
///
///     act(house.connected(at: now))                        // subscribed to statuses, house states and events
///     act(house.statusReceived(node: "attic", isOnline: true, wasRetained: false, at: now))
///     act(house.sightReceived(node: "attic", region: "keys", sight, wasRetained: false, at: now))
///     act(house.advanced(to: now))                         // by a timer set to house.nextDeadline
///
/// The owner of a region (``Ownership``) writes its state, which is a function of the sights:
///
/// - inside, if a live node is inside;
/// - else unknown, if a live node is unknown, or one went dark while its last word was inside: nobody is sent away for
///   that. It is so until the node is back, another one hears the beacon, it is forgotten, or a day is over;
/// - else outside.
///
/// Enter and exit compare with what was known last, so a node that dies or returns is neither. Ages are those of the receiver's
/// monotonic clock, and no wall clock is compared.
///
/// Everything is bounded: ``nodeLimit`` nodes, the regions of the configuration, one sight of each node for each region that is
/// owned here. A sight costs the same whatever the number of nodes.
package struct House: Sendable {
    /// More nodes than this are not believed: anybody can write topics.
    package static let nodeLimit = 1000

    /// The longest name of a node, a room or an incarnation, in UTF-8.
    package static let nameLimit = 128

    /// A call that comes so much too late tells that this process was frozen, and knows nothing of the time between.
    private static let frozen = 5 * Nanoseconds.second

    /// An event that is heard twice within this is one.
    static let repetition = 10 * Nanoseconds.second

    /// For so long an event that its owner did not send is sent by the next one: an owner's death is told by the broker after
    /// ten seconds, its silence after half a minute. What is older is no news.
    static let succession = 60 * Nanoseconds.second

    package let node: String
    /// By this our own words on regions are known.
    let writer: UInt64
    package internal(set) var isConnected = false

    var regions: [HouseRegion]
    var positions: [String: Int] = [:]
    var nodes: [String: HouseNode] = [:]
    /// Those of the nodes that may own regions.
    var candidates: [String: Candidate] = [:]
    /// Those that there were before the connection was lost.
    var former: [String: Candidate] = [:]
    /// Those that watch other regions than when their owners were found.
    var redescribed: Set<String> = []
    var ownsHub = false
    var writtenOnline: Int?
    /// Before this nothing is written.
    var speaksAt: Int64 = 0
    var silence = Silence()
    /// Whether nobody has been found to own anything since.
    var isBack = false
    /// When the last connection was lost.
    var lostAt: Int64?

    /// When a node is next eligible, stale or silent. May be early, is never late.
    var nodesDue: Int64?
    /// When ``advanced(to:)`` is next needed. May be early, is never late.
    package internal(set) var nextDeadline: Int64?

    /// - Parameters:
    ///   - node: this node's own name.
    ///   - incarnation: new with every start of the daemon.
    ///   - regions: the identifiers of the configured regions, as topics have them; others are not heard.
    package init(node: String, incarnation: String, regions: [String]) {
        self.node = node
        writer = Ownership.hash(incarnation)
        self.regions = []
        var known: Set<String> = []
        self.regions = regions.filter { known.insert($0).inserted }.map { HouseRegion($0) }
        positions = Dictionary(uniqueKeysWithValues: self.regions.enumerated().map { ($1.identifier, $0) })
    }

    /// What the house agrees on about a region; nil: nothing is known, or there is no broker.
    package func state(of region: String) -> HouseState? {
        isConnected ? positions[region].flatMap { regions[$0].written } : nil
    }

    /// The node that writes a region's state; nil while there is none.
    package func owner(of region: String) -> String? { positions[region].flatMap { regions[$0].owner } }

    /// Whether this node counts and announces the house.
    package var isHub: Bool { ownsHub }

    /// The nodes that are online as far as is known, in order.
    package func online(at now: Int64) -> [String] {
        nodes.filter { $0.value.isOnline && !$0.value.isSilent(at: now) }.keys.sorted()
    }
}

// MARK: Events

extension House {
    /// The broker took us in. All that it keeps follows, as retained.
    package mutating func connected(at now: Moment) -> [HouseAction] {
        let actions = disconnected(at: now)
        (isConnected, isBack) = (true, true)
        if let lostAt, now.instant.since(lostAt) > Self.memory { forgetWords() }
        silence.began(at: now.instant, without: Set(former.keys).subtracting([node]))
        speaksAt = silence.end
        nodesDue = speaksAt
        schedule(speaksAt)
        if nodes[node] == nil { nodes[node] = HouseNode() }
        return actions
    }

    /// The broker is away: there is no house until it is back. What is known last stays known.
    ///
    /// Nothing is owned any more: what a next connection brings without being asked for would come before anything is.
    package mutating func disconnected(at now: Moment) -> [HouseAction] {
        if isConnected { lostAt = now.instant }
        isConnected = false
        let actions = regions.filter { $0.desk != nil }.map { HouseAction.unsubscribe(region: $0.identifier) }
        for index in regions.indices {
            regions[index].remember()
            (regions[index].owner, regions[index].desk, regions[index].missing) = (nil, nil, nil)
        }
        if !candidates.isEmpty { former = candidates }
        let room = nodes[node]?.room
        let watched = nodes[node]?.regions
        (nodes, candidates, redescribed) = ([:], [:], [])
        nodes[node] = HouseNode()
        nodes[node]?.room = room
        nodes[node]?.regions = watched
        (ownsHub, writtenOnline, nextDeadline, nodesDue) = (false, nil, nil, nil)
        return actions
    }

    /// Other regions are watched here from now on; those that stay keep what is known of them.
    package mutating func regionsReplaced(with identifiers: [String], at now: Moment) -> [HouseAction] {
        let known = Dictionary(regions.map { ($0.identifier, $0) }, uniquingKeysWith: { first, _ in first })
        let kept = Set(identifiers)
        var actions: [HouseAction] = regions.filter { $0.desk != nil && !kept.contains($0.identifier) }
            .map { .unsubscribe(region: $0.identifier) }
        var seen: Set<String> = []
        regions = identifiers.filter { seen.insert($0).inserted }.map { known[$0] ?? HouseRegion($0) }
        positions = Dictionary(uniqueKeysWithValues: regions.enumerated().map { ($1.identifier, $0) })
        if isConnected { actions += ownersFound(at: now) }
        return actions
    }

    /// Time went on.
    package mutating func advanced(to now: Moment) -> [HouseAction] {
        guard isConnected else { return [] }
        thaw(at: now.instant)
        silence.advanced(to: now.instant)
        guard let due = nextDeadline, due <= now.instant else { return [] }
        var actions: [HouseAction] = []
        nextDeadline = nil
        if nodesDue.map({ $0 <= now.instant }) ?? false { actions += nodesJudged(at: now) }
        for index in regions.indices {
            actions += restored(index, at: now.instant)
            guard let due = regions[index].desk?.due else { continue }
            if due <= now.instant { actions += regionJudged(index, at: now) } else { schedule(due) }
        }
        if let nodesDue { schedule(nodesDue) }
        return actions
    }

    /// Who comes so late was stopped: the broker may have given others what was ours, and what it has to say to us waits.
    mutating func thaw(at now: Int64) {
        guard let due = nextDeadline, now.since(due) >= Self.frozen else { return }
        if now.since(due) > Self.memory { forgetWords() }
        speaksAt = now.later(by: Silence.shortest)
        for index in regions.indices where regions[index].desk != nil { regions[index].desk?.due = speaksAt }
        nodesDue = speaksAt
        nextDeadline = speaksAt
    }

    mutating func schedule(_ instant: Int64) { nextDeadline = min(nextDeadline ?? instant, instant) }

    /// Whether a name from a topic or a payload is one.
    static func isName(_ name: String) -> Bool { !name.isEmpty && name.utf8.count <= nameLimit }
}
