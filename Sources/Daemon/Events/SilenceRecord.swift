/// A silence of the beacon that kept a region, which ended: whether it was taken for an exit, and what would have taken it
/// for one. Times in seconds.
package struct SilenceRecord: Sendable, Hashable {
    /// When it ended: nanoseconds since the Unix epoch.
    package var time: Int64

    /// The region's identifier.
    package var region: String

    /// How much of it was listened.
    package var length: Double

    /// How long ago the region was left for it; nil where it was not.
    package var leftFor: Double?

    /// The exit times by each sensitivity when it began.
    package var quick: Double
    package var balanced: Double
    package var patient: Double

    /// The mean signal of the minute before, and the first one after, in dBm; nil where the controller could not say.
    package var signalBefore: Double?
    package var signalAfter: Int?

    package init(
        time: Int64, region: String, length: Double, leftFor: Double?, quick: Double, balanced: Double, patient: Double,
        signalBefore: Double?, signalAfter: Int?
    ) {
        self.time = time
        self.region = region
        self.length = length
        self.leftFor = leftFor
        self.quick = quick
        self.balanced = balanced
        self.patient = patient
        self.signalBefore = signalBefore
        self.signalAfter = signalAfter
    }
}
