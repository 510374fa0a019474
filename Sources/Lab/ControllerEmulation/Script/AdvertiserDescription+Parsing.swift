import HCI
import IBeacon

extension AdvertiserDescription {
    /// The range for legacy advertising (Vol 4, Part E, Section 7.8.5), in nanoseconds.
    private static let intervals: ClosedRange<Int64> = 20_000_000...10_240_000_000

    private init(name: String, data: [UInt8]) {
        self.init(
            name: name, address: Self.address(for: name), addressType: .random, pdu: .nonconnectable, data: data,
            response: nil, interval: 100_000_000, level: -70)
    }

    static func beacon(_ line: inout Arguments) throws(ScriptMistake) -> AdvertiserDescription {
        let name = try line.word("a name", Value.name)
        let identity = BeaconIdentity(
            uuid: try line.required("uuid", Value.uuid), major: try line.required("major", Value.integer()),
            minor: try line.required("minor", Value.integer()))
        let power: Int8 = try line.setting("power", Value.integer()) ?? -59
        let frame = IBeaconFrame(identity: identity, measuredPower: power)
        var description = AdvertiserDescription(name: name, data: frame.advertisingData)
        try description.readSettings(&line)
        return description
    }

    static func raw(_ line: inout Arguments) throws(ScriptMistake) -> AdvertiserDescription {
        let name = try line.word("a name", Value.name)
        let data = try line.required("data", Value.bytes(limit: Advertiser.maximumDataLength))
        var description = AdvertiserDescription(name: name, data: data)
        description.response = try line.setting(
            "response", Value.bytes(limit: AdvertisingReport.maximumLegacyDataLength))
        description.pdu = try line.setting("type", Value.choice()) ?? .nonconnectable
        if description.response != nil, !description.pdu.isScannable {
            throw ScriptMistake(found: "a response of what is not scannable", expected: "type=scannable or connectable")
        }
        if data.count > AdvertisingReport.maximumLegacyDataLength, description.pdu.isScannable {
            // A scannable extended PDU has no advertising data (Vol 4, Part E, Section 7.8.54).
            throw ScriptMistake(
                found: "\(data.count) bytes of data of what is \(description.pdu.rawValue)",
                expected: "at most \(AdvertisingReport.maximumLegacyDataLength), or type=nonconnectable")
        }
        try description.readSettings(&line)
        return description
    }

    private mutating func readSettings(_ line: inout Arguments) throws(ScriptMistake) {
        address = try line.setting("address", Value.address) ?? address
        if let type: AddressType = try line.setting("address-type", Value.choice()) {
            switch type {
            case .public: addressType = .public
            case .random: addressType = .random
            }
        }
        interval = try line.setting("interval", Value.time(in: Self.intervals)) ?? interval
        level = try line.setting("rssi", Value.level) ?? level
    }

    private enum AddressType: String, CaseIterable {
        case `public`
        case random
    }
}

extension Flood.Plan {
    init(_ line: inout Arguments) throws(ScriptMistake) {
        count = try line.required("count", Value.integer(in: 1...10_000_000))
        addresses = try line.setting("addresses", Value.integer(in: 1...1_000_000)) ?? 1000
        rate = try line.setting("rate", Self.rate) ?? nil
        included = try line.setting("include", Value.name)
        kind = try line.setting("kind", Value.choice()) ?? .adverts
    }

    /// `max`, which is no number, or so many a second.
    private static func rate(_ text: String) throws(ScriptMistake) -> Int? {
        text == "max" ? nil : try Value.integer(in: 1...1_000_000)(text)
    }
}
