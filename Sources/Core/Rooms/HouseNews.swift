package import RegionMonitoring

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
