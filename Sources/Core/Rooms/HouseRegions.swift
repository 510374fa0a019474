import Plumbing
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

    private struct Region: Sendable {
        var tracker = RoomTracker()
        /// The last determined state; `nil` before the first.
        var state: RegionState?
        /// The last room that was announced; `nil`: none.
        var room: String?
        /// The news that wait for the room of an arrival, and the time at which they are due.
        var held: [HouseNews] = []
        var due = Int64.max

        var nextDeadline: Int64 { min(due, tracker.nextDeadline ?? .max) }
    }

    private var regions: [String: Region] = [:]

    /// The time at which ``advanced(to:)`` is next needed. May be early, is never late.
    package private(set) var nextDeadline: Int64?

    package init(_ identifiers: [String]) { replaced(with: identifiers) }

    /// Handles a new configuration. A region with the same identifier stays what it is.
    package mutating func replaced(with identifiers: [String]) {
        regions = Dictionary(
            identifiers.map { ($0, regions[$0] ?? Region()) }, uniquingKeysWith: { first, _ in first })
        schedule()
    }

    /// Returns the room of a region as it was announced; `nil` while none is known or it is not inside.
    package func room(of region: String) -> String? { regions[region]?.room }

    /// Handles the reception of a region's beacon.
    ///
    /// - Parameters:
    ///   - beacon: A number that distinguishes the beacon from the region's other beacons.
    ///   - rssi: The RSSI in dBm, with the radio's offset.
    package mutating func heard(
        by radio: String, in room: String, _ region: String, from beacon: UInt64, rssi: Double, at now: Int64
    ) {
        guard regions[region] != nil else { return }
        regions[region]?.tracker.heard(radio, in: room, from: beacon, rssi: rssi, at: now)
        if let due = regions[region]?.nextDeadline, due < nextDeadline ?? .max { nextDeadline = due }
    }

    /// Handles that a region was entered. The determination of its state follows.
    ///
    /// - Parameter isAlone: Whether no other radio can receive the beacon meanwhile.
    package mutating func entered(_ region: String, isAlone: Bool, at now: Int64) -> [Item] {
        let earlier = announced(region)
        regions[region]?.held = [.didEnterRegion(room: nil, isOwner: true)]
        regions[region]?.due = isAlone ? now : now.addingClamped(Self.hearing)
        schedule()
        return earlier
    }

    /// Handles that a region was left. The determination of its state follows.
    package mutating func left(_ region: String) -> [Item] {
        regions[region] == nil ? [] : announced(region) + [Item(region, .didExitRegion(isOwner: true))]
    }

    /// Handles the state of a region, behind its enter or exit.
    package mutating func determined(_ region: String, _ state: RegionState, at now: Int64) -> [Item] {
        guard let before = regions[region], before.state != state else { return [] }
        let isHeld = !before.held.isEmpty && state == .inside
        let earlier = isHeld ? [] : announced(region)
        regions[region]?.state = state
        if state == .outside { regions[region]?.tracker.left() }
        guard isHeld else {
            schedule()
            return earlier + [Item(region, .didDetermineState(state))] + roomNews(region)
        }
        regions[region]?.held.append(.didDetermineState(state))
        return advanced(to: now)
    }

    /// Handles that time has passed.
    package mutating func advanced(to now: Int64) -> [Item] {
        guard let nextDeadline, nextDeadline <= now else { return [] }
        var items: [Item] = []
        for region in regions.filter({ $0.value.nextDeadline <= now }).keys.sorted() {
            regions[region]?.tracker.advanced(to: now)
            if let due = regions[region]?.due, due <= now { items += announced(region) }
            items += roomNews(region)
        }
        schedule()
        return items
    }

    /// Ends the wait for the room of an arrival.
    private mutating func announced(_ region: String) -> [Item] {
        guard let held = regions[region]?.held, !held.isEmpty else { return [] }
        let room = regions[region].flatMap { $0.tracker.room ?? $0.tracker.strongest }
        regions[region]?.held = []
        regions[region]?.due = .max
        return held.map { news in
            if case .didEnterRegion(_, let isOwner) = news {
                Item(region, .didEnterRegion(room: room, isOwner: isOwner))
            } else {
                Item(region, news)
            }
        }
    }

    private mutating func roomNews(_ region: String) -> [Item] {
        guard let known = regions[region], known.held.isEmpty else { return [] }
        let room = known.state == .inside ? known.tracker.room : nil
        guard room != known.room else { return [] }
        regions[region]?.room = room
        return [Item(region, .didDetermineRoom(room))]
    }

    private mutating func schedule() {
        let next = regions.values.lazy.map(\.nextDeadline).min() ?? .max
        nextDeadline = next < .max ? next : nil
    }
}
