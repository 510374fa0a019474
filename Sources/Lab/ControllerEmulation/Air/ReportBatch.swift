import HCI

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
