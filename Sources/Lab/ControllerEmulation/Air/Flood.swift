import HCI
import IBeacon
import OkaeriPlumbing

/// Very many adverts from very many addresses.
struct Flood: Sendable {
    struct Plan: Hashable, Sendable {
        enum Kind: String, Hashable, Sendable, CaseIterable {
            /// Manufacturer specific data that is not an iBeacon.
            case adverts

            case beacons
        }

        var count: Int
        var addresses: Int

        /// Adverts a second; nil: as fast as the host takes them.
        var rate: Int?

        /// The advertiser that takes the place of one of the addresses.
        var included: String?
        var kind: Kind
    }

    /// The number of advertisements in one turn of a flood at full speed: between turns commands are answered.
    static let turn = 64

    let plan: Plan

    /// The time of its beginning, in nanoseconds.
    private let began: Int64

    private(set) var sent = 0

    /// The number of advertisements that were reported.
    var heard = 0

    init(_ plan: Plan, at now: Int64) {
        self.plan = plan
        began = now
    }

    var isOver: Bool { sent == plan.count }

    var nextDeadline: Int64? {
        guard !isOver else { return nil }
        guard let rate = plan.rate else { return .min }
        return began + Int64((Double(sent) * 1e9 / Double(rate)).rounded(.up))
    }

    /// The number of the next advert that is due, from 0; nil when none is.
    mutating func next(at now: Int64) -> Int? {
        guard let nextDeadline, nextDeadline <= now else { return nil }
        sent += 1
        return sent - 1
    }

    func isIncluded(_ number: Int) -> Bool {
        plan.included != nil && number % plan.addresses == plan.addresses / 2
    }

    func advert(_ number: Int) -> AdvertisingReport {
        let index = number % plan.addresses
        let data: [UInt8] =
            switch plan.kind {
            case .adverts:
                // Flags, then the company identifier that is for tests.
                [2, ADType.flags, 0x06, 7, ADType.manufacturerSpecificData, 0xFF, 0xFF]
                    + [UInt8](littleEndian: UInt32(truncatingIfNeeded: index))
            case .beacons:
                IBeaconFrame(
                    identity: BeaconIdentity(
                        uuid: BeaconUUID(high: 0xF100_D000_0000_4000, low: 1 << 63 | UInt64(index)),
                        major: UInt16(truncatingIfNeeded: index >> 16), minor: UInt16(truncatingIfNeeded: index)),
                    measuredPower: -59
                ).advertisingData
            }
        return AdvertisingReport(
            address: AdvertiserDescription.randomStatic(UInt64(index)), addressType: .random,
            rssi: -40 - Int8(index % 50), data: data)
    }
}
