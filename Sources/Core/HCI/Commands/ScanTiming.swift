import OkaeriPlumbing

/// The interval at which the controller starts to receive, and the length of each window.
public struct ScanTiming: Hashable, Sendable {
    /// From the start of one window to the start of the next.
    public let interval: ScanTime

    /// The length of the window in each interval; at most the interval.
    public let window: ScanTime

    /// A timing; throws when the window is longer than the interval (Vol 4, Part E, Section 7.8.10).
    public init(interval: ScanTime, window: ScanTime) throws(HCIDecodingError) {
        guard window <= interval else {
            throw .invalidValue(
                field: "scan window", value: Int(window.units), allowed: "at most the interval, \(interval.units)")
        }
        self.interval = interval
        self.window = window
    }

    private init(known interval: ScanTime, _ window: ScanTime) {
        self.interval = interval
        self.window = window
    }

    /// Every 88.75 ms for 44.375 ms. A Raspberry Pi shares one antenna between Bluetooth and Wi-Fi: a window as long as
    /// the interval would take it away from 2.4 GHz Wi-Fi.
    ///
    /// No usual advertising interval is a multiple of the interval, or near to one. Such a beacon would stay in the same
    /// part of the interval for a long time, and many of its advertisements in a row would be missed: of a beacon with 1 s
    /// and an interval of 100 ms 16, of any usual beacon with this one 6 at most, once in 1000 advertisements.
    /// Benchmarks/Scan/intervals.py computes them, and Benchmarks/README.md has the table.
    public static let shared = ScanTiming(known: .usualInterval, .halfInterval)

    /// A window as long as the interval: every advertisement is received, and 2.4 GHz Wi-Fi on the same antenna is slow.
    public static let continuous = ScanTiming(known: .usualInterval, .usualInterval)

    /// The share of the time in which the controller receives: window / interval, above 0 and at most 1.
    public var share: Double { Double(window.units) / Double(interval.units) }

    /// Reads interval and window, in the order of both scan parameter commands.
    init(decoding reader: inout ByteReader) throws(HCIDecodingError) {
        let interval = try ScanTime(units: try reader.integer())
        let window = try ScanTime(units: try reader.integer())
        try self.init(interval: interval, window: window)
    }

    func encode(into bytes: inout [UInt8]) {
        bytes.append(littleEndian: interval.units)
        bytes.append(littleEndian: window.units)
    }
}

/// A scan interval or window, in the controller's units of 0.625 ms.
///
/// Bluetooth Core Specification 5.4, Vol 4, Part E, Section 7.8.10: 0x0004 to 0x4000, that is 2.5 ms to 10.24 s.
/// Extended scanning would allow more; one range for both keeps them exchangeable.
public struct ScanTime: Hashable, Comparable, Sendable {
    /// The range that the specification allows, in units.
    public static let range: ClosedRange<UInt16> = 0x0004...0x4000

    /// Milliseconds in a unit.
    public static let millisecondsPerUnit = 0.625

    /// The time in units of 0.625 ms.
    public let units: UInt16

    /// A time from units; throws outside of `range`.
    public init(units: UInt16) throws(HCIDecodingError) {
        guard Self.range.contains(units) else {
            throw .invalidValue(field: "scan time", value: Int(units), allowed: "4 to 16384 units of 0.625 ms")
        }
        self.units = units
    }

    /// A time from milliseconds, rounded to the nearest unit; throws outside of 2.5 to 10,240 ms.
    public init(milliseconds: Double) throws(HCIDecodingError) {
        let units = (milliseconds / Self.millisecondsPerUnit).rounded()
        guard units >= Double(Self.range.lowerBound), units <= Double(Self.range.upperBound) else {
            let value = Int(exactly: milliseconds.rounded()) ?? 0
            throw .invalidValue(field: "scan time", value: value, allowed: "2.5 to 10240 ms")
        }
        self.units = UInt16(units)
    }

    /// For times which are known to be in range when this file is written.
    private init(known units: UInt16) {
        self.units = units
    }

    /// The time in milliseconds.
    public var milliseconds: Double { Double(units) * Self.millisecondsPerUnit }

    public static func < (left: ScanTime, right: ScanTime) -> Bool {
        left.units < right.units
    }
}

extension ScanTime {
    /// 88.75 ms, see ``ScanTiming/shared``.
    static let usualInterval = ScanTime(known: 142)

    /// Half of ``usualInterval``.
    static let halfInterval = ScanTime(known: 71)
}

/// Whether the scanner asks advertisers for more.
public enum ScanType: UInt8, Hashable, Sendable {
    /// Listens only, sends nothing.
    case passive = 0x00

    /// Asks scannable advertisers for their scan response.
    case active = 0x01

    init(decoding value: UInt8) throws(HCIDecodingError) {
        guard let type = ScanType(rawValue: value) else {
            throw .invalidValue(field: "scan type", value: Int(value), allowed: "0 (passive) or 1 (active)")
        }
        self = type
    }
}

/// The advertisements that the controller reports (Vol 4, Part E, Section 7.8.10).
public enum ScanFilterPolicy: UInt8, Hashable, Sendable {
    /// All advertisements except those directed at another device.
    case everyone = 0x00

    /// Advertisements of devices in the Filter Accept List, except those directed at another device.
    case acceptListOnly = 0x01

    /// All adverts, also those directed at a resolvable private address, which the host may resolve.
    case everyoneResolvingDirected = 0x02

    /// Adverts of devices in the Filter Accept List, also those directed at a resolvable private address.
    case acceptListOnlyResolvingDirected = 0x03

    /// Whether the controller reports devices that are not in the list.
    public var reportsUnknownDevices: Bool {
        switch self {
        case .everyone, .everyoneResolvingDirected: true
        case .acceptListOnly, .acceptListOnlyResolvingDirected: false
        }
    }

    init(decoding value: UInt8) throws(HCIDecodingError) {
        guard let policy = ScanFilterPolicy(rawValue: value) else {
            throw .invalidValue(field: "scan filter policy", value: Int(value), allowed: "0 to 3")
        }
        self = policy
    }
}

/// The type of address that the scanner itself uses (Vol 4, Part E, Section 7.8.10).
public enum OwnAddressType: UInt8, Hashable, Sendable {
    /// The adapter's public address.
    case `public` = 0x00

    /// The address that LE Set Random Address has set.
    case random = 0x01

    /// A resolvable private address the controller makes; the public one where it has no key for it.
    case resolvableOrPublic = 0x02

    /// A resolvable private address the controller makes; the random one where it has no key for it.
    case resolvableOrRandom = 0x03

    init(decoding value: UInt8) throws(HCIDecodingError) {
        guard let type = OwnAddressType(rawValue: value) else {
            throw .invalidValue(field: "own address type", value: Int(value), allowed: "0 to 3")
        }
        self = type
    }
}
