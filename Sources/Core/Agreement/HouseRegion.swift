import Plumbing
import RegionMonitoring

/// One region at this node: what is known of its message, and this node's part in writing it.
struct HouseRegion: Sendable {
    /// This node's part.
    ///
    ///     follower → listening   this node has the highest weight of the candidates
    ///     listening → owner      the retained observations have arrived, and two seconds are over; after ten seconds anyway
    ///     owner → listening      the process was suspended
    ///     listening, owner → follower   another node has a higher weight, or the connection is lost
    enum Role: Sendable {
        case follower
        case listening(OwnerState, Listening)
        case owner(OwnerState, Writing)
    }

    /// The wait for the observations of the others.
    struct Listening: Sendable {
        /// The end of the wait.
        var until: Int64
        /// Whether the observations that the broker retained have arrived.
        var isComplete: Bool
        /// The last message of another owner that is not later than the known one.
        var rival: HouseState?
    }

    /// The owner's duty to write.
    struct Writing: Sendable {
        /// The time of the last message; `nil` before the first.
        var writtenAt: Int64?
        /// The time at which the same state is written again; `nil` unless the broker holds another message.
        var rewriteAt: Int64?
        /// The message that replaced this node's, until it is written again.
        var rival: HouseState?
        /// The number of other owners' messages in a row.
        var contradictions = 0
        /// Until then the owner accepts what others remember: the broker may have lost its latest data.
        var learnsUntil: Int64
        /// Until then the owner accepts the messages of the owner before: it may not know this node yet.
        var followsUntil: Int64
    }

    /// The times of a new owner: it waits for its own observation to come back behind the retained ones of the others.
    private static let (listening, longestListening) = (2 * Nanoseconds.second, 10 * Nanoseconds.second)

    /// The time for which a new owner accepts the messages that other nodes bring back.
    private static let learning = 120 * Nanoseconds.second

    /// The time for which a new owner accepts the messages of the owner before, which may detect the change late.
    private static let handover = 6 * Nanoseconds.second

    /// The shortest time between two messages without a change, and how often it doubles while another node contradicts.
    private static let (pause, longestPause) = (Nanoseconds.second, 8)

    let key: RegionKey

    var owner: (name: String, weight: UInt64)?
    /// The node that announces the region to Home Assistant: the owner, unless it does not announce at all.
    var announcer: String?
    /// The owner before the connection was lost.
    var formerOwner: String?

    private(set) var role = Role.follower
    private(set) var message = RegionMessage()
    private(set) var consumers = Consumers()

    private var announcements = Announcements()
    /// The sequence number of this node's last message that the broker delivered.
    private var echoed: UInt64 = 0

    init(_ identifier: String) { key = RegionKey(identifier) }

    var identifier: String { key.identifier }

    var isFollower: Bool { if case .follower = role { true } else { false } }

    private var isOwner: Bool { if case .owner = role { true } else { false } }

    /// The time at which an event is announced, even without a connection.
    var announcesAt: Int64? { announcements.nextDeadline(isOwner: isOwner) }

    /// The state of the owner's observations; `nil` at a follower.
    var observed: OwnerState? {
        switch role {
        case .follower: nil
        case .listening(let state, _), .owner(let state, _): state
        }
    }

    /// Changes the owner's observations in place.
    private mutating func observe<Result>(_ change: (inout OwnerState) -> Result) -> Result? {
        // The role is empty meanwhile, so that the dictionaries are not copied.
        switch role {
        case .follower: return nil
        case .listening(var state, let listening):
            role = .follower
            defer { role = .listening(state, listening) }
            return change(&state)
        case .owner(var state, let writing):
            role = .follower
            defer { role = .owner(state, writing) }
            return change(&state)
        }
    }

    /// Changes the owner's duty to write.
    private mutating func write(_ change: (inout Writing) -> Void) {
        guard case .owner(let state, var writing) = role else { return }
        change(&writing)
        role = .owner(state, writing)
    }

    /// The next time at which something changes by itself.
    func nextDeadline(_ house: HouseView) -> Int64? {
        let own: [Int64?]
        switch role {
        case .follower: own = [message.restoresAt]
        case .listening(_, let listening): own = [house.isActive ? listening.until : nil]
        case .owner(let state, _) where state.state == nil: own = [state.nextDeadline]
        case .owner(let state, let writing):
            let refresh = writing.writtenAt?.addingClamped(Observation.interval)
            let absence = unobserved(state, house).isEmpty ? nil : house.absence.until
            own = [state.nextDeadline, writing.rewriteAt, refresh, absence]
        }
        return (own + [consumers.nextDeadline, announcesAt]).compactMap { $0 }.min()
    }
}

// MARK: Roles

extension HouseRegion {
    /// Handles that this node is the owner from now on. Nothing is written before the observations of the others have arrived.
    mutating func becameOwner(_ house: HouseView) -> [HouseAction] {
        guard isFollower else { return [] }
        var state = OwnerState()
        if let known = message.state { state.inherit(known, isOriginal: message.isOriginal, at: house.now.instant) }
        let until = house.now.instant.addingClamped(Self.longestListening)
        role = .listening(state, Listening(until: until, isComplete: false))
        message.restoresAt = nil
        return [.subscribe(region: identifier), .repeatObservation(region: identifier)]
    }

    /// Handles that another node is the owner from now on, or none. If the broker holds that node's message, it is the latest, or
    /// this node brings back a later one.
    mutating func lostOwnership(_ house: HouseView) -> [HouseAction] {
        let before = role
        let actions = stoodDown()
        switch before {
        case .owner(_, let writing):
            return actions + (writing.rival.map { followed($0, isRetained: true, house) } ?? [])
        case .listening(_, let listening):
            if let rival = listening.rival { return actions + compared(rival, isRetained: false, house) }
            nothingStored(house)
            return actions
        case .follower: return actions
        }
    }

    /// Ends this node's part in writing the region.
    mutating func stoodDown() -> [HouseAction] {
        guard !isFollower else { return [] }
        role = .follower
        return [.unsubscribe(region: identifier)]
    }

    /// Handles a new connection, or that it delivers.
    mutating func connected(_ link: Announcements.Link, at now: Int64) { announcements.connected(link, at: now) }

    /// Handles the loss of the connection.
    mutating func disconnected(isAlone: Bool, at now: Int64) -> [HouseAction] {
        let actions = stoodDown() + left(announcements.disconnected(isAlone: isAlone, at: now), at: now)
        (formerOwner, owner, announcer) = (owner?.name ?? formerOwner, nil, nil)
        message.disconnected()
        return actions
    }

    /// Handles that the process was suspended: other nodes may have written the region meanwhile.
    mutating func resumed(_ house: HouseView) -> [HouseAction] {
        if case .owner(let state, _) = role {
            let until = house.now.instant.addingClamped(Self.listening)
            role = .listening(state, Listening(until: until, isComplete: true))
        }
        return left(announcements.suspended(at: house.now.instant), at: house.now.instant)
    }

    /// Handles that this node was away for so long that it knows nothing better than the broker.
    mutating func outlived() { message.mayBeOutdated = true }

    /// Handles this node's own observation behind the retained ones.
    private mutating func listened(_ house: HouseView, since began: Int64) {
        guard case .listening(let state, var listening) = role, !listening.isComplete else { return }
        listening.until = max(house.now.instant, began.addingClamped(Self.listening))
        listening.isComplete = true
        role = .listening(state, listening)
    }
}

// MARK: Events

extension HouseRegion {
    mutating func observationReceived(
        _ observation: Observation, of name: String, _ node: HouseNode, isRetained: Bool, _ house: HouseView
    ) -> [HouseAction] {
        let own = observed?.entries[house.node]
        let isNewer = observe { state in
            state.received(observation.clamped, of: name, node, isRetained: isRetained, at: house.now.instant)
        }
        // Its own retained observation and the repeated one: a broker may send the two in either order.
        if name == house.node, own?.isCurrent == isRetained, case .listening(_, let listening) = role,
            !listening.isComplete
        {
            listened(house, since: listening.until.subtractingClamped(Self.longestListening))
            return advanced(house)
        }
        return isNewer == true ? judged(house) : []
    }

    /// Handles an emptied topic: the node does not watch the region any more, or its topics were deleted.
    mutating func observationRemoved(of name: String, _ house: HouseView) -> [HouseAction] {
        observe { $0.forget(name, at: house.now.instant) } == nil ? [] : judged(house)
    }

    /// Handles a change of a node's status or scanner.
    mutating func nodeChanged(_ name: String, _ node: HouseNode, _ house: HouseView) -> [HouseAction] {
        observe { $0.weigh(name, node, at: house.now.instant) } == nil ? [] : judged(house)
    }

    mutating func forgotten(_ name: String, _ house: HouseView) -> [HouseAction] {
        if observe({ $0.forget(name, at: house.now.instant) }) == nil { message.forget(name) }
        return judged(house)
    }

    /// Handles a message of an owner; `nil` for a payload that is none.
    mutating func stateReceived(_ received: HouseState?, isRetained: Bool, _ house: HouseView) -> [HouseAction] {
        guard let received else { return overwritten(house, isAgain: false) }
        let (now, event) = (house.now.instant, received.event(of: key.hash))
        let isOwn = received.stamp.writer == house.writer
        let news = isOwn ? [] : announcements.yielded(to: received, event, isRetained: isRetained, at: now)
        var actions = left(news, at: now)
        if isOwn || isRetained {
            actions += announced(announcements.delivered(received, event, isRetained: isRetained), at: now)
        }
        return actions + compared(received, isRetained: isRetained, house)
    }

    /// Handles the place of a message beside the known one.
    private mutating func compared(_ received: HouseState, isRetained: Bool, _ house: HouseView) -> [HouseAction] {
        let isOwn = received.stamp.writer == house.writer && !isRetained && !received.isRestored
        let order = message.order(of: received)
        let isEcho = isOwn && order.isKnown && received.stamp.sequence >= echoed
        if isEcho { echoed = received.stamp.sequence }
        if case .listening(let state, var listening) = role, !isEcho, !received.isRestored {
            // A message of the same writer was delivered twice.
            let isRival = order.keepsKnown && received.stamp.writer != message.state?.stamp.writer
            listening.rival = isRival ? received : nil
            role = .listening(state, listening)
        }
        switch order {
        case .same:
            guard let known = message.state, !received.agrees(with: known) else {
                message.stored(received)
                return []
            }
            // The version was copied.
            return isFollower
                ? followed(received, isRetained: isRetained, house) : overwritten(house, isAgain: true)
        case .earlier:
            // The broker delivers this node's messages in order, behind what was written since.
            guard !isEcho, let known = message.state else { return [] }
            if received.agrees(with: known) {
                message.stored()
                return []
            }
            // An owner that did not receive the latest message knows the same changes, or that message knows none. The owner has
            // newer observations.
            let isEquivalent =
                received.change == known.change && (known.lastKnown == nil || received.lastKnown == known.lastKnown)
            guard isFollower, !isRetained, !received.isRestored, isEquivalent else {
                return overwritten(house, isAgain: false)
            }
            return followed(received, isRetained: false, house)
        case .implausible where !isFollower || isRetained: return overwritten(house, isAgain: true)
        case .later, .implausible: return laterReceived(received, isRetained: isRetained, house)
        }
    }

    private mutating func laterReceived(
        _ received: HouseState, isRetained: Bool, _ house: HouseView
    ) -> [HouseAction] {
        switch role {
        case .follower: return followed(received, isRetained: isRetained, house)
        case .listening:
            let actions = followed(received, isRetained: isRetained, house)
            inherit(received, house)
            return actions
        case .owner(let state, let writing):
            guard let known = message.state else {
                message.replace(by: received)
                inherit(received, house)
                return judged(house)
            }
            if received.agrees(with: known) {
                message.raise(to: received.stamp)
                message.stored()
                return []
            }
            let until = received.isRestored ? writing.learnsUntil : writing.followsUntil
            guard house.now.instant < until, !state.isInside else {
                message.raise(to: received.stamp)
                write { $0.rival = received }
                return overwritten(house, isAgain: !received.isRestored)
            }
            // The broker had lost messages that were newer than those this node knew.
            message.replace(by: received)
            write { $0.rewriteAt = house.now.instant }
            inherit(received, house)
            return judged(house)
        }
    }

    private mutating func inherit(_ received: HouseState, _ house: HouseView) {
        _ = observe { $0.inherit(received, isOriginal: !received.isRestored, at: house.now.instant) }
    }

    private mutating func followed(
        _ received: HouseState, isRetained: Bool, _ house: HouseView
    ) -> [HouseAction] {
        let (known, now) = (message.state, house.now.instant)
        message.replace(by: received)
        var kind: HouseEvent.Kind?
        if !isRetained, !received.isRestored, let known, received.change > known.change,
            let event = received.event(of: key.hash)
        {
            kind = known.lastKnown == received.lastKnown ? nil : event.kind
            if received.isNews { announcements.received(received, event, at: now) }
        }
        let isListed = received.hearing.contains { $0.node == house.node }
        return (isListed && isFollower ? [.confirmObservation(region: identifier)] : [])
            + consumers.notify(received, kind, isOwner: false, of: identifier, at: now)
    }

    /// Handles that the broker holds another message than the latest.
    ///
    /// - Parameter isAgain: whether another node insists on it. Two owners answer each other less and less often.
    private mutating func overwritten(_ house: HouseView, isAgain: Bool) -> [HouseAction] {
        switch role {
        case .follower:
            message.restore(house, isNext: house.isWitness(of: self))
            return []
        case .listening: return []
        case .owner:
            write { writing in
                let count = min(writing.contradictions, Self.longestPause)
                if isAgain { writing.contradictions = count + 1 }
                let earliest = (writing.writtenAt ?? .min).addingClamped(Self.pause << Int64(isAgain ? count : 0))
                let due = max(house.now.instant, earliest)
                writing.rewriteAt = min(writing.rewriteAt ?? due, due)
            }
            return judged(house)
        }
    }

    mutating func eventReceived(_ event: HouseEvent, _ house: HouseView) -> [HouseAction] {
        let isCurrent = event.identifier == message.state?.event(of: key.hash)?.identifier
        let isAnnouncer = announcements.eventReceived(event, isCurrent: isCurrent)
        guard isCurrent, message.announced() else { return [] }
        write { $0.rewriteAt = house.now.instant }
        let actions = judged(house)
        // An owner that knows no state yet, a writer that does not own the region again yet, and a follower that announced the event.
        let isWriter = message.state?.stamp.writer == house.writer
        guard actions.isEmpty, isOwner || isWriter || isAnnouncer else { return actions }
        return message.copy.map { [.publishState(region: identifier, $0)] } ?? []
    }

    /// Brings the message back if the broker has delivered its messages, and none of them was the region's.
    mutating func nothingStored(_ house: HouseView) {
        guard message.state != nil, !message.isStored, isFollower, owner?.name != formerOwner else { return }
        message.restore(house, isNext: house.isWitness(of: self))
    }

    mutating func advanced(_ house: HouseView) -> [HouseAction] {
        let now = house.now.instant
        var actions = announced(house) + consumers.advanced(of: identifier, at: now)
        switch role {
        case .follower:
            if let restored = message.restored(at: now) {
                actions.append(.publishState(region: identifier, restored))
            }
            return actions
        case .listening(_, let listening):
            let state = observe { state in
                state.advance(to: now, nodes: house.nodes)
                return state
            }
            guard let state, listening.until <= now, house.isActive else { return actions }
            let (learns, follows) = (now.addingClamped(Self.learning), now.addingClamped(Self.handover))
            role = .owner(state, Writing(learnsUntil: learns, followsUntil: follows))
            return actions + judged(house)
        case .owner:
            _ = observe { $0.advance(to: now, nodes: house.nodes) }
            return actions + judged(house)
        }
    }
}

// MARK: Writing

extension HouseRegion {
    /// The nodes that are not back yet, may hear the beacon, and have no observation at the broker.
    private func unobserved(_ state: OwnerState, _ house: HouseView) -> [HouseState.Hearing] {
        guard state.state == .outside, message.state?.lastKnown == .inside else { return [] }
        return house.absence.nodes.values
            .filter { state.entries[$0.name] == nil && $0.weight(for: key) != nil }
            .map { .init(node: $0.name, isAbsent: true) }.sorted { $0.node < $1.node }
    }

    /// Writes the state if it changed, or if it is time to write it again.
    private mutating func judged(_ house: HouseView) -> [HouseAction] {
        let now = house.now.instant
        guard case .owner(var state, var writing) = role, var determined = state.state else { return [] }
        let unobserved = unobserved(state, house)
        if !unobserved.isEmpty { determined = .unknown }
        let known = message.state
        var lastKnown = state.isReleased ? nil : known?.lastKnown
        if determined == .inside, announcements.revokeExit(except: house.writer) { lastKnown = .inside }
        let kind: HouseEvent.Kind? =
            switch (lastKnown, determined) {
            case (.outside, .inside): .enter
            case (.inside, .outside): .exit
            default: nil
            }
        let room = determined == .inside ? state.room(nodes: house.nodes, before: known?.room) : nil
        var agreed = HouseState(
            state: determined, lastKnown: lastKnown, room: room,
            since: known?.state == determined ? known?.since : house.now.date,
            hearing: Array((state.hearing + unobserved).prefix(HouseReplica.nodeLimit)),
            change: ((known?.change ?? 0) + (kind == nil ? 0 : 1)) % HouseState.Stamp.limit,
            stamp: message.next(by: house.writer))
        let isFirst = writing.writtenAt == nil
        let isDue = writing.rewriteAt.map { $0 <= now } ?? false
        let isRefresh = writing.writtenAt.map { $0.addingClamped(Observation.interval) <= now } ?? false
        let isChanged = known.map { !agreed.agrees(with: $0) } ?? true
        guard isFirst || isDue || isRefresh || isChanged else { return [] }
        if isRefresh { writing.contradictions = 0 }
        (writing.writtenAt, writing.rewriteAt, writing.rival) = (now, nil, nil)
        let last = agreed.event(of: key.hash)
        let event = kind.flatMap { _ in last }.flatMap { announcements.contains($0) ? nil : $0 }
        let isUnannounced = last.map { !announcements.wasAnnounced($0) } ?? false
        let isNamed = known?.isNews == true && known?.event(of: key.hash)?.identifier == last?.identifier
        agreed.isNews = kind != nil && isUnannounced || isNamed && (isUnannounced || !isFirst)
        message.replace(by: agreed)
        let strongest = state.rooms.strongest
        state.written(isInside: determined == .inside)
        role = .owner(state, writing)
        let actions: [HouseAction] = [.publishState(region: identifier, agreed)]
        guard var event else {
            return actions + (announcements.isHolding ? [] : notified(agreed, at: now))
        }
        // The room of an arrival is not determined yet: the strongest receiver is the best guess.
        if kind == .enter { event.room = agreed.room ?? strongest }
        if let known, known.isNews, let found = known.event(of: key.hash) { announcements.found(known, found, at: now) }
        return actions + announced(announcements.wrote(agreed, event, at: now), at: now)
    }

    private mutating func notified(
        _ state: HouseState, _ event: HouseEvent? = nil, isOwner: Bool = true, at now: Int64
    ) -> [HouseAction] {
        consumers.notify(state, event?.kind, room: event?.room, isOwner: isOwner, of: identifier, at: now)
    }

    /// Notifies the consumers of events that another owner announces.
    private mutating func left(_ news: [Announcements.News], at now: Int64) -> [HouseAction] {
        news.flatMap { notified($0.state, $0.event, isOwner: false, at: now) }
    }

    /// Announces the events for which no answer came in time.
    mutating func announced(_ house: HouseView) -> [HouseAction] {
        let now = house.now.instant
        guard announcesAt.map({ $0 <= now }) ?? false else { return [] }
        return announced(
            announcements.advanced(to: now, isOwner: isOwner, rank: house.rank(of: self), message.state), at: now)
    }

    private mutating func announced(_ due: [Announcements.News], at now: Int64) -> [HouseAction] {
        guard !due.isEmpty else { return [] }
        let actions = due.flatMap { news in
            let event = news.event
            // The consumers have received an event that was left, but no hook of the house has run.
            let again = HouseNews(event.kind, room: event.room, isOwner: true)
            return [.publishEvent(region: identifier, event)]
                + (news.part == .written
                    ? notified(news.state, event, at: now) : [.happened(region: identifier, again)])
        }
        guard !announcements.isHolding, let latest = message.state else { return actions }
        return actions + notified(latest, at: now)
    }
}
