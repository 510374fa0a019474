import OkaeriEvents
import OkaeriPlumbing
import OkaeriRooms
import RegionMonitoring

/// Decides when the home becomes occupied or empty. A value without a clock: events go in, the hook to run comes out.
///
///     unknown  → occupied   a region is inside: `onOccupied`
///     unknown  → empty      all regions are outside
///     occupied → empty      all regions are outside: `onEmpty`
///     empty    → occupied   a region is inside: `onOccupied`
///
/// While no region is inside and one is unknown, the home stays what it was.
struct HouseOccupancy: Sendable {
    /// The last known state.
    private(set) var lastKnown: Bool?

    /// The identifiers of the configured regions.
    private var regions: Set<String>

    private var states: [String: RegionState] = [:]

    /// Whether the states of the house are those of these regions: at a hub and a standby.
    private var followsHouse: Bool

    init(regions: some Sequence<String>, followsHouse: Bool = true) {
        (self.regions, self.followsHouse) = (Set(regions), followsHouse)
    }

    /// Continues from what was known before a restart.
    mutating func restored(_ isOccupied: Bool?) { lastKnown = isOccupied }

    /// Handles an event. Returns the hook to run, if there is one.
    mutating func happened(_ kind: Event.Kind) -> Hook.Trigger? {
        switch kind {
        case .didDetermineState(let region, let state) where regions.contains(region): states[region] = state
        // The house's event of an own decision may precede this node's state.
        case .house(let region, .didEnterRegion(_, isOwner: true)) where followsHouse && regions.contains(region):
            states[region] = .inside
        case .house(let region, .didExitRegion(isOwner: true)) where followsHouse && regions.contains(region):
            states[region] = .outside
        // What another node has announced ran its hooks there.
        case .house(let region, .didDetermineState(let state)) where followsHouse && regions.contains(region):
            states[region] = state
            determine()
            return nil
        default: return nil
        }
        let before = lastKnown
        determine()
        guard let lastKnown, lastKnown != before else { return nil }
        switch (before, lastKnown) {
        case (nil, true): return .onOccupied
        case (nil, false): return nil
        case (_, true): return .onOccupied
        case (_, false): return .onEmpty
        }
    }

    /// Handles a new configuration, which runs no hook.
    mutating func configured(regions: some Sequence<String>, followsHouse: Bool = true) {
        (self.regions, self.followsHouse) = (Set(regions), followsHouse)
        states = states.filter { self.regions.contains($0.key) }
        determine()
    }

    private mutating func determine() {
        switch Occupancy(regions.map { states[$0] ?? .unknown }).state {
        case .inside: lastKnown = true
        case .outside: lastKnown = false
        case .unknown: break
        }
    }
}

/// The last known occupancy of the home, persisted over a restart.
package struct OccupancyMemory: PersistedMemory {
    /// Whether a region was inside; `nil` if that was never known.
    package var occupied: Bool?

    package init(occupied: Bool?) { self.occupied = occupied }
}
