// What other owners write.
extension House {
    /// How many times longer an owner waits each time that another one contradicts it, as a power of two at most.
    private static let longestWait = 7

    /// A region's state, as its owner wrote it.
    package mutating func stateReceived(
        region: String, _ state: HouseState, wasRetained: Bool, at now: Moment
    ) -> [HouseAction] {
        guard isConnected, let index = positions[region] else { return [] }
        thaw(at: now.instant)
        if let stamp = state.stamp {
            // Our own words come back behind what we have written since, others' do not.
            let isEcho = stamp.writer == writer && !state.isRestored
            let isReplaced = !isEcho && regions[index].desk != nil && regions[index].hasReplaced(stamp)
            guard !isReplaced, !regions[index].isOutdated(stamp) else {
                // Of two owners that say the same it does not matter whose word the broker keeps.
                if state.agrees(with: regions[index].known) {
                    regions[index].written = regions[index].known
                    return []
                }
                restore(index, at: now.instant)
                regions[index].desk?.isOverwritten = true
                return regionJudged(index, at: now)
            }
            regions[index].latest = stamp
        }
        regions[index].restoresAt = nil
        let wasRestored = state.isRestored
        let isNews = !wasRetained && !wasRestored
        var state = state
        state.isRestored = false
        state.waiting = state.waiting.filter(Self.isName).prefix(Self.nodeLimit).sorted()
        state.room = state.room.flatMap { Self.isName($0) ? $0 : nil }
        let known = regions[index].lastKnown
        if regions[index].desk != nil {
            guard !state.agrees(with: regions[index].written), !isEcho(state, in: index, at: now.instant) else {
                return []
            }
            if state.state == .outside, regions[index].desk?.writtenAt == nil { regions[index].desk?.dropGuesses() }
            // Who only brings a word back is no owner: who was inside last counts, and is weighed against what is heard now.
            if wasRestored, regions[index].desk?.writtenAt != nil {
                if let lastKnown = state.lastKnown { regions[index].lastKnown = lastKnown }
                regions[index].desk?.isOverwritten = true
                return regionJudged(index, at: now)
            }
            contradicted(index, at: now.instant)
        }
        (regions[index].written, regions[index].isReleased) = (state, false)
        if let lastKnown = state.lastKnown { regions[index].lastKnown = lastKnown }
        var kind: HouseEvent.Kind?
        if isNews, known == .outside, state.state == .inside { kind = .enter }
        if isNews, known == .inside, state.state == .outside { kind = .exit }
        if let kind, regions[index].desk?.writtenAt == nil {
            let event = HouseEvent(kind, of: region, room: state.room, since: state.since)
            // Its owner may die before it has sent it. Where it was heard first, nothing is missing.
            if !isRepeated(event, in: index, at: now.instant) {
                regions[index].missing = (event, now.instant.later(by: Self.succession))
            }
        }
        return told(state, kind: kind, room: state.room, in: index, isOwner: false)
    }

    /// Somebody entered or left, by the word of a region's owner.
    package mutating func eventReceived(region: String, _ event: HouseEvent, at now: Moment) {
        guard isConnected, let index = positions[region] else { return }
        // Our own event comes back behind what we have sent since.
        guard regions[index].desk?.sent.contains(event.identifier) != true else { return }
        regions[index].lastEvent = (event, now.instant)
        if regions[index].missing?.event.kind == event.kind { regions[index].missing = nil }
    }

    /// Whether we wrote this ourselves a moment ago, and the broker sends it back after we went on.
    private func isEcho(_ state: HouseState, in index: Int, at now: Int64) -> Bool {
        regions[index].desk?.echoes.contains { $0.state == state && now.since($0.at) < Self.repetition } ?? false
    }

    /// Another node takes the region for its own and sees it otherwise. One of us will soon know better; till then neither
    /// contradicts the other at once.
    private mutating func contradicted(_ index: Int, at now: Int64) {
        let count = min(regions[index].desk?.contradictions ?? 0, Self.longestWait)
        regions[index].desk?.contradictions = count + 1
        let speaks = now.later(by: HouseRegion.Desk.listening << Int64(count))
        if regions[index].desk?.listensUntil != nil { regions[index].desk?.listensUntil = speaks }
        regions[index].desk?.speaksAt = speaks
        regions[index].desk?.writtenAt = nil
        regions[index].desk?.due = speaks
        schedule(speaks)
    }

    /// Whether the event was just sent, by whomever: nobody comes in twice without leaving.
    func isRepeated(_ event: HouseEvent, in index: Int, at now: Int64) -> Bool {
        guard let last = regions[index].lastEvent, now.since(last.at) < Self.repetition else { return false }
        return last.event.kind == event.kind
    }

    /// What is news for our own consumers.
    mutating func told(
        _ state: HouseState, kind: HouseEvent.Kind?, room: String?, in index: Int, isOwner: Bool
    ) -> [HouseAction] {
        let region = regions[index].identifier
        var news: [HouseHappening] = []
        switch kind {
        case .enter?: news.append(.didEnterRegion(room: room))
        case .exit?: news.append(.didExitRegion)
        case nil: break
        }
        let before = regions[index].told
        if before?.state != state.state { news.append(.didDetermineState(state.state)) }
        if before?.room != state.room { news.append(.didDetermineRoom(state.room)) }
        regions[index].told = (state.state, state.room)
        return news.map { .happened(region: region, $0, isOwner: isOwner) }
    }
}
