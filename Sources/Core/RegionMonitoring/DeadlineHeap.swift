import OkaeriPlumbing

/// The times at which signs are judged next: a binary heap, the earliest on top, in which each sign has one time.
struct DeadlineHeap: Sendable {
    private struct Entry: Sendable {
        /// In nanoseconds; the maximum for a sign that no passing of time ends at present.
        var time: Int64
        var sign: Int
    }

    private var entries: [Entry] = []

    /// The place of each sign in ``entries``; negative for a sign without a time.
    private var places: [Int] = []

    /// The earliest time; `nil` without one.
    var earliest: Instant? {
        guard let first = entries.first, first.time < .max else { return nil }
        return Instant(nanoseconds: first.time)
    }

    /// The signs with a time, in no order.
    var signs: some Sequence<Int> { entries.lazy.map(\.sign) }

    /// Returns the time of a sign in nanoseconds; `nil` without one.
    func time(of sign: Int) -> Int64? { places[sign] < 0 ? nil : entries[places[sign]].time }

    /// Begins anew without times, with so many signs. Keeps its memory.
    mutating func removeAll(signs count: Int) {
        entries.removeAll(keepingCapacity: true)
        places.removeAll(keepingCapacity: true)
        places.append(contentsOf: repeatElement(-1, count: count))
    }

    /// Sets the time of a sign, in nanoseconds.
    mutating func set(_ sign: Int, to time: Int64) {
        let entry = Entry(time: time, sign: sign)
        var place = places[sign]
        if place < 0 {
            place = entries.count
            entries.append(entry)
        }
        settle(entry, at: place)
    }

    /// Removes a sign whose time has come, and returns it; `nil` without one.
    mutating func popped(at now: Instant) -> Int? {
        guard isDue(0, at: now) else { return nil }
        let sign = entries[0].sign
        remove(sign)
        return sign
    }

    /// Returns the sign whose time has come, if it is the only one. It keeps its place.
    func onlyDue(at now: Instant) -> Int? {
        isDue(0, at: now) && !isDue(1, at: now) && !isDue(2, at: now) ? entries[0].sign : nil
    }

    /// Removes the time of a sign, if it has one.
    mutating func remove(_ sign: Int) {
        let place = places[sign]
        guard place >= 0 else { return }
        places[sign] = -1
        let last = entries.removeLast()
        if last.sign != sign { settle(last, at: place) }
    }

    private func isDue(_ place: Int, at now: Instant) -> Bool {
        place < entries.count && entries[place].time <= now.nanoseconds && entries[place].time < .max
    }

    /// Puts an entry in a free place, or above or below it, so that none is later than those below it.
    private mutating func settle(_ entry: Entry, at start: Int) {
        Self.settle(entry, at: start, &entries, &places)
    }

    private static func settle(_ entry: Entry, at start: Int, _ entries: inout [Entry], _ places: inout [Int]) {
        let count = entries.count
        // One check of each array for a sole owner, not one for each access.
        var entries = entries.mutableSpan
        var places = places.mutableSpan
        var place = start
        while place > 0, case let above = (place - 1) / 2, case let other = entries[above], other.time > entry.time {
            entries[place] = other
            places[other.sign] = place
            place = above
        }
        while case var below = 2 * place + 1, below < count {
            var other = entries[below]
            if below + 1 < count, entries[below + 1].time < other.time {
                below += 1
                other = entries[below]
            }
            guard other.time < entry.time else { break }
            entries[place] = other
            places[other.sign] = place
            place = below
        }
        entries[place] = entry
        places[entry.sign] = place
    }
}
