import OkaeriPlumbing

/// The recent receptions of one device's addresses, which decide whether a further one proves that the device is in range.
///
/// A transmitter that invents addresses meets the hash of a key by chance, and does not learn when. So one reception is not a proof. Two
/// different addresses within ten minutes are one; so is one address that was received three times, each at least a second after the
/// last. Devices advertise once in two seconds at least and change their address every few minutes, so that an arrival is late by two
/// to four seconds, and a change of the address costs no time. A transmitter has to send each invented address three times.
struct AddressEvidence: Sendable {
    /// The order of a key's bytes.
    enum Order: Sendable { case stated, reversed }

    private struct Entry: Sendable {
        let address: BluetoothAddress
        let order: Order
        /// The number of receptions at least ``spacing`` apart, up to ``enough``.
        var count = 1
        /// The last reception, and the last one that counted.
        var heard, counted: Int64
    }

    /// The number of receptions of one address that are enough.
    static let enough = 3

    /// The time between two receptions that both count, in nanoseconds: those of several radios are of one advertisement.
    static let spacing: UInt64 = 1_000_000_000

    /// The time within which two different addresses are enough, in nanoseconds: the shortest exit time of a phone.
    static let companionTime: UInt64 = 600_000_000_000

    /// The maximum number of addresses. The one that was received longest ago makes room.
    static let limit = 8

    private var entries: [Entry] = []

    /// Whether at least two addresses resolve with the key in the wrong order of bytes, and none as it is written.
    var isReversed: Bool { entries.count > 1 && entries.allSatisfy { $0.order == .reversed } }

    /// Handles the reception of an address.
    ///
    /// - Parameter time: In nanoseconds. The receptions of several radios need not be in order.
    /// - Returns: Whether the device is in range.
    mutating func isEnough(with address: BluetoothAddress, _ order: Order, at time: Int64) -> Bool {
        let position = position(of: address, order, at: time)
        entries[position].heard = time
        if distance(entries[position].counted, time) >= Self.spacing {
            entries[position].counted = time
            entries[position].count = min(entries[position].count + 1, Self.enough)
        }
        return entries[position].count >= Self.enough
            || entries.contains { $0.address != address && distance($0.heard, time) <= Self.companionTime }
    }

    private mutating func position(of address: BluetoothAddress, _ order: Order, at time: Int64) -> Int {
        if let known = entries.firstIndex(where: { $0.address == address }) { return known }
        let entry = Entry(address: address, order: order, heard: time, counted: time)
        guard entries.count >= Self.limit,
            let oldest = entries.indices.min(by: { entries[$0].heard < entries[$1].heard })
        else {
            entries.append(entry)
            return entries.count - 1
        }
        entries[oldest] = entry
        return oldest
    }

    private func distance(_ one: Int64, _ other: Int64) -> UInt64 { one.subtractingClamped(other).magnitude }
}
