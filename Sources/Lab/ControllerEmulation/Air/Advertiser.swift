import HCI

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
