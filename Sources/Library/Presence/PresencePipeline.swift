public import HCI
public import IBeacon
public import RegionMonitoring

/// The way from the bytes of an HCI event to the decision about the regions, the same for an adapter and a capture.
///
/// Inlinable, and public in a target that is no product: other targets call `package` functions and do not inline
/// them, and every report passes through this code.
public struct PresencePipeline: Sendable {
    /// The numbers of received packets.
    public struct Counters: Sendable, Equatable {
        public var reports: UInt64 = 0
        public var iBeacons: UInt64 = 0
        /// Truncated or invalid events.
        public var malformed: UInt64 = 0

        @inlinable public var others: UInt64 { reports &- iBeacons }
    }

    /// Receives each sighting of a beacon that belongs to a region, after the decision.
    ///
    /// - Parameter regions: The positions of its regions in the monitor.
    public typealias SightingHandler =
        @Sendable (_ sighting: BeaconSighting, _ regions: [Int], _ now: Instant) -> Void

    public var monitor: RegionMonitor
    /// The numbers of received packets so far.
    public var counters = Counters()
    /// The battery levels of the regions' beacons.
    public var batteries = BeaconBatteries()
    @usableFromInline var assembler = ExtendedReportAssembler()

    public init(_ monitor: RegionMonitor) {
        self.monitor = monitor
    }

    /// An HCI event came in: its bytes from the event code on, without the H4 packet type.
    @inlinable @inline(__always) public mutating func received(
        event: RawSpan, at now: Instant, handler: SightingHandler? = nil
    ) -> [RegionMonitor.Action] {
        guard var reports = LEAdvertisingReports(event: event) else { return [] }
        var actions: [RegionMonitor.Action] = []
        do {
            while reports.remaining > 0, let report = try reports.next() {
                counters.reports += 1
                let rssi = report.rssi
                guard let frame = assembler.frame(in: report) else {
                    let address = report.address.rawValue
                    monitor.advertisementHeard(from: address, at: now)
                    if batteries.isSender(address) {
                        advertisementReceived(
                            report.data, from: address, isConnectable: report.properties.contains(.connectable), at: now
                        )
                    }
                    continue
                }
                counters.iBeacons += 1
                let sighting = BeaconSighting(
                    identity: frame.identity, measuredPower: frame.measuredPower, rssi: rssi)
                let news = monitor.sighted(sighting, at: now)
                if !news.isEmpty { actions += news }
                guard let handler else { continue }
                let regions = monitor.regions(of: sighting.identity)
                guard !regions.isEmpty else { continue }
                batteries.beaconHeard(
                    sighting.identity, from: report.address.rawValue,
                    isConnectable: report.properties.contains(.connectable), at: now)
                handler(sighting, regions, now)
            }
        } catch {
            // The reports before the cut have counted. Any device can send malformed data, which must not end the
            // scan.
            counters.malformed += 1
        }
        return actions
    }
}

extension ExtendedReportAssembler {
    /// The iBeacon in a report, with the data of earlier reports of the same advertisement.
    @inlinable @inline(__always) mutating func frame(in report: LEAdvertisingReport) -> IBeaconFrame? {
        guard let data = data(report) else { return nil }
        return IBeaconFrame(advertisingData: data)
    }
}
