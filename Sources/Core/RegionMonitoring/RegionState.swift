/// The state of a region, as far as it is known. CoreLocation's `CLRegionState`.
///
///     unknown → inside | outside      once a beacon is heard, or the exit time passes without one
///     inside ↔ outside                enter and exit
///     any → unknown                   the adapter is lost: that causes no exit
public enum RegionState: String, Hashable, Sendable, CaseIterable {
    /// Nothing was received yet, or the adapter does not work.
    case unknown

    /// A beacon of the region is in range.
    case inside

    /// No beacon of the region is in range.
    case outside

    /// The common state of several signs or regions: inside if any of them is inside, outside if there are some and all are outside,
    /// otherwise unknown.
    @inlinable
    public init(ofAny states: some Sequence<RegionState>) {
        var common: RegionState?
        for state in states {
            switch state {
            case .inside:
                self = .inside
                return
            case .unknown: common = .unknown
            case .outside: common = common ?? .outside
            }
        }
        self = common ?? .unknown
    }
}

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
