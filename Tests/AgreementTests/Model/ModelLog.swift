import Agreement
import RegionMonitoring

/// All observations, in the order of time: what the house may agree on follows from them, by rules that look at all of
/// it each time.
struct ModelLog {
    /// The longest time that a message is under way, and that an owner is missing: within it two orders of the same
    /// messages are both right.
    private static let slack = 6 * ModelHouse.second
    private static let handover = 40 * ModelHouse.second

    private struct Word {
        var node: String
        var observation: Observation
        var at: Int64
        /// Whether an owner heard it. The broker retains a node's last message only: an earlier one that no owner
        /// received is lost.
        var wasHeard = false

        var state: RegionState { observation.state }
    }

    private struct Darkness {
        var node: String
        var from: Int64
    }

    private var words: [Word] = []
    private var darknesses: [Darkness] = []
    private(set) var events: [(event: HouseEvent, at: Int64)] = []
    private(set) var complaints: [String] = []
    /// The number of messages when a node was forgotten: its earlier observations do not count any more.
    private var forgotten: [String: Int] = [:]
    /// The observations that each owner received since it wrote last.
    private var unwritten: [String: [Int]] = [:]
    /// The times at which a node's observations ended: dark, or alive and without knowledge.
    private var unsure: [String: [Int64]] = [:]
    private var lastInside: Int64?
    private var lastOutside: Int64?
    var wasWiped = false
    /// Whether the broker has lost the last messages, and whether no node has published them again.
    private var (lostSome, lacksSome) = (false, false)
    /// Whether an owner died after it had written a state and before it had sent its event.
    var wasKilledBetween = false
    /// Whether an owner without a connection kept an event that the next owner may have announced.
    var mayRepeat = false
    /// Whether another client published a state of the region.
    var wasForged = false

    mutating func said(_ observation: Observation, by node: String, at now: Int64) {
        words.append(Word(node: node, observation: observation, at: now))
        if observation.state == .unknown { unsure[node, default: []].append(now) }
    }

    /// An owner received an observation. No other node has it before the owner has written what follows.
    mutating func heard(_ observation: Observation, of node: String, by owner: String) {
        guard let index = words.lastIndex(where: { $0.node == node && $0.observation == observation }) else { return }
        unwritten[owner, default: []].append(index)
    }

    mutating func wrote(_ owner: String) {
        for index in unwritten.removeValue(forKey: owner) ?? [] { words[index].wasHeard = true }
    }

    /// The observations that a node received as an owner are lost with its connection, and when another node owns the region.
    mutating func stoodDown(_ node: String) { unwritten[node] = nil }

    mutating func isLive(_ node: String, at now: Int64) { darknesses.removeAll { $0.node == node } }

    mutating func wentDark(_ node: String, at now: Int64) {
        if !darknesses.contains(where: { $0.node == node }) { darknesses.append(Darkness(node: node, from: now)) }
        unsure[node, default: []].append(now)
    }

    mutating func forgot(_ node: String) {
        forgotten[node] = words.count
        unsure[node] = nil
    }

    /// - Parameter isRemembered: whether all that live know it still.
    mutating func lostSome(isRemembered: Bool) {
        (lostSome, lacksSome) = (true, true)
        if !isRemembered { wasWiped = true }
    }

    /// A node is lost, or is new: perhaps the only one that knew what the broker has lost, or one that does not and is to own it.
    mutating func cameOrWent() {
        if lacksSome { wasWiped = true }
    }

    mutating func agreed(_ state: HouseState, at now: Int64) {
        if state.state == .inside { lastInside = now }
        if state.state == .outside { lastOutside = now }
        lacksSome = false
    }

    /// Whether nothing took a state or an event from the nodes that live.
    var isUndisturbed: Bool { !wasWiped && !lostSome && !wasForged && forgotten.isEmpty }

    var lastEvent: HouseEvent.Kind? { events.last?.event.kind }

    /// The last word of each node.
    private func lastWill(_ node: String) -> Word? { words.last { $0.node == node } }

    /// Returns the nodes that are dark, were inside last, and are missed: no other node received the beacon since.
    ///
    /// - Parameters:
    ///   - isSure: whether even the slowest way leaves no other reading.
    ///   - now: The time of the judgement: later messages are still on their way.
    func missed(isSure: Bool, at now: Int64 = .max) -> [String] {
        darknesses.compactMap { dark -> String? in
            guard !wasWiped, !lostSome, let known = lastKnownWord(dark.node, at: now), known.state == .inside else {
                return nil
            }
            // A node that came back without knowledge and died again is missed since its last observation: receptions
            // of another one in between count. So do receptions from before an inside that no owner received.
            let unsure = unsure[dark.node]?.first { $0 >= known.at && $0 < now - Self.slack } ?? dark.from
            // An observation after that, replaced by unknown before an owner received it, is lost.
            let from = lastWill(dark.node)?.state == .unknown ? min(unsure, known.at) : unsure
            let since = isSure ? from - Self.slack : from + Self.handover
            let heard = words.contains { $0.node != dark.node && $0.state == .inside && $0.at > since }
            return heard ? nil : dark.node
        }
    }

    /// Returns the last observation of a node: unknown is no knowledge, and neither is one that was replaced before an
    /// owner received it.
    ///
    /// - Parameter isWritten: whether an outside that was replaced counts only if an owner wrote what followed, too.
    private func lastKnownWord(_ node: String, at now: Int64 = .max, isWritten: Bool = false) -> Word? {
        let said = words.dropFirst(forgotten[node] ?? 0).filter { word in
            word.node == node && (word.wasHeard || word.at < now - Self.slack)
        }
        guard let last = said.last, last.state == .unknown else { return said.last }
        return said.last { $0.state == .outside && !isWritten || $0.state != .unknown && $0.wasHeard }
    }

    /// An owner wrote a new event.
    mutating func wrote(_ kind: HouseEvent.Kind, at now: Int64) {
        guard !wasForged else { return }
        switch kind {
        case .enter:
            if !words.contains(where: { $0.state == .inside && $0.at > now - Self.handover }) {
                complaints.append("entered at \(now), and no node received the beacon")
            }
        case .exit:
            let inside = lastInside ?? 0
            // If a person deleted the node, the others decide.
            if forgotten.isEmpty, !words.contains(where: { $0.state == .outside && $0.at > inside - Self.handover }) {
                complaints.append("left at \(now), and no node reported outside")
            }
            let missed = missed(isSure: true, at: now).filter { name in
                // Its owner may have died before it published it, and the next one publishes it later.
                darknesses.contains { $0.node == name && $0.from < (lastOutside ?? now) - Self.slack }
            }
            if !missed.isEmpty { complaints.append("left at \(now), while \(missed) is dark and was inside") }
        }
    }

    mutating func happened(_ event: HouseEvent, by owner: String, at now: Int64) {
        guard !wasForged else { return }
        // A node that forgets may have missed an arrival; a node that dies before it has published has published
        // nothing. Within ten seconds the nodes take two owners' events for one.
        if let last = events.last, last.event.kind == event.kind, !wasWiped, forgotten.isEmpty,
            !wasKilledBetween && now - last.at >= 10 * ModelHouse.second
                || !mayRepeat && last.event.identifier == event.identifier
        {
            complaints.append("\(event.kind) at \(now) and before at \(last.at)")
        }
        events.append((event, now))
    }

    mutating func complain(_ complaint: String) { complaints.append(complaint) }

    /// Returns the states on which the house may agree in the end, by the live nodes and those that are missed.
    func permitted(live: [String]) -> Set<RegionState> {
        let states = live.compactMap { lastWill($0)?.state }
        if states.contains(.inside) { return [.inside] }
        if states.contains(.unknown) || states.isEmpty { return [.unknown] }
        if !missed(isSure: true).isEmpty, !wasForged { return [.unknown] }
        if wasForged { return [.outside, .unknown] }
        let isClear =
            !wasWiped && !lostSome
            && darknesses.allSatisfy { dark in
                // An outside that no owner received, and that its node replaced by unknown, is lost.
                [false, true].allSatisfy { lastKnownWord(dark.node, isWritten: $0)?.state != .inside }
            }
        return isClear ? [.outside] : [.outside, .unknown]
    }
}
