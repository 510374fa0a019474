// What the owner of a region goes by.
extension HouseRegion {
    /// The sights of a region at its owner.
    struct Desk: Sendable {
        /// What a sight says for the house.
        enum Weight: Sendable {
            /// Nothing: its node is dark, and it was not inside, or waits among ``Desk/waiting``.
            case nothing
            /// It was found inside, and its node may still be alive: nothing is decided against it.
            case pending
            case said(SightState)
        }

        struct Entry: Sendable {
            var sight: Sight
            var cameAt: Int64
            /// Whether it was said to us, not found.
            var wasSaid: Bool
            /// Whether it was inside before it did not know.
            var wasInside = false
            /// Whether another node heard the beacon since this one is dark: nobody waits for it.
            var isOverruled = false
            var weight = Weight.nothing

            /// Whether it was inside when it last knew.
            var isInsideLast: Bool { sight.state == .inside || sight.state == .unknown && wasInside }
        }

        /// How long a sight that was found inside is waited for: its node says it again every five seconds.
        static let pendingFor = Sight.missed * Sight.insideInterval

        /// How long somebody is waited for whose node is dark.
        static let waitingFor = 86_400 * Nanoseconds.second

        /// How long a new owner listens, and one that another contradicts.
        static let listening = 2 * Nanoseconds.second

        /// How long a new owner waits at most for its own sight to come back, behind those that the broker keeps of the others:
        /// who knows only some of them would send somebody away.
        static let longestListening = 10 * Nanoseconds.second

        /// Before this nothing is written.
        var speaksAt: Int64

        /// Nothing is written before this even if all is heard; nil: all is.
        var listensUntil: Int64?

        /// By node.
        var entries: [String: Entry] = [:]
        var inside = 0
        var unknown = 0
        var outside = 0
        var pending = 0

        /// The nodes that were inside when they last knew, and do not now: dark, or live and unknown. And since when.
        var waiting: [String: Int64] = [:]

        /// Whether a node said that the beacon left, since somebody was inside: else nobody is sent away.
        var sawLeaving = false

        /// Whether somebody decided that nobody is waited for: a node was forgotten, or a day is over.
        var isReleased = false

        /// Since when nobody has seen who was inside leave, and it is not known whom to wait for.
        var keptSince: Int64?

        var rooms = RoomEstimator()

        /// When the state was last written; nil: not by us.
        var writtenAt: Int64?

        /// What was written last, and when: the broker sends it back.
        private(set) var echoes: [(state: HouseState, at: Int64)] = []
        private static let echoLimit = 16

        mutating func wrote(_ state: HouseState, at now: Int64) {
            if echoes.count == Self.echoLimit { echoes.removeFirst() }
            echoes.append((state, now))
            writtenAt = now
            isOverwritten = false
        }

        /// The events that were sent last.
        private(set) var sent: [UInt64] = []

        mutating func sent(_ event: HouseEvent) {
            if sent.count == Self.echoLimit { sent.removeFirst() }
            sent.append(event.identifier)
        }

        /// Whether the broker holds an outdated word in place of ours.
        var isOverwritten = false

        /// When a sight's weight changes by itself.
        var weighAt: Int64?

        /// How often another owner contradicted us.
        var contradictions = 0

        /// When something changes by itself. May be early, is never late.
        var due: Int64?

        /// A live node hears the beacon: whoever is dark does not know better.
        mutating func overrule(by node: String) {
            for name in waiting.keys where name != node { entries[name]?.isOverruled = true }
            (waiting, sawLeaving, isReleased, keptSince) = ([:], false, false, nil)
        }

        /// Another owner knows that nobody is inside: nobody is waited for but who says, or was heard to say, that it was.
        mutating func dropGuesses() {
            for (name, entry) in entries where !entry.wasSaid { entries[name]?.wasInside = false }
            waiting = waiting.filter { entries[$0.key]?.isInsideLast ?? false }
        }

        /// The node is no more: nothing that it said counts.
        mutating func forget(_ node: String, at now: Int64) {
            isReleased = isReleased || waiting[node] != nil || entries[node]?.sight.state == .inside
            weigh(node, as: .nothing)
            entries[node] = nil
            waiting[node] = nil
            rooms.forgot(node, at: now)
        }

        /// Whoever was waited for a whole day is not waited for any more.
        mutating func expire(at now: Int64) {
            for (name, since) in waiting where now >= since.later(by: Self.waitingFor) {
                waiting[name] = nil
                entries[name]?.isOverruled = true
                isReleased = true
            }
            if let since = keptSince, now >= since.later(by: Self.waitingFor) { (isReleased, keptSince) = (true, nil) }
        }

        /// When the next one is waited for no more.
        var expires: Int64? {
            (Array(waiting.values) + [keptSince].compactMap { $0 }).min()?.later(by: Self.waitingFor)
        }

        mutating func weigh(_ node: String, as weight: Weight) {
            guard let old = entries[node]?.weight else { return }
            count(old, -1)
            count(weight, 1)
            entries[node]?.weight = weight
        }

        private mutating func count(_ weight: Weight, _ step: Int) {
            switch weight {
            case .nothing: break
            case .pending: pending += step
            case .said(.inside): inside += step
            case .said(.unknown): unknown += step
            case .said(.outside): outside += step
            }
        }

        /// The state by the house's rules; nil while it hangs on a node that may be alive.
        var state: SightState? {
            if inside > 0 { return .inside }
            if pending > 0 { return nil }
            return unknown > 0 || !waiting.isEmpty || outside == 0 ? .unknown : .outside
        }
    }
}
