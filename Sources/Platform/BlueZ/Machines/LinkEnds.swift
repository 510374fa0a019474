/// The last end of a connection of each device. A connection that ends and begins again between two looks is noticed by the
/// number of its end, which rises.
struct LinkEnds: Sendable, Equatable {
    struct End: Sendable, Equatable {
        /// The address of the device: `DC:A6:32:01:02:03`.
        var address: String
        /// The number of the end, from 1, among those of all devices.
        var number: UInt64
        /// `nil` before bluetoothd 5.82, and if it has signalled none.
        var reason: DisconnectionReason?
    }

    /// The maximum number of devices. Beyond it the device that was connected last the longest ago is dropped.
    static let limit = 256

    private var count: UInt64 = 0
    private var ends: [String: End] = [:]

    /// The reasons that were signalled for connections that have not ended yet, by the object of the device.
    private var reasons: [String: DisconnectionReason] = [:]

    /// Records the signal of a reason. bluetoothd sends it before it signals that the device is not connected any more.
    mutating func received(_ reason: DisconnectionReason, of device: String, isConnected: Bool) {
        if isConnected {
            if reasons.count < Self.limit || reasons[device] != nil { reasons[device] = reason }
        } else if let end = ends[device], end.reason == nil {
            ends[device]?.reason = reason
        }
    }

    /// Records that the connection of a device has ended.
    mutating func ended(_ device: String, address: String) {
        count += 1
        ends[device] = End(address: address, number: count, reason: reasons.removeValue(forKey: device))
        guard ends.count > Self.limit else { return }
        if let oldest = ends.min(by: { $0.value.number < $1.value.number })?.key { ends[oldest] = nil }
    }

    /// Returns the last end of a connection to an address.
    func last(of address: String) -> End? {
        ends.values.filter { $0.address == address.uppercased() }.max { $0.number < $1.number }
    }

    /// Returns the reason of an end that is later than another one; `nil` if there was none since.
    func reason(of address: String, after number: UInt64) -> DisconnectionReason? {
        last(of: address).flatMap { $0.number > number ? $0.reason : nil }
    }

    /// Returns the number of the last end of a connection to an address; 0 if there was none.
    func number(of address: String) -> UInt64 { last(of: address)?.number ?? 0 }
}
