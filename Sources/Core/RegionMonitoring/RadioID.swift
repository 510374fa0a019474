/// A radio of the house, by its position in the monitor that returned it.
public struct RadioID: Hashable, Sendable {
    @usableFromInline let position: Int

    @inlinable
    init(position: Int) { self.position = position }

    /// The monitor's own adapter.
    @inlinable
    public static var own: RadioID { RadioID(position: 0) }
}
