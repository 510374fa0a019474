/// The state of a region, as far as it is known. CoreLocation's `CLRegionState`.
///
///     unknown → inside | outside      once a beacon is heard, or the exit time passes without one
///     inside ↔ outside                enter and exit
///     any → unknown                   the adapter is lost: that causes no exit
public enum RegionState: String, Hashable, Sendable, CaseIterable {
    /// Nothing was heard yet, or nothing can be heard.
    case unknown

    /// A beacon of the region is here.
    case inside

    /// None is.
    case outside
}
