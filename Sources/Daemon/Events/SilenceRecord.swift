import Plumbing
package import RegionMonitoring

/// A silence of the beacon that kept a region inside, after it has ended.
package struct SilenceRecord: Sendable, Hashable {
    /// The end of the silence, in nanoseconds since the Unix epoch.
    package var time: Int64

    /// The region's identifier.
    package var region: String

    package var silence: EndedSilence

    package init(time: Int64, region: String, silence: EndedSilence) {
        self.time = time
        self.region = region
        self.silence = silence
    }
}
