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

    /// The order of the key's bytes, while no address in the other one needs to be tried; `nil`: both are.
    ///
    /// Two addresses within ``companionTime``, each of them a proof by itself, make an order known, if no address in the other one is
    /// stored. It stays known until the device was not received for that time. Until then the device counts as in range anyway: an order
    /// that was met by chance hides no arrival. The first order that was known is the only one that ever is.
    private(set) var known: Order?
    private var firstKnown: Order?
    private var lastHeard = Int64.min

    /// The time from which on a known order has to be ended by ``ended(at:)``; the maximum without one.
    var end: Int64 { known == nil ? .max : lastHeard.addingClamped(Int64(Self.companionTime)) }

    /// Ends a known order whose time is over.
    mutating func ended(at time: Int64) {
        if time > end { known = nil }
    }

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
        lastHeard = max(lastHeard, time)
        if entries.contains(where: { $0.order != order }) {
            known = nil
        } else if known == nil, firstKnown ?? order == order, isProved(at: time) {
            (known, firstKnown) = (order, order)
        }
        return entries[position].count >= Self.enough
            || entries.contains { $0.address != address && distance($0.heard, time) <= Self.companionTime }
    }

    /// Whether several addresses of late are proofs, each by itself.
    private func isProved(at time: Int64) -> Bool {
        entries.count { $0.count >= Self.enough && distance($0.heard, time) <= Self.companionTime } > 1
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
