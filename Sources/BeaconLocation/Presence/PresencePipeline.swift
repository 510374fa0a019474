public import HCI
public import IBeacon
public import RegionMonitoring

/// The way from the bytes of an HCI event to the decision who is here, the same for an adapter and a capture.
///
/// Inlinable and public, for every report of a replay goes this way out of another module, and what is not public is called
/// rather than inlined there: that cost a third more time.
public struct PresencePipeline: Sendable {
    /// What came by.
    public struct Counters: Sendable, Equatable, Codable {
        /// LE advertising reports, of whatever content.
        public var reports: UInt64 = 0
        /// Those that were iBeacons.
        public var iBeacons: UInt64 = 0
        /// Events that were cut or otherwise unsound.
        public var malformed: UInt64 = 0

        /// So many of each.
        public init(reports: UInt64 = 0, iBeacons: UInt64 = 0, malformed: UInt64 = 0) {
            self.reports = reports
            self.iBeacons = iBeacons
            self.malformed = malformed
        }
    }

    /// What decides.
    public var monitor: RegionMonitor
    /// What came by so far.
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
    ///   - now: when it came.
    ///   - heard: is given each sighting in it.
    /// - Returns: what is to be announced.
    @inlinable @inline(__always) public mutating func received(
        event: RawSpan, at now: Instant, heard: (BeaconSighting) -> Void = { _ in }
    ) -> [RegionMonitor.Action] {
        guard var reports = LEAdvertisingReports(event: event) else { return [] }
        var actions: [RegionMonitor.Action] = []
        do {
            while reports.remaining > 0, let report = try reports.next() {
                counters.reports += 1
                let rssi = report.rssi
                monitor.advertisementHeard(from: report.address.rawValue, at: now)
                guard let frame = frame(in: report) else { continue }
                counters.iBeacons += 1
                let sighting = BeaconSighting(
                    identity: frame.identity, measuredPower: frame.measuredPower, rssi: rssi)
                heard(sighting)
                let news = monitor.sighted(sighting, at: now)
                if !news.isEmpty { actions += news }
            }
        } catch {
            // What stood before the cut has counted. Anybody can send rubbish; it ends nothing.
            counters.malformed += 1
        }
        return actions
    }

    /// The iBeacon in a report, with what earlier reports held of the same advertisement.
    @inlinable @inline(__always) mutating func frame(in report: LEAdvertisingReport) -> IBeaconFrame? {
        guard let data = assembler.data(report) else { return nil }
        return IBeaconFrame(advertisingData: data)
    }
}
