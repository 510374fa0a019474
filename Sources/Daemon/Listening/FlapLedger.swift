import IBeacon
package import OkaeriEvents
import OkaeriPlumbing
import RegionMonitoring
import Synchronization

/// Counts how often each region was left for a weak signal and soon entered again in the last hour.
package final class FlapLedger: Sendable {
    fileprivate struct Region {
        let enterRSSI, exitRSSI: Int?
        /// The time at which the region was left, if it is outside; nanoseconds since the Unix epoch, as all times
        /// here.
        var left: Int64?
        var returns: [Int64] = []

        init(_ sign: RegionSign) { (enterRSSI, exitRSSI) = (sign.enterRSSI, sign.exitRSSI) }
    }

    /// The longest time between an exit and an enter that counts as a return; after a longer time the beacon was away.
    private static let longestAbsence = Duration.seconds(300).clampedNanoseconds

    private static let hour = Duration.seconds(3600).clampedNanoseconds

    /// The maximum number of returns that are counted of a region: a signal that crosses the thresholds ten times a second
    /// must not fill the memory.
    private static let capacity = 1000

    /// By identifier; only regions that a weak signal can leave.
    private let regions: Mutex<[String: Region]>

    init(_ regions: [MonitoredRegion]) {
        self.regions = Mutex(Self.limited(regions))
    }

    private static func limited(_ regions: [MonitoredRegion]) -> [String: Region] {
        let limited = regions.compactMap { region in
            region.signs.first { $0.exitRSSI != nil }.map { (region.identifier, Region($0)) }
        }
        return Dictionary(limited) { first, _ in first }
    }

    /// The count of other thresholds does not apply to the new ones.
    func reload(_ regions: [MonitoredRegion]) {
        let new = Self.limited(regions)
        self.regions.withLock { old in
            old = new.merging(old) { new, old in
                (new.enterRSSI, new.exitRSSI) == (old.enterRSSI, old.exitRSSI) ? old : new
            }.filter { new[$0.key] != nil }
        }
    }

    func determined(_ region: String, _ state: RegionState, at time: Int64) {
        regions.withLock { regions in
            if state == .inside, let left = regions[region]?.left,
                0...Self.longestAbsence ~= time.subtractingClamped(left)
            {
                regions[region]?.returned(at: time, after: time.subtractingClamped(Self.hour), capacity: Self.capacity)
            }
            regions[region]?.left = state == .outside ? time : nil
        }
    }

    /// A region that silence had left was entered: that is not a matter of the thresholds. The monitor announces the end of the
    /// silence after the entry.
    func silenceEnded(_ record: SilenceRecord) {
        guard record.silence.leftFor != nil else { return }
        regions.withLock { $0[record.region]?.returns.removeAll { $0 == record.time } }
    }

    /// Returns `nil` if the region does not flap.
    package func report(region: String, now: Int64) -> FlappingReport? {
        regions.withLock { regions in
            guard let region = regions[region] else { return nil }
            let start = now.subtractingClamped(Self.hour)
            return FlappingReport(
                returns: region.returns.count { $0 > start && $0 <= now }, enterRSSI: region.enterRSSI,
                exitRSSI: region.exitRSSI)
        }
    }
}

extension FlapLedger.Region {
    fileprivate mutating func returned(at time: Int64, after start: Int64, capacity: Int) {
        returns.removeAll { $0 <= start }
        if returns.count == capacity { returns.removeFirst() }
        returns.append(time)
    }
}
