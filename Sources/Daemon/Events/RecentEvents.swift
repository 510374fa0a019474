/// The latest published events, for clients that return or lag behind.
///
/// Bounded in events, and in beacons: radios in range decide how many beacons a ranging event has. Ranging, once a second,
/// has a list of its own, so that it removes no arrival.
struct RecentEvents {
    /// The oldest first.
    private var lists = (
        rangings: BoundedEvents(capacity: 4 * EventHub.backlog), others: BoundedEvents(capacity: 2 * EventHub.backlog)
    )

    mutating func append(_ event: Event) {
        if case .didRangeBeacons(_, let beacons) = event.kind {
            lists.rangings.append(event, size: max(1, beacons.count))
        } else {
            lists.others.append(event, size: 1)
        }
    }

    /// Returns the oldest event after a number.
    func first(after sequence: UInt64) -> Event? {
        guard let ranging = lists.rangings.first(after: sequence) else { return lists.others.first(after: sequence) }
        guard let other = lists.others.first(after: sequence) else { return ranging }
        return ranging.sequence < other.sequence ? ranging : other
    }
}

/// Events in the order of their numbers, of which the oldest are removed at a limit.
private struct BoundedEvents {
    private let capacity: Int
    private var events: [(event: Event, size: Int)] = []
    private var size = 0

    /// - Parameter capacity: the maximum of the sizes together, exceeded only by a single event.
    init(capacity: Int) {
        self.capacity = capacity
    }

    mutating func append(_ event: Event, size: Int) {
        if self.size + size > capacity { removeOldest() }
        events.append((event, size))
        self.size += size
    }

    /// Removes down to half the capacity, because each removal moves all that stay.
    private mutating func removeOldest() {
        var count = 0
        while size > capacity / 2, count < events.count {
            size -= events[count].size
            count += 1
        }
        events.removeFirst(count)
    }

    func first(after sequence: UInt64) -> Event? {
        var (low, high) = (0, events.count)
        while low < high {
            let middle = (low + high) / 2
            if events[middle].event.sequence > sequence { high = middle } else { low = middle + 1 }
        }
        return low < events.count ? events[low].event : nil
    }
}
