import Plumbing
package import RegionMonitoring

extension SilenceRecord {
    /// - Parameters:
    ///   - region: whose beacon fell silent, by its identifier.
    ///   - time: when the silence ended, on the wall.
    package init(_ silence: EndedSilence, of region: String, at time: Int64) {
        let times = silence.exitTimes
        self.init(
            time: time, region: region, length: silence.length.seconds(digits: 3),
            leftFor: silence.leftFor?.seconds(digits: 3), quick: times.quick.seconds(digits: 3),
            balanced: times.balanced.seconds(digits: 3), patient: times.patient.seconds(digits: 3),
            signalBefore: silence.signalBefore?.rounded(digits: 1), signalAfter: silence.signalAfter.map(Int.init))
    }

    /// The silence that was recorded.
    package var silence: EndedSilence {
        EndedSilence(
            length: Self.duration(length),
            exitTimes: .init(
                quick: Self.duration(quick), balanced: Self.duration(balanced), patient: Self.duration(patient)),
            leftFor: leftFor.map(Self.duration), signalBefore: signalBefore,
            signalAfter: signalAfter.map { Int8(clamping: $0) })
    }

    /// The file may be damaged: no silence was ever longer than a year.
    private static func duration(_ seconds: Double) -> Duration { .seconds(min(max(seconds, 0), 31_536_000)) }
}
