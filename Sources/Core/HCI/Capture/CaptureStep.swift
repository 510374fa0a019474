/// The result of ``CaptureReader/next(in:at:)``.
public enum CaptureStep: Hashable, Sendable {
    /// A packet; the position stands behind it.
    case packet(CapturePacket)

    /// Nothing more can be read until this many bytes, counted from the position, are there: never more than
    /// ``CaptureReader/largestNeed``.
    case needsMore(Int)
}
