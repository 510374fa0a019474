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

    /// Every 100 ms for 50 ms. A Raspberry Pi shares one antenna between Bluetooth and Wi-Fi: a window as long as the
    /// interval would take it away from 2.4 GHz Wi-Fi. Half of the time still catches every second advert of a beacon.
    public static let shared = ScanTiming(known: .hundredMilliseconds, .fiftyMilliseconds)

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
