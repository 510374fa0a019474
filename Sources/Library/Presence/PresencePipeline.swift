public import HCI
public import IBeacon
public import RegionMonitoring

/// The way from the bytes of an HCI event to the decision about the regions, the same for an adapter and a capture.
///
/// Inlinable, and public in a target that is not a product: other targets call `package` functions and do not inline
/// them, and every report passes through this code.
public struct PresencePipeline: Sendable {
    /// The numbers of received packets.
    public struct Counters: Sendable, Equatable {
        public var reports: UInt64 = 0
        /// The reports with iBeacons.
        public var iBeacons: UInt64 = 0
        /// The reports of phones of a region, apart from iBeacons.
        public var phones: UInt64 = 0
        /// Truncated or invalid events.
        public var malformed: UInt64 = 0

        @inlinable public var others: UInt64 { reports &- iBeacons &- phones }
    }

    /// Receives each sighting of a beacon that belongs to a region, after the decision.
    ///
    /// - Parameter regions: The positions of its regions in the monitor.
    public typealias SightingHandler =
        @Sendable (_ sighting: BeaconSighting, _ regions: [Int], _ now: Instant) -> Void

    /// Receives each advertisement, before the decision. Returns the identity of a beacon whose battery level is needed.
    public typealias Tap = @Sendable (Reception) -> BeaconIdentity?

    public var monitor: RegionMonitor
    /// Finds the phones of the monitor, in the order of its `phoneFiles`.
    public var phones = AddressResolver()
    /// The numbers of received packets so far.
    public var counters = Counters()
    /// The battery levels of the regions' beacons.
    public var batteries = BeaconBatteries()
    /// The receiver of all advertisements, at a machine that passes them on.
    @usableFromInline var tap: Tap?
    @usableFromInline var assembler = ExtendedReportAssembler()

    public init(_ monitor: RegionMonitor) {
        self.monitor = monitor
    }

    /// An HCI event came in: its bytes from the event code on, without the H4 packet type.
    ///
    /// - Parameter radio: The radio that received it.
    @inlinable @inline(__always) public mutating func received(
        event: RawSpan, by radio: RadioID = .own, at now: Instant, handler: SightingHandler? = nil
    ) -> [RegionMonitor.Action] {
        guard var reports = LEAdvertisingReports(event: event) else { return [] }
        var actions: [RegionMonitor.Action] = []
        do {
            while reports.remaining > 0, let report = try reports.next() {
                counters.reports += 1
                let rssi = report.rssi
                // Before the payload is looked at: a locked phone advertises what no parser knows.
                let phone = phones.device(of: report.address, report.addressType, at: now.nanoseconds)
                if let phone {
                    let news = phoneHeard(phone, rssi: rssi, by: radio, at: now, handler: handler)
                    if !news.isEmpty { actions += news }
                }
                var frames = assembler.frames(in: report)
                guard var frame = frames.next() else {
                    if let tap {
                        _ = tap(Reception(.device(report.address, report.addressType), rssi: rssi, at: now))
                    }
                    guard phone == nil else {
                        counters.phones += 1
                        continue
                    }
                    let address = report.address.rawValue
                    monitor.advertisementHeard(from: address, by: radio, at: now)
                    if batteries.isSender(address) {
                        advertisementReceived(
                            report.data, from: address, isConnectable: report.properties.contains(.connectable), at: now
                        )
                    }
                    continue
                }
                counters.iBeacons += 1
                while true {
                    if let tap,
                        let identity = tap(
                            Reception(.beacon(frame.identity, measuredPower: frame.measuredPower), rssi: rssi, at: now))
                    {
                        batteries.beaconHeard(
                            identity, from: report.address.rawValue,
                            isConnectable: report.properties.contains(.connectable), at: now)
                    }
                    var sighting = BeaconSighting(
                        identity: frame.identity, measuredPower: frame.measuredPower, rssi: rssi, radio: radio,
                        address: radio == .own ? report.address.rawValue : 0)
                    let news = monitor.sighted(normalizing: &sighting, at: now)
                    if !news.isEmpty { actions += news }
                    if let handler {
                        let regions = monitor.regions(of: sighting.identity)
                        if !regions.isEmpty {
                            batteries.beaconHeard(
                                sighting.identity, from: report.address.rawValue,
                                isConnectable: report.properties.contains(.connectable), at: now)
                            handler(sighting, regions, now)
                        }
                    }
                    guard let next = frames.next() else { break }
                    frame = next
                }
            }
        } catch {
            // The reports before the cut have counted. Any device can send malformed data, which must not end the
            // scan.
            counters.malformed += 1
        }
        return actions
    }

    /// Handles a reception by another radio of the house.
    package mutating func received(
        _ reception: Reception, by radio: RadioID, handler: SightingHandler? = nil
    ) -> [RegionMonitor.Action] {
        counters.reports += 1
        switch reception.sender {
        case .beacon(let identity, let measuredPower):
            counters.iBeacons += 1
            var sighting = BeaconSighting(
                identity: identity, measuredPower: measuredPower, rssi: reception.rssi, radio: radio)
            let actions = monitor.sighted(normalizing: &sighting, at: reception.time)
            let regions = monitor.regions(of: sighting.identity)
            if let handler, !regions.isEmpty { handler(sighting, regions, reception.time) }
            return actions
        case .device(let address, let type):
            guard let phone = phones.device(of: address, type, at: reception.time.nanoseconds) else {
                monitor.advertisementHeard(from: address.rawValue, by: radio, at: reception.time)
                return []
            }
            counters.phones += 1
            return phoneHeard(phone, rssi: reception.rssi, by: radio, at: reception.time, handler: handler)
        }
    }

    /// Handles the report of a phone. It is not evidence of a working receiver for others: a household leaves together.
    @usableFromInline mutating func phoneHeard(
        _ phone: Int, rssi: Int8?, by radio: RadioID, at now: Instant, handler: SightingHandler?
    ) -> [RegionMonitor.Action] {
        let actions = monitor.phoneSighted(phone, rssi: rssi, by: radio, at: now)
        guard let handler else { return actions }
        let regions = monitor.regions(ofPhone: phone)
        if !regions.isEmpty { handler(monitor.sighting(ofPhone: phone, rssi: rssi, by: radio), regions, now) }
        return actions
    }
}

extension ExtendedReportAssembler {
    /// The iBeacons in a report, with the data of earlier reports of the same advertisement; none before its last report.
    @inlinable @inline(__always) mutating func frames(in report: LEAdvertisingReport) -> IBeaconFrames {
        if let data = data(report) { return IBeaconFrames(data) }
        return IBeaconFrames(RawSpan())
    }
}
