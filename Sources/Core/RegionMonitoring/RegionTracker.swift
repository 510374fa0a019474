/// The state of one region: the sum of the states of its signs.
struct RegionTracker: Sendable {
    var region: MonitoredRegion

    /// The positions of its signs in the monitor.
    let signs: Range<Int>

    /// The state that was determined last.
    private(set) var state = RegionState.unknown

    /// The last known state, kept over interruptions. It decides whether a change is an enter or exit event.
    var lastKnown = RegionState.unknown

    var identifier: String { region.identifier }

    var isRanging: Bool {
        switch region.ranging {
        case .off: false
        case .whileInside: state == .inside
        case .always: true
        }
    }

    /// Handles a determined state. Returns whether it is an enter or exit event: the last known state was another one.
    mutating func became(_ state: RegionState) -> Bool {
        self.state = state
        guard state != .unknown else { return false }
        defer { lastKnown = state }
        return state == .inside ? lastKnown != .inside : lastKnown == .inside
    }

    /// Continues from the state of a region with the same signs.
    mutating func continued(from earlier: RegionTracker) {
        (state, lastKnown) = (earlier.state, earlier.lastKnown)
    }
}
