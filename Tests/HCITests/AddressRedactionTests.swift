import HCI
import OkaeriTestSupport
import Testing

private struct Mixing: AddressHash {
    func hash(_ random: UInt32) -> UInt32 { (random &* 0x9E37_79B1) >> 7 & 0xFF_FFFF }
}

struct AddressRedactionTests {
    private let redaction = AddressRedaction(cipher: Mixing())

    private func event(_ reports: [AdvertisingReport], isExtended: Bool) throws -> [UInt8] {
        let event = try isExtended ? HCIEvent.extendedAdvertisingReports(reports) : HCIEvent.advertisingReports(reports)
        return Array(try event.packet().dropFirst())
    }

    private struct Parts {
        var address: BluetoothAddress
        var data: [UInt8]
        var rssi: Int8?
    }

    private func reports(_ event: [UInt8]) throws -> [Parts] {
        var found: [Parts] = []
        if var reports = LEAdvertisingReports(event: event.span.bytes) {
            while let report = try reports.next() {
                let copy = AdvertisingReport(report)
                found.append(Parts(address: report.address, data: copy.data, rssi: copy.rssi))
            }
        }
        return found
    }

    private func redacted(_ event: [UInt8]) throws -> [Parts] {
        let bytes = redaction.redacted(event.span.bytes)
        return try reports(try #require(bytes))
    }

    private func of(_ text: String) throws -> BluetoothAddress { try #require(BluetoothAddress(text)) }

    @Test(arguments: [false, true])
    func `each address is replaced by the same one, and nothing else changes`(isExtended: Bool) throws {
        let texts = ["70:81:94:0D:FB:AA", "C0:11:22:33:44:55", "70:81:94:0D:FB:AA", "01:02:03:04:05:06"]
        let originals = try texts.enumerated().map { index, text in
            AdvertisingReport(
                address: try of(text), addressType: .random, rssi: -60,
                data: [UInt8](repeating: 7, count: index * 5))
        }
        let addresses = try texts.map(of)
        let before = try event(originals, isExtended: isExtended)
        let after = try redacted(before)
        #expect(after.map(\.data) == originals.map(\.data) && after.map(\.rssi) == originals.map(\.rssi))
        #expect(after[0].address == after[2].address)
        #expect(Set(after.map(\.address)).isDisjoint(with: addresses))
        #expect(Set(after.map(\.address)).count == 3)
        #expect(after.map { $0.address.rawValue >> 46 } == addresses.map { $0.rawValue >> 46 })
    }

    @Test func `different addresses stay different`() throws {
        let numbers = (0..<2000 as Range<UInt32>).map { $0 &* 7919 }
        let events = try numbers.map {
            try event([.init(address: .init(low: $0, high: 0x4000), rssi: nil, data: [])], isExtended: false)
        }
        let after = try events.map { try redacted($0)[0].address }
        #expect(Set(after).count == numbers.count)
    }

    @Test func `an event without a known place of its addresses has no redaction`() throws {
        let whole = try event(
            [.init(address: try of("70:81:94:0D:FB:AA"), rssi: -60, data: [1, 0])], isExtended: false)
        for cut in 0..<whole.count {
            let event = Array(whole[..<cut])
            let bytes = redaction.redacted(event.span.bytes)
            #expect(bytes == nil)
        }
        var connection = whole
        connection[2] = 0x01
        let bytes = redaction.redacted(connection.span.bytes)
        #expect(bytes == nil)
    }

    /// Bytes behind the last counted report, and bytes behind the end that the event announces.
    @Test(arguments: [false, true], [false, true])
    func `what is not part of a report is not in the result`(isExtended: Bool, isAnnounced: Bool) throws {
        let report = AdvertisingReport(
            address: try of("70:81:94:0D:FB:AA"), addressType: .random, rssi: -60, data: [2, 1, 6])
        let whole = try event([report], isExtended: isExtended)
        var longer = whole + [3, 1, 0xAA, 0xFB, 0x0D, 0x94, 0x81, 0x70, 0, 0xC4]
        if isAnnounced { longer[1] += 10 }
        let bytes = redaction.redacted(longer.span.bytes)
        let expected = redaction.redacted(whole.span.bytes)
        #expect(bytes == expected && bytes?.count == whole.count)
    }

    @Test func `random events are never a trap`() {
        var dice = SeededGenerator(seed: 33)
        for _ in 0..<20_000 {
            var bytes = dice.bytes(Int.random(in: 0...120, using: &dice))
            if bytes.count > 3 {
                bytes.replaceSubrange(0..<3, with: [0x3E, UInt8(bytes.count - 2), [2, 13][bytes.count % 2]])
            }
            _ = redaction.redacted(bytes.span.bytes)
        }
    }
}
