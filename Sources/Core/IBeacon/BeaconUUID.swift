import Plumbing

/// The 128-bit identifier that an owner gives to all their beacons; an RFC 9562 UUID without Foundation.
public struct BeaconUUID: Hashable, Sendable {
    /// The first eight bytes, most significant first, as they are sent.
    public let high: UInt64

    /// The last eight bytes.
    public let low: UInt64

    /// An identifier from its two halves.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }
}

extension BeaconUUID: Comparable {
    /// The order of the bytes, which is that of the text.
    public static func < (left: Self, right: Self) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }
}

extension BeaconUUID: LosslessStringConvertible {
    /// Reads `E2C56DB5-DFFB-48D2-B060-D0F5A71096E0`, or the 32 digits without hyphens, in either case.
    public init?(_ text: String) {
        guard let (high, low) = UUIDText.halves(text) else { return nil }
        self.init(high: high, low: low)
    }

    /// `E2C56DB5-DFFB-48D2-B060-D0F5A71096E0`: upper case, hyphenated, as beacon makers print it.
    public var description: String { UUIDText.text(high: high, low: low, uppercase: true) }
}
