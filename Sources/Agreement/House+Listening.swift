// How long it is listened after a connection, before anything is written.
extension House {
    /// The time after a connection in which a node only listens, and whom it misses then.
    struct Silence: Sendable {
        /// It is listened for so long at least, and until our own status has come back, behind all that the broker had for us.
        static let shortest = 3 * Nanoseconds.second

        /// And then until nobody is absent who was there before the connection was lost, and no other node has come for so long.
        /// After a power cut the first of three hundred would own everything, and be sent all that all others see.
        private static let calm = 2 * Nanoseconds.second

        /// Each of these for no longer than this: nodes try again after one second, two, four, eight and sixteen.
        private static let longest = 30 * Nanoseconds.second

        /// While nodes are absent nobody is outside by the word of the others, for so long: an absent one tries again after a
        /// minute at the latest.
        private static let longestAbsence = 90 * Nanoseconds.second

        /// The nodes that were there before the connection was lost, and have not come since.
        var absent: Set<String> = []
        /// When they are waited for no more.
        private(set) var absentUntil: Int64?

        /// Before this nothing is written.
        private(set) var end: Int64 = 0
        private var earliest: Int64 = 0
        private var latest: Int64 = 0
        /// Whether the broker has not yet sent our own status back.
        private(set) var isUnheard = false

        mutating func began(at now: Int64, without absent: Set<String>) {
            self.absent = absent
            absentUntil = absent.isEmpty ? nil : now.later(by: Self.longestAbsence)
            (earliest, latest) = (now.later(by: Self.shortest), now.later(by: Self.longest))
            (end, isUnheard) = (latest, true)
        }

        mutating func heardAll(at now: Int64) {
            guard isUnheard else { return }
            isUnheard = false
            latest = now.later(by: Self.longest)
            goOn(at: now)
        }

        mutating func cameIn(_ node: String, at now: Int64) {
            absent.remove(node)
            if !isUnheard, now < end { goOn(at: now) }
        }

        mutating func advanced(to now: Int64) {
            if let absentUntil, now >= absentUntil { (absent, self.absentUntil) = ([], nil) }
        }

        private mutating func goOn(at now: Int64) {
            end = absent.isEmpty ? max(earliest, min(latest, now.later(by: Self.calm))) : latest
        }
    }

    /// Whether a node that was there before the connection was lost may be inside, and the broker has nothing of what it saw.
    func lacksSights(_ index: Int) -> Bool {
        silence.absent.contains { name in
            regions[index].desk?.entries[name] == nil && former[name]?.weight(for: regions[index]) != nil
        }
    }

    /// Our own status came back: so did all that was to be said to us before it.
    mutating func heardAll(at now: Int64) {
        guard silence.isUnheard else { return }
        silence.heardAll(at: now)
        speaksAt = silence.end
        scheduleNodes(speaksAt)
    }

    /// A node is online that was not before.
    mutating func cameIn(_ name: String, at now: Int64) {
        let wasSilent = now < silence.end
        silence.cameIn(name, at: now)
        guard wasSilent else { return }
        speaksAt = silence.end
        scheduleNodes(speaksAt)
    }
}
