import OkaeriEvents
import OkaeriPlumbing

/// A hub's message that it decides for its site: the topic `hub`.
struct HubClaim: Sendable, Equatable {
    var name: String
    /// The identifier of the daemon's run. Of two hubs that claim at once, the one with the smaller identifier stays.
    var incarnation: String
    var since: String
    /// Whether it is a standby's: a hub's claim replaces it.
    var isStandby = false

    var payload: String {
        [
            Wire.text("name", name), Wire.text("incarnation", incarnation), Wire.text("since", since),
            Wire.text("kind", (isStandby ? NodeKind.standby : .hub).rawValue),
        ].json
    }

    /// Whether it replaces a claim that stands.
    fileprivate func replaces(_ other: HubClaim, _ isOnline: (String) -> Bool) -> Bool {
        guard isStandby == other.isStandby else { return other.isStandby }
        return isOnline(name) && incarnation < other.incarnation
    }
}

extension HubClaim {
    private static let longestIncarnation = 64

    /// Returns `nil` for a payload that no hub publishes.
    init?(_ payload: [UInt8]) {
        struct Members: Decodable {
            var name: String
            var incarnation: String
            var since: String?
            var kind: String?
        }
        guard let members = Wire.decode(Members.self, payload), TopicName.isName(members.name),
            1...Self.longestIncarnation ~= members.incarnation.utf8.count, members.incarnation.isPlainName
        else { return nil }
        self.init(
            name: members.name, incarnation: members.incarnation, since: members.since.flatMap(Wire.name) ?? "",
            isStandby: members.kind == NodeKind.standby.rawValue)
    }
}

/// The election of the node that decides for a site. It publishes for the house only after the broker has delivered its own claim back.
/// A standby claims while no hub does, and yields to each hub.
///
/// The broker may lose a claim or deliver an old one. A claim counts while its node is online; a client of MQTT has one last will, which
/// is that of its status.
struct HubElection: Sendable {
    ///     away → asking        connected: the broker delivers what it retains
    ///     asking → claiming    no other hub's claim stands: this node publishes its own
    ///     asking → yielded     another hub's claim stands, or this node is a standby
    ///     claiming → holding   the broker delivered this hub's claim
    ///     claiming → proving   the broker delivered the claim of a standby, or of a hub that replaces one, or that may have been replaced
    ///     proving → holding    some seconds have passed: two standbys may claim at once, one that is replaced may not know it yet, and
    ///                          one whose announcements the broker has lost repeats them
    ///     claiming, proving, holding → yielded   another claim replaces it
    ///     yielded → claiming   for half a minute no other claim has stood
    ///     any → away           disconnected
    enum State: Sendable, Equatable {
        case away, asking, claiming, proving, holding
        /// `nil`: a standby knows of no hub.
        case yielded(to: String?)
    }

    enum Decision: Sendable, Equatable {
        case nothing
        /// Publish the claim.
        case claim
        /// Publish the claim once more: another client changed it.
        case repeatClaim
        /// This node will decide for the house in some seconds.
        case proves
        /// From now on this hub decides for the house.
        case began
        /// From now on another node does; `nil`: a standby waits for one.
        case yielded(to: String?)
    }

    /// The time without a claim after which a node that has yielded claims.
    private static let vacancy = 30 * Nanoseconds.second

    let own: HubClaim
    private(set) var state = State.away
    /// The last claim of another hub.
    private(set) var other: HubClaim?
    /// The time at which this node claims, claims again, or decides at the end of its proof; `nil` if it waits for a message.
    private(set) var actsAt: Int64?

    /// The time after which a claim that did not come back is published again.
    private static let repetition = 10 * Nanoseconds.second

    /// The time for which a standby's claim stands before it decides, and that of a hub that replaces it: longer than messages are on
    /// their way.
    private static let proof = 5 * Nanoseconds.second

    init(_ own: HubClaim) { self.own = own }

    /// Whether a standby may have decided before this hub, and the broker has lost its claim.
    var mayHaveBeenReplaced = false

    /// Whether this node can decide: a standby cannot before it knows the regions.
    var isPrepared = true

    /// Whether this node decides for the house, as far as it knows: another hub may not have been found yet.
    var isDeciding: Bool {
        guard !own.isStandby else { return state == .holding }
        return if case .yielded = state { false } else { true }
    }

    mutating func connected() { (state, other, actsAt) = (.asking, nil, nil) }

    mutating func disconnected() { (state, other, actsAt) = (.away, nil, nil) }

    /// Handles that the broker has delivered what it retains.
    ///
    /// - Parameter isOnline: Whether a node is online.
    mutating func settled(_ isOnline: (String) -> Bool, at now: Int64) -> Decision {
        guard state == .asking else { return .nothing }
        let standing = other.flatMap { isOnline($0.name) ? $0 : nil }
        if own.isStandby || standing.map({ !$0.isStandby }) ?? false { return yield(to: standing, isOnline, at: now) }
        (state, actsAt) = (.claiming, now.addingClamped(Self.repetition))
        return .claim
    }

    /// Handles a message on the claim's topic; `nil`: an empty one, or no claim.
    mutating func received(_ claim: HubClaim?, isRetained: Bool, at now: Int64, _ isOnline: (String) -> Bool)
        -> Decision
    {
        if claim == own {
            let replaced = other.map { $0.isStandby && isOnline($0.name) } ?? false
            other = nil
            guard state == .claiming else { return .nothing }
            let isProved = !own.isStandby && !replaced && !mayHaveBeenReplaced
            (state, actsAt) = isProved ? (.holding, nil) : (.proving, now.addingClamped(Self.proof))
            return isProved ? .began : .proves
        }
        // An earlier run of this daemon.
        other = claim?.name == own.name ? nil : claim
        switch state {
        case .away, .asking: return .nothing
        case .claiming, .proving, .holding:
            guard let other, !isRetained, other.replaces(own, isOnline) else {
                return isRetained ? .nothing : .repeatClaim
            }
            return yield(to: other, isOnline, at: now)
        case .yielded:
            vacancyDetermined(isOnline, at: now)
            if let other, actsAt == nil { state = .yielded(to: other.name) }
            return .nothing
        }
    }

    /// Handles that a node came or went.
    mutating func nodesChanged(_ isOnline: (String) -> Bool, at now: Int64) {
        if case .yielded = state { vacancyDetermined(isOnline, at: now) }
    }

    /// Handles that time has passed.
    mutating func advanced(to now: Int64) -> Decision {
        guard let due = actsAt, due <= now else { return .nothing }
        if state == .proving {
            (state, actsAt) = (.holding, nil)
            return .began
        }
        let isRepeated = state == .claiming
        (state, actsAt) = (.claiming, now.addingClamped(Self.repetition))
        return isRepeated ? .repeatClaim : .claim
    }

    private mutating func vacancyDetermined(_ isOnline: (String) -> Bool, at now: Int64) {
        let isTaken = other.map { isOnline($0.name) && (own.isStandby || !$0.isStandby) } ?? false
        actsAt = isTaken || !isPrepared ? nil : actsAt ?? now.addingClamped(Self.vacancy)
    }

    private mutating func yield(to other: HubClaim?, _ isOnline: (String) -> Bool, at now: Int64) -> Decision {
        (state, actsAt) = (.yielded(to: other?.name), nil)
        vacancyDetermined(isOnline, at: now)
        return .yielded(to: other?.name)
    }
}
