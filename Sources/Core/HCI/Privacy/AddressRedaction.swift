import OkaeriPlumbing

/// Replaces the addresses in advertising events, for captures that are given away.
package struct AddressRedaction: Sendable {
    private let cipher: any AddressHash

    /// - Parameter cipher: The cipher of a key that is random for each recording, and discarded with it.
    package init(cipher: any AddressHash) { self.cipher = cipher }

    /// Returns an event with replaced addresses, up to the end of its last report: what follows may hold other addresses. `nil` for an event that is not an advertising report or is damaged, whose addresses are not
    /// found.
    ///
    /// - Parameter event: The event from its code on.
    package func redacted(_ event: RawSpan) -> [UInt8]? {
        guard var reports = LEAdvertisingReports(event: event) else { return nil }
        while reports.remaining > 0 { guard (try? reports.next()) != nil else { return nil } }
        var bytes = [UInt8](event)
        // Both forms begin with the type of the event, of one byte or two, and end with the data and its length.
        let isExtended = bytes[2] == LESubevent.extendedAdvertisingReport.rawValue
        let (own, header, trailer) = isExtended ? (3, 24, 0) : (2, 9, 1)
        var start = 4
        for _ in 0..<bytes[3] {
            replace(&bytes, at: start + own)
            if isExtended { replace(&bytes, at: start + 17) }
            start += header + Int(bytes[start + header - 1]) + trailer
        }
        bytes.removeSubrange(start...)
        bytes[1] = UInt8(start - 2)
        return bytes
    }

    /// Replaces the six bytes at an offset, the same ones by the same ones. The kind of a random address stays, in its two upper bits.
    private func replace(_ bytes: inout [UInt8], at offset: Int) {
        let address = bytes[offset..<offset + 6]
        // No address: an anonymous advertiser, or a report that is not directed.
        guard address.contains(where: { $0 != 0 }) else { return }
        let number = address.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let (low, high) = (UInt32(truncatingIfNeeded: number) & 0xFF_FFFF, UInt32(truncatingIfNeeded: number >> 24))
        // Two rounds, so that each half depends on the whole address.
        let first = cipher.hash(low ^ 0x0100_0000) ^ high
        let second = cipher.hash(first & 0xFF_FFFF ^ 0x0200_0000) ^ low
        let replaced = UInt64(first & 0x3F_FFFF | high & 0xC0_0000) << 24 | UInt64(second & 0xFF_FFFF)
        for byte in 0..<6 { bytes[offset + byte] = UInt8(truncatingIfNeeded: replaced >> UInt64(8 * byte)) }
    }
}
