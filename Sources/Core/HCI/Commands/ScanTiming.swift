import Plumbing

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
