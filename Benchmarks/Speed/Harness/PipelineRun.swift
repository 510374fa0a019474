import COkaeriAllocations
import Glibc
import HCI
import OkaeriBluetooth
import OkaeriConfiguration
import OkaeriPresence
import RegionMonitoring

/// From an event's bytes to the regions' decisions, and the timer as a source runs it: what a presence driver does with
/// each report while it is locked.
struct PipelineRun {
    private var pipeline: PresencePipeline
    private var traffic: Traffic
    private let phones: [IdentityResolvingKey]
    private var now = Instant(nanoseconds: 0)
    private var position = 0

    /// Five hundred beacons that advertise once a second.
    private static let spacing: Int64 = 2_000_000

    /// The first minute is not a steady state: beacons are met, regions entered, the absent ones left.
    private static let settling = 60 * 500

    /// - Parameter phones: The number of phones among the senders, each with a region.
    init(_ configuration: Configuration, events traffic: Traffic, phones: Int = 0) {
        var regions = configuration.regions.map(\.monitored)
        for phone in 0..<phones {
            regions.append(MonitoredRegion(identifier: "phone \(phone)", RegionSign(.phone(file: "\(phone)"))))
        }
        var monitor = RegionMonitor(regions, at: now)
        _ = monitor.monitoringStarted(at: now)
        _ = monitor.adapterRecovered(at: now)
        pipeline = PresencePipeline(monitor)
        self.phones = (0..<phones).map { _ in IdentityResolvingKey.random() }
        pipeline.phones = AddressResolver(self.phones.map { DeviceIdentity(key: $0) })
        self.traffic = traffic
    }

    /// Nanoseconds of the processor's time a report, allocations in all, regions that are inside at the end.
    mutating func measure(_ count: Int) -> String {
        run(Self.settling)
        return measure([count])
    }

    /// The same, where all senders have resolvable private addresses that change every quarter of an hour.
    mutating func measureRotating(_ count: Int) -> String {
        traffic.rotateAddresses(generation: 0, phones: phones)
        run(Self.settling)
        let whole = Self.rotation * 500
        return measure(stride(from: 0, to: count, by: whole).map { min(whole, count - $0) }, rotating: true)
    }

    /// In seconds.
    private static let rotation = 15 * 60

    private mutating func measure(_ counts: [Int], rotating: Bool = false) -> String {
        var duration = 0.0, allocated = 0
        for (generation, count) in counts.enumerated() {
            if rotating { traffic.rotateAddresses(generation: UInt32(generation) + 1, phones: phones) }
            let allocations = allocations_so_far()
            let start = Self.processorTime
            run(count)
            duration += Self.processorTime - start
            allocated += Int(allocations_so_far() - allocations)
        }
        let inside = pipeline.monitor.regionSnapshots.count { $0.state == .inside }
        return "\(duration / Double(max(1, counts.reduce(0, +)))) \(allocated) \(inside)"
    }

    /// In nanoseconds: on a machine that is shared, the time on the wall is that of others too.
    static var processorTime: Double {
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
