/// The result of ``CaptureReader/next(in:at:)``.
public enum CaptureStep: Hashable, Sendable {
    /// A packet; the position stands behind it.
    case packet(CapturePacket)

    /// The number of bytes, counted from the position, that are needed: at most ``CaptureReader/largestNeed``.
    case needsMore(Int)
}
