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
