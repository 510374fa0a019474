package import RegionMonitoring

/// The occupancy of the home: how many of its regions are inside.
package struct Occupancy: Codable, Sendable, Equatable {
    /// The common state: inside if any region is inside, outside if all are outside, otherwise unknown. An unknown home is not empty.
    package private(set) var state: RegionState
    /// The numbers of regions in each state.
    package private(set) var inside = 0
    package private(set) var outside = 0
    package private(set) var unknown = 0
    /// The regions that are inside; `nil` if only the states are known, and from a daemon of an earlier version.
    package private(set) var present: [Present]?

    package struct Present: Codable, Sendable, Equatable {
        /// The identifier of the region.
        package var region: String
        /// The room of its beacon; `nil`: unknown.
        package var room: String?
    }

    package init(_ regions: [RegionReport]) {
        self.init(regions.map(\.presence))
        present = regions.filter { $0.presence == .inside }.map { Present(region: $0.identifier, room: $0.house?.room) }
    }

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
    fileprivate var presence: RegionState {
        guard let house, !(house.state == .unknown && state == .inside) else { return state }
        return house.state
    }
}
