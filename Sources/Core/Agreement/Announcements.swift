import Plumbing

/// The events of a region that a message names as news and that no node has announced yet, in order.
///
/// Two nodes may own a region for a moment, and both may write the same event. The order in which the broker delivers their
/// messages is the same everywhere: the node whose message comes first announces the event.
struct Announcements: Sendable {
    /// The part of this node in an event.
    ///
    ///     none → written, left  this node wrote the event; this node received another owner's message with the event
    ///     none → kept           this node writes the next event, and had only found this one in the message
    ///     written → announced   the broker delivered the message, or delivered nothing in time
    ///     written → left        another owner's message of the same event came first
    ///     written → removed     while this node was away, another owner announced the event or wrote a later one
    ///     written → doubtful    the process was suspended or lost its connection: the next owner may have announced the event
    ///     doubtful → announced  no node announced it in time
    ///     doubtful → kept       the next owner names it, and may only have found it
    ///     left → announced      this node owns the region, and no node announced it in time; or the message names it for longer
    ///     left → kept           the connection was lost: the other owner may have announced the event
    ///     kept → announced      this node owns the region, or the message names it, for a minute after the next connection; or the
    ///                           next event is announced
    ///     left, doubtful, kept → removed   another node announced it, or wrote another event; for left and kept, also after a minute
    ///     kept → removed        the broker's message does not name it as news
    enum Part: Sendable {
        case written, doubtful, left, kept
    }

    /// The connection to the broker.
    ///
    ///     none, delivering → silent   connected, or the broker delivers nothing any more
    ///     silent → delivering         the broker has delivered what it retains
    ///     silent, delivering → none   disconnected
    enum Link: Sendable {
        case none, silent, delivering
    }

    struct News: Sendable {
        var state: HouseState
        var event: HouseEvent
        var part: Part
        /// The time for which this node waits as a follower after the time-out: others can announce the event before. `nil` until
        /// then, because the nodes that are there may change.
        fileprivate var turn: Int64?
        fileprivate var since: Int64

        /// Whether the region's message names the event as news: its writer hangs, or the next owner only found it in the message.
        fileprivate func isNamed(by message: HouseState?) -> Bool {
            guard let message, message.isNews else { return false }
            return (message.change, message.lastKnown) == (state.change, state.lastKnown)
        }
    }

    /// The time in which the broker delivers a message; in which it delivers what waited for a suspended process; and in which
    /// another owner announces an event, even if its process was suspended for a moment.
    private static let (delivery, backlog, announcement) = (
        10 * Nanoseconds.second, 3 * Nanoseconds.second, 6 * Nanoseconds.second
    )

    /// The time for which an event is kept without a connection, and for which a follower may become the next owner. The broker
    /// reports the death of a node after ten seconds, and its silence after half a minute.
    private static let longest = 60 * Nanoseconds.second

    private static let limit = 8

    private var waiting: [News] = []
    /// The identifiers of the last announced events.
    private var announced: [UInt64] = []
    /// The event that this node announced without owning the region, until the event is sent.
    private var sending: UInt64?
    private var link = Link.delivering

    /// Whether the consumers receive nothing until the broker delivers a message.
    var isHolding: Bool { waiting.contains { $0.part == .written } }

    /// Whether the event was announced or will be.
    func contains(_ event: HouseEvent) -> Bool {
        wasAnnounced(event) || waiting.contains { $0.event.identifier == event.identifier }
    }

    /// Whether this node has announced the event, or received it.
    func wasAnnounced(_ event: HouseEvent) -> Bool { announced.contains(event.identifier) }

    /// The time at which an event is due without an answer.
    func nextDeadline(isOwner: Bool) -> Int64? { waiting.compactMap { due($0, isOwner) }.min() }

    private func due(_ news: News, _ isOwner: Bool) -> Int64? {
        let span: Int64? =
            switch (news.part, link) {
            case (.left, _): isOwner ? Self.announcement : Self.longest + (news.turn ?? 0)
            // The other owner's client keeps its event for a minute.
            case (.kept, _): Self.longest + Self.delivery + (isOwner ? 0 : news.turn ?? 0)
            case (_, .none): Self.longest
            case (.written, _): Self.delivery
            case (.doubtful, .delivering): Self.backlog
            // The messages of other owners are missing.
            case (.doubtful, .silent): nil
            }
        return span.map { news.since.addingClamped($0) }
    }

    private func isDue(_ news: News, _ isOwner: Bool, at now: Int64) -> Bool {
        due(news, isOwner).map { $0 <= now } ?? false
    }

    /// Handles that a new event follows one that was only found in the message, and not announced.
    mutating func found(_ state: HouseState, _ event: HouseEvent, at now: Int64) {
        guard !contains(event), waiting.count < Self.limit else { return }
        waiting.append(News(state: state, event: event, part: .kept, since: now))
    }

    /// Handles that a new event was written.
    ///
    /// - Returns: the events to announce, because there is no room for more.
    mutating func wrote(_ state: HouseState, _ event: HouseEvent, at now: Int64) -> [News] {
        waiting.append(News(state: state, event: event, part: .written, since: now))
        return waiting.count > Self.limit ? announce([waiting.removeFirst()]) : []
    }

    /// Handles the next connection, or that it delivers.
    mutating func connected(_ link: Link, at now: Int64) {
        self.link = link
        for index in waiting.indices { (waiting[index].since, waiting[index].turn) = (now, nil) }
    }

    /// Handles the loss of the connection.
    ///
    /// - Parameter isAlone: whether there is no other node that could announce an event.
    /// - Returns: the events that became doubtful.
    mutating func disconnected(isAlone: Bool, at now: Int64) -> [News] {
        link = .none
        for index in waiting.indices where waiting[index].part == .left {
            (waiting[index].part, waiting[index].since) = (.kept, now)
        }
        return isAlone ? [] : suspended(at: now)
    }

    /// Handles that the process was suspended.
    ///
    /// - Returns: the events that became doubtful.
    mutating func suspended(at now: Int64) -> [News] {
        let written = waiting.indices.filter { waiting[$0].part == .written }
        for index in written { (waiting[index].part, waiting[index].since) = (.doubtful, now) }
        return written.map { waiting[$0] }
    }

    /// Handles an own message that the broker delivered, whichever node published it again, or a retained one.
    ///
    /// - Parameter isRetained: whether it was written while this node was away, perhaps by another process. Then its event was
    ///   announced if it is not news.
    /// - Returns: the events to announce.
    mutating func delivered(_ message: HouseState, _ event: HouseEvent?, isRetained: Bool) -> [News] {
        if isRetained, !message.isNews { waiting.removeAll { $0.event.identifier == event?.identifier } }
        let news = announce(
            remove { $0.state.change < message.change || $0.state.change == message.change && $0.part == .written })
        if isRetained { sending = news.last?.event.identifier ?? sending }
        return news
    }

    /// Handles a message of another owner, with its event.
    ///
    /// - Parameter isRetained: whether that owner wrote it while this node was away.
    /// - Returns: the events that are left to that owner from now on.
    mutating func yielded(to message: HouseState, _ event: HouseEvent?, isRetained: Bool, at now: Int64) -> [News] {
        let news = message.isNews ? event?.identifier : nil
        waiting.removeAll { $0.part == .kept && $0.event.identifier != news }
        guard !message.isRestored else { return [] }
        waiting.removeAll { $0.part == .left && $0.event.identifier != event?.identifier }
        for index in waiting.indices where waiting[index].part == .doubtful && waiting[index].event.identifier == news {
            (waiting[index].part, waiting[index].since) = (.kept, now)
        }
        waiting.removeAll { $0.part == .doubtful && $0.state.change <= message.change }
        // While this node was away, the other owner announced later events: an earlier one behind them would mislead.
        waiting.removeAll { $0.part == .written && isRetained && $0.state.change < message.change }
        guard !isRetained,
            let index = waiting.firstIndex(where: { $0.event.identifier == event?.identifier }),
            waiting[index].part == .written
        else { return [] }
        (waiting[index].part, waiting[index].since) = (.left, now)
        return [waiting[index]]
    }

    /// Handles the news of another owner.
    mutating func received(_ state: HouseState, _ event: HouseEvent, at now: Int64) {
        guard !wasAnnounced(event) else { return }
        waiting =
            waiting.filter { $0.part != .left && $0.part != .kept } + [
                News(state: state, event: event, part: .left, since: now)
            ]
    }

    /// Handles that an event was announced.
    ///
    /// - Parameter isCurrent: whether the known message names it. Any client can publish the identifiers of events to come.
    /// - Returns: whether this node announced it without owning the region: true once, so that no other client makes all nodes publish.
    mutating func eventReceived(_ event: HouseEvent, isCurrent: Bool) -> Bool {
        waiting.removeAll { $0.part != .written && $0.event.identifier == event.identifier }
        if isCurrent { insert(event) }
        guard sending == event.identifier else { return false }
        sending = nil
        return true
    }

    /// Removes an exit that another owner wrote and did not announce: the beacon is here.
    ///
    /// - Returns: whether there was one.
    mutating func revokeExit(except writer: UInt64) -> Bool {
        !remove { $0.part == .left && $0.event.kind == .exit && $0.state.stamp.writer != writer }.isEmpty
    }

    /// Returns the events to announce without an answer.
    ///
    /// - Parameters:
    ///   - rank: the number of nodes that own the region before this one.
    ///   - message: the region's message.
    mutating func advanced(to now: Int64, isOwner: Bool, rank: Int, _ message: HouseState?) -> [News] {
        for index in waiting.indices where waiting[index].turn == nil && isDue(waiting[index], isOwner, at: now) {
            waiting[index].turn = Int64(min(rank, Self.limit)) * Self.announcement
        }
        let due = waiting.filter { isDue($0, isOwner, at: now) }
        waiting.removeAll { news in due.contains { $0.event.identifier == news.event.identifier } }
        let news = announce(
            due.filter { news in
                switch news.part {
                case .written, .doubtful: true
                case .left, .kept: isOwner || link == .delivering && news.isNamed(by: message)
                }
            })
        if !isOwner { sending = news.last { $0.part == .left || $0.part == .kept }?.event.identifier ?? sending }
        return news
    }

    private mutating func announce(_ news: [News]) -> [News] { news.filter { insert($0.event) } }

    /// - Returns: whether the event was not announced before.
    @discardableResult
    private mutating func insert(_ event: HouseEvent) -> Bool {
        guard !announced.contains(event.identifier) else { return false }
        announced = announced.suffix(Self.limit - 1) + [event.identifier]
        return true
    }

    private mutating func remove(where isMeant: (News) -> Bool) -> [News] {
        let removed = waiting.filter(isMeant)
        if !removed.isEmpty { waiting = waiting.filter { !isMeant($0) } }
        return removed
    }
}
