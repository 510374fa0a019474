import HCI
import OkaeriPlumbing

struct Advertiser: Sendable {
    /// The longest advertising data (Core Specification 5.4, Vol 4, Part E, Section 7.8.57).
    static let maximumDataLength = 1650

    var description: AdvertiserDescription
    var signal: Signal

    /// The time of its next advertisement; `nil`: it is silent.
    private(set) var next: Int64?

    /// The number of advertisements that were reported since it was started or described.
    var heard = 0

    init(_ description: AdvertiserDescription) {
        self.description = description
        signal = Signal(description.level)
    }

    mutating func start(at now: Int64) {
        next = now
        heard = 0
    }

    mutating func stop() {
        next = nil
    }

    /// Whether an advert is due; the next one is planned then. What was missed meanwhile is not made up for.
    mutating func isDue(at now: Int64) -> Bool {
        guard let due = next, due <= now else { return false }
        next = due + ((now - due) / description.interval + 1) * description.interval
        return true
    }

    func advert(at now: Int64) -> AdvertisingReport {
        let isLegacy = description.data.count <= AdvertisingReport.maximumLegacyDataLength
        var report = AdvertisingReport(
            address: description.address, addressType: description.addressType,
            properties: description.pdu.properties, rssi: signal.level(at: now), data: description.data)
        if isLegacy {
            report.properties.insert(.legacy)
        } else {
            report.secondaryPHY = 1
            report.advertisingSID = 0
        }
        return report
    }

    /// Returns the scan response to an active scanner; `nil` if it does not answer.
    func response(at now: Int64) -> AdvertisingReport? {
        guard description.pdu.isScannable, let response = description.response else { return nil }
        var report = advert(at: now)
        report.properties.insert(.scanResponse)
        report.data = response
        return report
    }
}

struct AdvertiserDescription: Hashable, Sendable {
    enum PDU: String, Hashable, Sendable, CaseIterable {
        case nonconnectable
        case scannable
        case connectable

        var properties: AdvertisingProperties {
            switch self {
            case .nonconnectable: []
            case .scannable: .scannable
            case .connectable: [.connectable, .scannable]
            }
        }

        var isScannable: Bool { properties.contains(.scannable) }
    }

    var name: String
    var address: BluetoothAddress
    var addressType: BluetoothAddressType
    var pdu: PDU
    var data: [UInt8]

    var response: [UInt8]?

    /// From one advert to the next, in nanoseconds.
    var interval: Int64

    /// In dBm.
    var level: Int8?

    /// A static random address that is made from a name, the same each time (Vol 6, Part B, Section 1.3.2.1).
    static func address(for name: String) -> BluetoothAddress {
        randomStatic(name.utf8.fnv1a)
    }

    static func randomStatic(_ bits: UInt64) -> BluetoothAddress {
        BluetoothAddress(
            low: UInt32(truncatingIfNeeded: bits), high: 0xC000 | UInt16(truncatingIfNeeded: bits >> 32))
    }
}

struct Signal: Hashable, Sendable {
    /// The values in dBm; nil: the controller cannot measure it. Never empty: the first is a property of its own.
    private let first: Int8?
    private let others: [Int8?]

    /// The duration of each, in nanoseconds; the last one stays.
    private let step: Int64

    /// The beginning of the first one.
    private let began: Int64

    init(_ level: Int8?) {
        self.init(first: level, others: [], step: 1, from: 0)
    }

    /// Several, one after the other.
    init(first: Int8?, others: [Int8?], step: Int64, from now: Int64) {
        self.first = first
        self.others = others
        self.step = max(1, step)
        began = now
    }

    func level(at now: Int64) -> Int8? {
        let index = min(Int(clamping: (now - began) / step), others.count)
        return index <= 0 ? first : others[index - 1]
    }
}

extension Int8? {
    /// `-70`, or `none`.
    var level: String { map(String.init) ?? "none" }
}

struct ReportBatch: Sendable {
    /// The time for which a batch that is not full waits, in nanoseconds.
    static let timeout: Int64 = 50_000_000

    /// The most reports in an event, within what the specification allows.
    var size = 1

    private var reports: [AdvertisingReport] = []
    private var family = CommandFamily.legacy

    /// The time at which it is sent as it is; `nil` if nothing waits.
    private(set) var deadline: Int64?

    /// Adds a report; returns the events that are full.
    mutating func append(
        _ report: AdvertisingReport, as family: CommandFamily, at now: Int64
    ) throws(HCIEncodingError) -> [[UInt8]] {
        var packets: [[UInt8]] = []
        if self.family != family || !fits(report) { packets += try flush() }
        self.family = family
        if reports.isEmpty { deadline = now + Self.timeout }
        reports.append(report)
        if reports.count >= min(size, limit) { packets += try flush() }
        return packets
    }

    mutating func flush() throws(HCIEncodingError) -> [[UInt8]] {
        guard !reports.isEmpty else { return [] }
        let event: HCIEvent
        switch family {
        case .legacy: event = try .advertisingReports(reports)
        case .extended: event = try .extendedAdvertisingReports(reports)
        }
        discard()
        return [try event.packet()]
    }

    /// The scan is over: what waits is lost.
    mutating func discard() {
        reports = []
        deadline = nil
    }

    private var limit: Int {
        switch family {
        case .legacy: HCIEvent.maximumLegacyReports
        case .extended: HCIEvent.maximumExtendedReports
        }
    }

    /// Whether one more report fits into the event, beside the subevent's number and the count.
    private func fits(_ report: AdvertisingReport) -> Bool {
        let header: Int
        switch family {
        case .legacy: header = 10
        case .extended: header = 24
        }
        return (reports + [report]).reduce(2) { $0 + header + $1.data.count } <= HCIEvent.maximumParameterLength
    }
}

extension AdvertisingReport {
    /// As many reports as the data needs (Vol 4, Part E, Section 7.7.65.13).
    var fragments: [AdvertisingReport] {
        guard data.count > Self.maximumExtendedDataLength else { return [self] }
        return stride(from: 0, to: data.count, by: Self.maximumExtendedDataLength).map { start in
            var fragment = self
            fragment.data = Array(data[start...].prefix(Self.maximumExtendedDataLength))
            fragment.dataStatus = start + fragment.data.count < data.count ? .incomplete : .complete
            return fragment
        }
    }
}
