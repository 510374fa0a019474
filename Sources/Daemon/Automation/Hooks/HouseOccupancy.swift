import Agreement
import Events
import Plumbing
import RegionMonitoring

/// Decides when the home becomes occupied or empty. A value without a clock: events go in, the hook to run comes out.
///
///     unknown  → occupied   a region is inside: `onOccupied`, unless the nodes agree on the states
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

    /// Whether the states are those that the nodes of the house agree on.
    private(set) var isAgreed: Bool

    /// The states by this node alone, and by the house.
    private var own: [String: RegionState] = [:]
    private var agreed: [String: RegionState] = [:]

    init(regions: some Sequence<String>, isAgreed: Bool) {
        self.regions = Set(regions)
        self.isAgreed = isAgreed
    }

    /// Continues from what was known before a restart. The broker retains what a house agrees on.
    mutating func restored(_ isOccupied: Bool?) {
        if !isAgreed { lastKnown = isOccupied }
    }

    /// Handles an event. Returns the hook to run, if there is one.
    mutating func happened(_ kind: Event.Kind) -> Hook.Trigger? {
        switch kind {
        case .didDetermineState(let region, let state) where regions.contains(region): own[region] = state
        case .house(let region, .didDetermineState(let state)) where regions.contains(region): agreed[region] = state
        default: return nil
        }
        let before = lastKnown
        determine()
        guard let lastKnown, lastKnown != before else { return nil }
        switch (before, lastKnown) {
        // A node that joins a house does not know what it was before.
        case (nil, true): return isAgreed ? nil : .onOccupied
        case (nil, false): return nil
        case (_, true): return .onOccupied
        case (_, false): return .onEmpty
        }
    }

    /// Handles a new configuration, which runs no hook.
    mutating func configured(regions: some Sequence<String>, isAgreed: Bool) {
        self.regions = Set(regions)
        self.isAgreed = isAgreed
        own = own.filter { self.regions.contains($0.key) }
        agreed = agreed.filter { self.regions.contains($0.key) }
        determine()
    }

    private mutating func determine() {
        let states = isAgreed ? agreed : own
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
