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
