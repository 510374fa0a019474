import Plumbing
import RegionMonitoring

/// The observations of one region at its owner, and the state that follows from them:
///
/// - inside if a node reports inside now;
/// - otherwise unknown if a node that heard the beacon last does not report (``holders``), or a node reports unknown, or none
///   reports;
/// - otherwise outside.
///
/// A node becomes a holder by reporting inside. It stops being one by reporting outside, or when another node reports inside
/// while it is silent, or when it is forgotten, or after a day of silence. So a region leaves inside only by the reports of
/// the nodes that heard the beacon.
struct OwnerState: Sendable {
    /// The effect of an observation on the state.
    ///
    ///     retained → pending   it is inside, and its node may be alive
    ///     retained → live      it is unknown, and its node may be alive
    ///     retained → silent    it is outside: the node may have published that before it heard the beacon
    ///     pending, live → silent   the time is over, the node is offline, or its scanner is off
    ///     any → live           the node published it now
    enum Standing: Sendable, Equatable {
        case silent
        case pending
        case live(RegionState)

        /// Whether the node may hear the beacon now.
        var isInside: Bool { self == .live(.inside) || self == .pending }
    }

    struct Entry: Sendable {
        var observation: Observation
        var receivedAt: Int64
        /// Whether the node published it after the subscription, so that it is as old as its message.
        var isCurrent: Bool
        var standing = Standing.silent
        /// The last observation of each earlier incarnation. Two daemons with one name alternate between two.
        private(set) var earlier: [HouseState.Mark] = []

        private static let earlierLimit = 4

        /// The end of its time if nothing follows.
        var expiresAt: Int64 { receivedAt.addingClamped(observation.validity) }

        /// Stores a newer observation.
        ///
        /// - Returns: whether it is newer. A retained one of another incarnation has no known place in the order.
        mutating func replace(by new: Observation, isCurrent: Bool, at now: Int64) -> Bool {
            let isKnown = HouseState.Mark(observation)
            if isKnown.incarnation == new.incarnation {
                // A retained observation can be published again as it is.
                let isConfirmed = isKnown.sequence == new.sequence && isCurrent && !self.isCurrent
                guard isKnown.sequence < new.sequence || isConfirmed else { return false }
            } else {
                guard isCurrent || !self.isCurrent,
                    !earlier.contains(where: { $0.incarnation == new.incarnation && $0.sequence >= new.sequence })
                else { return false }
                earlier.removeAll { $0.incarnation == new.incarnation }
                earlier.append(isKnown)
                if earlier.count > Self.earlierLimit { earlier.removeFirst() }
            }
            (observation, self.isCurrent, receivedAt) = (new, isCurrent, now)
            return true
        }
    }

    /// A node whose last definite observation is inside.
    struct Holder: Sendable {
        var mark: HouseState.Mark?
        /// Whether the broker has the marked observation of the node, or a newer one.
        var isAtBroker = false
        /// The end of the wait if nothing follows.
        var until: Int64
        /// Whether the node is only waited for after a break.
        var isAbsent = false
    }

    /// The time that the house waits for a silent holder.
    static let patience = 86_400 * Nanoseconds.second

    /// The name of the holder of a region that is inside by a message that names no nodes, such as an earlier version's, and
    /// how long the house waits for it.
    static let (unnamed, unnamedPatience) = ("", 900 * Nanoseconds.second)

    private(set) var entries: [String: Entry] = [:]
    private(set) var holders: [String: Holder] = [:]
    private(set) var rooms = RoomEstimator()
    private var (inside, unknown, outside, pending) = (0, 0, 0, 0)

    /// Whether the region was inside before this node owned it, and no node has reported inside since. A node that was restarted
    /// meanwhile may have heard the beacon: its earlier observation is lost, for the broker retains the last one only.
    private var isInherited = false

    /// The room by the message of the owner before this node. A beacon does not move because a node beside it fails.
    private var inheritedRoom: String?

    /// Whether the last holder was forgotten, so that nothing is known any more.
    private(set) var isReleased = false

    /// The next time at which a standing or a holder changes by itself. May be early, is never late.
    private(set) var reviewAt: Int64?

    /// The state of the region; `nil` while it depends on a node that may be alive.
    var state: RegionState? {
        if inside > 0 { return .inside }
        if pending > 0 { return nil }
        return !holders.isEmpty || unknown > 0 || outside == 0 ? .unknown : .outside
    }

    var isInside: Bool { inside > 0 }

    /// The holders as the region's message names them.
    var hearing: [HouseState.Hearing] {
        holders.filter { $0.key != Self.unnamed }.sorted { $0.key < $1.key }
            .map { .init(node: $0, mark: $1.isAtBroker ? $1.mark : nil, isAbsent: $1.isAbsent) }
    }

    /// Takes over the holders of a message of an earlier owner. A node that has reported since is not affected.
    ///
    /// - Parameter isOriginal: whether the broker has the observations that the message names, or newer ones.
    mutating func inherit(_ state: HouseState, isOriginal: Bool, at now: Int64) {
        isInherited = state.lastKnown == .inside && inside == 0
        inheritedRoom = state.room
        // The other owner knows that the beacon left.
        if state.lastKnown == .outside { holders = holders.filter { hasReported($0.key) } }
        for hearing in state.hearing where !hasReported(hearing.node) && holders[hearing.node] == nil {
            let patience = hearing.isAbsent ? Absence.longest : Self.patience
            holders[hearing.node] = Holder(
                mark: hearing.mark, isAtBroker: isOriginal, until: now.addingClamped(patience),
                isAbsent: hearing.isAbsent)
            // Its retained observation may have arrived before.
            if let entry = entries[hearing.node] { adopt(entry.observation, of: hearing.node, at: now) }
        }
        if state.state == .inside, state.hearing.isEmpty, holders.isEmpty, inside == 0 {
            holders[Self.unnamed] = Holder(mark: nil, until: now.addingClamped(Self.unnamedPatience))
        }
        if let first = holders.values.map(\.until).min() { review(at: first) }
    }

    private func hasReported(_ node: String) -> Bool { entries[node]?.isCurrent ?? false }

    /// Stores an observation.
    ///
    /// - Returns: whether it is newer than the stored one.
    mutating func received(
        _ observation: Observation, of name: String, _ node: HouseNode, isRetained: Bool, at now: Int64
    ) -> Bool {
        if entries[name] == nil {
            entries[name] = Entry(observation: observation, receivedAt: now, isCurrent: !isRetained)
            if isInherited, observation.state == .unknown, node.isScanning, node.isOnline, holders[name] == nil {
                hold(name, by: observation, at: now)
            }
        } else if entries[name]?.replace(by: observation, isCurrent: !isRetained, at: now) != true {
            return false
        }
        weigh(name, node, at: now)
        if isRetained {
            if observation.state == .inside, entries[name]?.standing == .silent, node.room == inheritedRoom {
                rank(name, node, observation, at: now)
                rooms.lost(name, at: now)
            }
            adopt(observation, of: name, at: now)
        } else if entries[name]?.standing == .silent {
            // It was published before its node was online, or after its scanner stopped.
            switch observation.state {
            case .inside: hold(name, by: observation, at: now)
            case .outside: holders[name] = nil
            case .unknown: break
            }
        }
        return true
    }

    /// Applies a retained observation to the holders. It counts as far as its place in the order is known.
    private mutating func adopt(_ observation: Observation, of name: String, at now: Int64) {
        let isNewer = holders[name].map { holder in
            guard let mark = holder.mark else { return false }
            // The broker replaced the marked one: the node was restarted.
            return mark.isBefore(observation) || holder.isAtBroker && mark.incarnation != observation.incarnation
        }
        switch observation.state {
        case .outside: if isNewer == true { holders[name] = nil }
        case .inside: if isNewer ?? true { hold(name, by: observation, at: now) }
        case .unknown: break
        }
    }

    private mutating func hold(_ name: String, by observation: Observation, at now: Int64) {
        holders[name] = Holder(mark: .init(observation), isAtBroker: true, until: now.addingClamped(Self.patience))
        isReleased = false
        review(at: now.addingClamped(Self.patience))
    }

    /// Determines the standing of a node's observation anew, and what follows for holders and rooms.
    mutating func weigh(_ name: String, _ node: HouseNode, at now: Int64) {
        guard let entry = entries[name] else { return }
        let standing = standing(of: entry, node, at: now)
        count(entry.standing, -1)
        count(standing, 1)
        entries[name]?.standing = standing
        if standing != .silent { review(at: entry.expiresAt) }
        switch standing {
        case .live(.inside):
            // Silent nodes do not know better: the beacon moved.
            isInherited = false
            hold(name, by: entry.observation, at: entry.receivedAt)
            if holders.count > inside { holders = holders.filter { entries[$0.key]?.standing.isInside ?? false } }
            rank(name, node, entry.observation, at: now)
        case .live(.outside):
            holders[name] = nil
            rooms.forgot(name, at: now)
        case .live(.unknown): rooms.forgot(name, at: now)
        case .pending: rank(name, node, entry.observation, at: now)
        case .silent: rooms.lost(name, at: now)
        }
    }

    private func standing(of entry: Entry, _ node: HouseNode, at now: Int64) -> Standing {
        guard node.isPresent(at: now), node.isScanning, now < entry.expiresAt else { return .silent }
        if entry.isCurrent {
            return entry.observation.incarnation == node.incarnation ? .live(entry.observation.state) : .silent
        }
        return switch entry.observation.state {
        case .inside: .pending
        case .unknown: .live(.unknown)
        case .outside: .silent
        }
    }

    private mutating func count(_ standing: Standing, _ step: Int) {
        switch standing {
        case .silent: break
        case .pending: pending += step
        case .live(.inside): inside += step
        case .live(.unknown): unknown += step
        case .live(.outside): outside += step
        }
    }

    private mutating func rank(_ name: String, _ node: HouseNode, _ observation: Observation, at now: Int64) {
        guard let room = node.room else { return }
        rooms.heard(
            by: name, in: room, signal: observation.signal, spread: observation.spread, age: observation.age, at: now)
    }

    /// Removes a node: nothing that it published counts.
    mutating func forget(_ name: String, at now: Int64) {
        if let entry = entries.removeValue(forKey: name) { count(entry.standing, -1) }
        rooms.forgot(name, at: now)
        if holders.removeValue(forKey: name) != nil, holders.isEmpty { isReleased = true }
    }

    /// Applies what changes with time alone.
    mutating func advance(to now: Int64, nodes: [String: HouseNode]) {
        rooms.advance(to: now)
        guard let due = reviewAt, due <= now else { return }
        reviewAt = nil
        for (name, entry) in entries where entry.standing != .silent {
            if entry.expiresAt <= now, let node = nodes[name] { weigh(name, node, at: now) }
            if entries[name]?.standing != .silent { review(at: entry.expiresAt) }
        }
        for (name, holder) in holders {
            if holder.until > now {
                review(at: holder.until)
            } else if entries[name]?.standing != .live(.inside) {
                holders[name] = nil
                isReleased = isReleased || holders.isEmpty && !holder.isAbsent
            }
        }
    }

    private mutating func review(at instant: Int64) { reviewAt = min(reviewAt ?? instant, instant) }

    /// The room of the beacon while the region is inside.
    ///
    /// - Parameter before: the room until now. It stays between the first observation, which has no signal, and the signals.
    func room(nodes: [String: HouseNode], before: String?) -> String? {
        if let room = rooms.room { return room }
        guard rooms.strongest == nil else { return before }
        let all = entries.lazy.filter { $0.value.standing == .live(.inside) }.compactMap { nodes[$0.key]?.room }
        let first = all.first { _ in true }
        return all.allSatisfy { $0 == first } ? first ?? before : before
    }

    /// Handles that the state was written: nothing is released any more, and outside the search for the room starts anew.
    mutating func written(isInside: Bool) {
        isReleased = false
        if !isInside { rooms = RoomEstimator() }
    }

    /// The next time at which the state may change by itself.
    var nextDeadline: Int64? {
        [reviewAt, inside > 0 ? rooms.nextDeadline : nil].compactMap { $0 }.min()
    }
}
