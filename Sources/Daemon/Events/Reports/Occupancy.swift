package import RegionMonitoring

/// The occupancy of the home: how many of its regions are inside.
package struct Occupancy: Codable, Sendable, Equatable {
    /// The common state: inside if any region is inside, outside if all are outside, otherwise unknown. An unknown home is not empty.
    package private(set) var state: RegionState
    /// The numbers of regions in each state.
    package private(set) var inside = 0
    package private(set) var outside = 0
    package private(set) var unknown = 0

    /// - Parameter states: the states of all regions.
    package init(_ states: some Sequence<RegionState>) {
        let states = Array(states)
        state = RegionState(ofAny: states)
        for state in states {
            switch state {
            case .inside: inside += 1
            case .outside: outside += 1
            case .unknown: unknown += 1
            }
        }
    }
}

extension RegionReport {
    /// The state that counts for the home: the agreed one of a house, if there is one.
    package var presence: RegionState {
        guard let house, !(house.state == .unknown && state == .inside) else { return state }
        return house.state
    }
}
