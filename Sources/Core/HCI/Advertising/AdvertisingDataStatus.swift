/// Whether a report holds all of the advertising data.
///
/// Bluetooth Core Specification 5.4, Vol 4, Part E, Section 7.7.65.13, bits 5 and 6 of the event type.
public enum AdvertisingDataStatus: Hashable, Sendable {
    /// It does, or these are the last of the data.
    case complete

    /// The next report of this advertiser goes on.
    case incomplete

    /// The rest was lost.
    case truncated

    init(eventType: UInt16) {
        switch eventType >> 5 & 0b11 {
        case 0b00: self = .complete
        case 0b01: self = .incomplete
        // 0b11 is reserved: nothing announces more.
        default: self = .truncated
        }
    }

    var eventType: UInt16 {
        switch self {
        case .complete: 0b00 << 5
        case .incomplete: 0b01 << 5
        case .truncated: 0b10 << 5
        }
    }
}
