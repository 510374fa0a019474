import CAllocations
import Glibc
import OkaeriConfiguration
import Presence
import RegionMonitoring

/// From an event's bytes to the regions' decisions, and the timer as a source runs it: what a presence driver does with
/// each report while it is locked.
struct PipelineRun {
    private var pipeline: PresencePipeline
    private let traffic: Traffic
    private var now = Instant(nanoseconds: 0)
    private var position = 0

    /// Five hundred beacons that advertise once a second.
    private static let spacing: Int64 = 2_000_000

    /// The first minute is no steady state: beacons are met, regions entered, the absent ones left.
    private static let settling = 60 * 500

    init(_ configuration: Configuration, events traffic: Traffic) {
        var monitor = RegionMonitor(configuration.regions.map(\.monitored), at: now)
        _ = monitor.monitoringStarted(at: now)
        _ = monitor.adapterRecovered(at: now)
        pipeline = PresencePipeline(monitor)
        self.traffic = traffic
    }

    /// Nanoseconds of the processor's time a report, allocations in all, regions that are inside at the end.
    mutating func measure(_ count: Int) -> String {
        run(Self.settling)
        let allocations = allocations_so_far()
        let start = Self.processorTime
        run(count)
        let duration = Self.processorTime - start
        let allocated = allocations_so_far() - allocations
        let inside = pipeline.monitor.regionSnapshots.count { $0.state == .inside }
        return "\(duration / Double(max(1, count))) \(allocated) \(inside)"
    }

    /// In nanoseconds: on a machine that is shared, the time on the wall is that of others too.
    private static var processorTime: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }

    private mutating func run(_ count: Int) {
        let traffic = traffic
        for _ in 0..<count {
            now.nanoseconds += Self.spacing
            while let deadline = pipeline.monitor.nextDeadline, deadline <= now {
                _ = pipeline.monitor.advanced(to: deadline)
            }
            _ = pipeline.received(event: traffic[position], at: now)
            position = position + 1 < traffic.count ? position + 1 : 0
        }
    }
}
