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
        guard let first = entries.first, first.time <= now.nanoseconds, first.time < .max else { return nil }
        places[first.sign] = -1
        let last = entries.removeLast()
        if last.sign != first.sign { settle(last, at: 0) }
        return first.sign
    }

    /// Puts an entry in a free place, or above or below it, so that none is later than those below it.
    private mutating func settle(_ entry: Entry, at start: Int) {
        var place = start
        while place > 0, case let above = (place - 1) / 2, entries[above].time > entry.time {
            put(entries[above], at: place)
            place = above
        }
        while case let first = 2 * place + 1, first < entries.count {
            let second = first + 1
            let below = second < entries.count && entries[second].time < entries[first].time ? second : first
            guard entries[below].time < entry.time else { break }
            put(entries[below], at: place)
            place = below
        }
        put(entry, at: place)
    }

    private mutating func put(_ entry: Entry, at place: Int) {
        entries[place] = entry
        places[entry.sign] = place
    }
}
