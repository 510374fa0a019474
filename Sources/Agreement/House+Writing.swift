// What the owner of a region makes of its sights.
extension House {
    /// How long ago a node heard the beacon at most, in seconds, that says it has left, where nobody was there to see it say so.
    private static let recently = 3600.0

    /// Writes what differs, if it is time.
    mutating func regionJudged(_ index: Int, at now: Moment) -> [HouseAction] {
        guard regions[index].desk != nil else { return [] }
        if regions[index].desk?.weighAt.map({ $0 <= now.instant }) ?? false { weighAll(index, at: now.instant) }
        guard var desk = regions[index].desk else { return [] }
        desk.rooms.advanced(to: now.instant)
        defer { plan(index, after: now.instant) }
        regions[index].desk = desk
        guard now.instant >= max(desk.speaksAt, speaksAt), let state = state(of: desk, in: index) else { return [] }
        if state != desk.state { keep(index, at: now.instant) }
        var actions: [HouseAction] = []
        if state != .inside { regions[index].desk?.rooms = RoomEstimator() }
        // Between the first word, which has no signal, and the room that signals tell, it stays what it was.
        let held = regions[index].written.flatMap { $0.state == .inside ? $0.room : nil }
        let room = state == .inside ? desk.rooms.room ?? soleRoom(desk) ?? held : nil
        var agreed = HouseState(
            state: state, lastKnown: regions[index].lastKnown, room: room, since: now.wall,
            waiting: state == .unknown ? desk.waiting.keys.sorted() : [])
        let before = regions[index].known
        if let before, before.state == state { agreed.since = before.since }
        if let missing = regions[index].missing, missing.until > now.instant, desk.writtenAt == nil {
            let region = regions[index].identifier
            actions.append(.publishEvent(region: region, missing.event))
            // Who did not come to send it did not come to act on it: here it is told again, for the hooks of the house.
            let news: HouseHappening =
                missing.event.kind == .enter ? .didEnterRegion(room: missing.event.room) : .didExitRegion
            actions.append(.happened(region: region, news, isOwner: true))
            regions[index].lastEvent = (missing.event, now.instant)
            regions[index].desk?.sent(missing.event)
        }
        regions[index].missing = nil
        let isDue = desk.isOverwritten || desk.writtenAt.map { now.instant >= $0.later(by: Sight.interval) } ?? false
        // A new owner writes even what is written: who has heard a later word takes that for outdated.
        guard !agreed.agrees(with: regions[index].written) || isDue || desk.echoes.isEmpty else {
            if desk.writtenAt == nil { regions[index].desk?.writtenAt = now.instant }
            return actions
        }
        agreed.stamp = regions[index].next(by: writer)
        regions[index].desk?.wrote(agreed, at: now.instant)
        return actions + write(agreed, guess: desk.rooms.strongest, to: index, at: now)
    }

    /// The state by the sights; nil while it hangs on a node that may be alive. Who was inside is not sent away before a node has
    /// said that it left: sights are lost, too, with a broker and a node at once.
    private func state(of desk: HouseRegion.Desk, in index: Int) -> SightState? {
        guard desk.state == .outside, regions[index].lastKnown == .inside, !desk.isReleased else { return desk.state }
        if lacksSights(index) { return .unknown }
        if desk.sawLeaving { return .outside }
        let isSaid = desk.entries.values.contains { entry in
            guard case .said(.outside) = entry.weight, let age = entry.sight.age else { return false }
            return age < Self.recently
        }
        return isSaid ? .outside : .unknown
    }

    /// Nobody saw who was inside leave: a day long that is unknown.
    private mutating func keep(_ index: Int, at now: Int64) {
        guard regions[index].desk?.keptSince == nil else { return }
        regions[index].desk?.keptSince = now
        weighAgain(index, at: now.later(by: HouseRegion.Desk.waitingFor))
    }

    /// The one room in which nodes are inside that know no signal.
    private func soleRoom(_ desk: HouseRegion.Desk) -> String? {
        guard desk.rooms.strongest == nil, desk.inside > 0 else { return nil }
        let rooms = desk.entries.compactMap { name, entry -> String? in
            guard case .said(.inside) = entry.weight else { return nil }
            return nodes[name]?.room
        }
        return Set(rooms).count == 1 ? rooms.first : nil
    }

    private mutating func write(
        _ agreed: HouseState, guess: String?, to index: Int, at now: Moment
    ) -> [HouseAction] {
        let region = regions[index].identifier
        var actions: [HouseAction] = [.publishState(region: region, agreed)]
        let known = regions[index].lastKnown
        var kind: HouseEvent.Kind?
        if known == .outside, agreed.state == .inside { kind = .enter }
        if known == .inside, agreed.state == .outside, !(regions[index].desk?.isReleased ?? false) { kind = .exit }
        if let kind {
            let room = kind == .enter ? agreed.room ?? guess : nil
            let event = HouseEvent(kind, of: region, room: room, since: agreed.since)
            if !isRepeated(event, in: index, at: now.instant) {
                actions.append(.publishEvent(region: region, event))
                regions[index].desk?.sent(event)
            }
            regions[index].lastEvent = (event, now.instant)
        }
        actions += told(agreed, kind: kind, room: agreed.room ?? guess, in: index, isOwner: true)
        regions[index].written = agreed
        regions[index].lastKnown = agreed.lastKnown
        if agreed.state == .outside {
            regions[index].desk?.isReleased = false
            regions[index].desk?.keptSince = nil
        }
        return actions
    }

    /// Sights whose weight changes with time alone.
    private mutating func weighAll(_ index: Int, at now: Int64) {
        regions[index].desk?.weighAt = nil
        regions[index].desk?.expire(at: now)
        if let next = regions[index].desk?.expires, next > now { weighAgain(index, at: next) }
        for name in (regions[index].desk?.entries ?? [:]).keys.sorted() {
            if !(nodes[name]?.isLive(at: now) ?? false) { weigh(name, in: index, at: now) }
        }
    }

    /// When the region is to be looked at next.
    private mutating func plan(_ index: Int, after now: Int64) {
        guard let desk = regions[index].desk else { return }
        let refresh = desk.writtenAt?.later(by: Sight.interval)
        let room = desk.inside > 0 ? desk.rooms.nextDeadline : nil
        // What is overdue waits for one of the others: nothing may be written yet.
        let back = desk.state == .outside && lacksSights(index) ? silence.absentUntil : nil
        let ahead = [refresh, desk.speaksAt, speaksAt, room, desk.weighAt, back].compactMap { $0 }.filter { $0 > now }
        let due = ahead.min()
        regions[index].desk?.due = due
        if let due { schedule(due) }
    }
}
