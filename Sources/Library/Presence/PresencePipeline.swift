public import HCI
public import IBeacon
public import RegionMonitoring

/// The way from the bytes of an HCI event to the decision about the regions, the same for an adapter and a capture.
///
/// Inlinable, and public in a target that is no product: what is `package` is called from other targets rather than
/// inlined there, and every report goes this way.
public struct PresencePipeline: Sendable {
    /// The numbers of received packets.
    public struct Counters: Sendable, Equatable {
        /// LE advertising reports, of whatever content.
        public var reports: UInt64 = 0
        /// Those that were iBeacons.
        public var iBeacons: UInt64 = 0
        /// Events that were cut or otherwise unsound.
        public var malformed: UInt64 = 0

        /// Reports that were no iBeacons.
        @inlinable public var others: UInt64 { reports &- iBeacons }

        /// So many of each.
        public init(reports: UInt64 = 0, iBeacons: UInt64 = 0, malformed: UInt64 = 0) {
            self.reports = reports
            self.iBeacons = iBeacons
            self.malformed = malformed
        }
    }

    /// Is given each sighting of a beacon that belongs to a region, after it was decided upon.
    ///
    /// - Parameter regions: the positions of its regions, as the monitor knows them.
    public typealias SightingHandler =
        @Sendable (_ sighting: BeaconSighting, _ regions: [Int], _ now: Instant) -> Void

    /// The monitor that decides.
    public var monitor: RegionMonitor
    /// The numbers of received packets so far.
    public var counters = Counters()
    @usableFromInline var assembler = ExtendedReportAssembler()

    /// Decides by `monitor`.
    public init(_ monitor: RegionMonitor) {
        self.monitor = monitor
    }

    /// An HCI event came in.
    ///
    /// - Parameters:
    ///   - event: its bytes from the event code on, without the H4 packet type.
    ///   - now: The time of reception.
    ///   - handler: is given the sightings of the regions' beacons in it.
    /// - Returns: The events to announce.
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
                    monitor.advertisementHeard(from: report.address.rawValue, at: now)
                    continue
                }
                counters.iBeacons += 1
                let sighting = BeaconSighting(
                    identity: frame.identity, measuredPower: frame.measuredPower, rssi: rssi)
                let news = monitor.sighted(sighting, at: now)
                if !news.isEmpty { actions += news }
                guard let handler else { continue }
                let regions = monitor.regions(of: sighting.identity)
                if !regions.isEmpty { handler(sighting, regions, now) }
            }
        } catch {
            // What stood before the cut has counted. Any device can send malformed data; it ends nothing.
            counters.malformed += 1
        }
        return actions
    }
}

extension ExtendedReportAssembler {
    /// The iBeacon in a report, with what earlier reports held of the same advertisement.
    @inlinable @inline(__always) mutating func frame(in report: LEAdvertisingReport) -> IBeaconFrame? {
        guard let data = data(report) else { return nil }
        return IBeaconFrame(advertisingData: data)
    }
}
