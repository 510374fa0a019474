import OkaeriPlumbing
package import RegionMonitoring

/// The regions of a house: their rooms, and the news of the whole house.
///
///     house.heard(by: "kitchen", in: "kitchen", "keys", from: beacon, rssi: -61, at: now)   // for each reception
///     publish(house.entered("keys", isAlone: false, at: now))                               // for each event of the region monitor
///     publish(house.advanced(to: now))                                                      // by a timer set to house.nextDeadline
package struct HouseRegions: Sendable {
    /// News of one region.
    package struct Item: Hashable, Sendable {
        package var region: String
        package var news: HouseNews

        package init(_ region: String, _ news: HouseNews) { (self.region, self.news) = (region, news) }
    }

    /// The time between an arrival and its announcement, in which the other radios receive the beacon: the nearest one is not
    /// always the first.
    private static let hearing: Int64 = 300_000_000

    /// The grid of the trackers' deadlines: a room is decided in seconds, and regions that share a deadline share a wake-up.
    private static let grid: Int64 = 200_000_000

    private struct Region: Sendable {
        let identifier: String
        var tracker = RoomTracker()
        /// The last determined state; `nil` before the first.
        var state: RegionState?
        /// The last room that was announced; `nil`: none.
        var room: String?
        /// The news that wait for the room of an arrival, and the time at which they are due.
        var held: [HouseNews] = []
        var due = Int64.max

        var nextDeadline: Int64 {
            guard let next = tracker.nextDeadline else { return due }
            let (later, rest) = (next.addingClamped(HouseRegions.grid), next % HouseRegions.grid)
            return min(due, rest == 0 ? next : later.subtractingClamped(rest))
        }
    }

    private var regions: [Region] = []
    private var positions: [String: Int] = [:]
    /// The deadline of each region, or the maximum. They are apart because the minimum is determined hundreds of times a second.
    private var deadlines: [Int64] = []

    /// The time at which ``advanced(to:)`` is next needed. May be early, and is late only for a room, by 200 ms at most.
    package private(set) var nextDeadline: Int64?

    package init(_ identifiers: [String]) { replaced(with: identifiers) }

    /// Handles a new configuration. A region with the same identifier stays what it is.
    package mutating func replaced(with identifiers: [String]) {
        let (old, known) = (regions, positions)
        (regions, positions) = ([], [:])
        for identifier in identifiers where positions[identifier] == nil {
            positions[identifier] = regions.count
            regions.append(known[identifier].map { old[$0] } ?? Region(identifier: identifier))
        }
        deadlines = regions.map(\.nextDeadline)
        schedule()
    }

    /// Returns the room of a region as it was announced; `nil` while none is known or it is not inside.
    package func room(of region: String) -> String? { positions[region].flatMap { regions[$0].room } }

    /// Handles the reception of a region's beacon.
    ///
    /// - Parameters:
    ///   - beacon: A number that distinguishes the beacon from the region's other beacons.
    ///   - rssi: The RSSI in dBm, with the radio's offset.
    ///   - isSmoothed: Whether the radio reports means of some seconds.
    package mutating func heard(
        by radio: String, in room: String, _ region: String, from beacon: UInt64, rssi: Double,
        isSmoothed: Bool = false,
        at now: Int64
    ) {
        guard let position = positions[region] else { return }
        regions[position].tracker.heard(radio, in: room, from: beacon, rssi: rssi, isSmoothed: isSmoothed, at: now)
        deadlines[position] = regions[position].nextDeadline
        if deadlines[position] < nextDeadline ?? .max { nextDeadline = deadlines[position] }
    }

    /// Handles that a region was entered. The determination of its state follows.
    ///
    /// - Parameter isAlone: Whether no other radio can receive the beacon meanwhile.
    package mutating func entered(_ region: String, isAlone: Bool, at now: Int64) -> [Item] {
        guard let position = positions[region] else { return [] }
        let earlier = announced(position)
        regions[position].held = [.didEnterRegion(room: nil, isOwner: true)]
        regions[position].due = isAlone ? now : now.addingClamped(Self.hearing)
        schedule(position)
        return earlier
    }

    /// Handles that a region was left. The determination of its state follows.
    package mutating func left(_ region: String) -> [Item] {
        guard let position = positions[region] else { return [] }
        let earlier = announced(position)
        schedule(position)
        return earlier + [Item(region, .didExitRegion(isOwner: true))]
    }

    /// Handles the state of a region, behind its enter or exit.
    package mutating func determined(_ region: String, _ state: RegionState, at now: Int64) -> [Item] {
        guard let position = positions[region], regions[position].state != state else { return [] }
        let isHeld = !regions[position].held.isEmpty && state == .inside
        let earlier = isHeld ? [] : announced(position)
        regions[position].state = state
        if state == .outside { regions[position].tracker.left() }
        guard isHeld else {
            schedule(position)
            return earlier + [Item(region, .didDetermineState(state))] + roomNews(position)
        }
        regions[position].held.append(.didDetermineState(state))
        return advanced(to: now)
    }

    /// Handles that time has passed.
    package mutating func advanced(to now: Int64) -> [Item] {
        guard let nextDeadline, nextDeadline <= now else { return [] }
        var items: [Item] = []
        let due = deadlines.indices.filter { deadlines[$0] <= now }
        for position in due.sorted(by: { regions[$0].identifier < regions[$1].identifier }) {
            regions[position].tracker.advanced(to: now)
            if regions[position].due <= now { items += announced(position) }
            items += roomNews(position)
            deadlines[position] = regions[position].nextDeadline
        }
        schedule()
        return items
    }

    /// Ends the wait for the room of an arrival.
    private mutating func announced(_ position: Int) -> [Item] {
        let region = regions[position]
        guard !region.held.isEmpty else { return [] }
        let room = region.tracker.room ?? region.tracker.strongest
        regions[position].held = []
        regions[position].due = .max
        return region.held.map { news in
            if case .didEnterRegion(_, let isOwner) = news {
                Item(region.identifier, .didEnterRegion(room: room, isOwner: isOwner))
            } else {
                Item(region.identifier, news)
            }
        }
    }

    private mutating func roomNews(_ position: Int) -> [Item] {
        guard regions[position].held.isEmpty else { return [] }
        let room = regions[position].state == .inside ? regions[position].tracker.room : nil
        guard room != regions[position].room else { return [] }
        regions[position].room = room
        return [Item(regions[position].identifier, .didDetermineRoom(room))]
    }

    private mutating func schedule(_ position: Int) {
        deadlines[position] = regions[position].nextDeadline
        schedule()
    }

    private mutating func schedule() {
        let next = deadlines.min() ?? .max
        nextDeadline = next < .max ? next : nil
    }
}

/// News of the whole house, in the order of the region monitor's events: an enter or exit is followed by its state.
package enum HouseNews: Hashable, Sendable {
    case didDetermineState(RegionState)
    /// - Parameters:
    ///   - room: the room; `nil` if no room is known.
    ///   - isOwner: whether this node decided it: it alone runs the house's hooks.
    case didEnterRegion(room: String?, isOwner: Bool)
    case didExitRegion(isOwner: Bool)
    /// `nil` for no room.
    case didDetermineRoom(String?)
}
