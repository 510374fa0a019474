import HCI
import Testing

@Suite struct LEAdvertisingReportsTests {
    /// Written by hand from the specification: a non-connectable advert of 3 bytes, -60 dBm.
    static let legacyPacket: [UInt8] = [
        0x04, 0x3E, 0x0F, 0x02, 0x01, 0x03, 0x01, 0x56, 0x34, 0x12, 0xEE, 0xFF, 0xC0, 0x03, 0x02, 0x01, 0x06, 0xC4,
    ]

    @Test func `a legacy report is read as the specification defines it`() throws {
        let (reports, error) = try #require(readAll(Self.legacyPacket))
        #expect(error == nil)
        #expect(reports == [try .sample()])
        #expect(try HCIEvent.advertisingReports(reports).packet() == Self.legacyPacket)
    }

    @Test func `an extended report is read as the specification defines it`() throws {
        let packet: [UInt8] = [
            0x04, 0x3E, 0x1D, 0x0D, 0x01, 0x21, 0x00, 0x00, 0x56, 0x34, 0x12, 0xEE, 0xFF, 0xC0, 0x01, 0x02, 0x03, 0x04,
            0xB9, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03, 0x02, 0x01, 0x06,
        ]
        let (reports, error) = try #require(readAll(packet))
        #expect(error == nil)
        #expect(reports == [try .extendedSample(status: .incomplete)])
        #expect(try HCIEvent.extendedAdvertisingReports(reports).packet() == packet)
    }

    @Test(
        arguments: [
            (0x00, [.legacy, .connectable, .scannable]), (0x01, [.legacy, .connectable, .directed]),
            (0x02, [.legacy, .scannable]), (0x03, .legacy), (0x04, [.legacy, .scannable, .scanResponse]),
        ] as [(UInt8, AdvertisingProperties)])
    func `legacy event types are properties`(_ type: UInt8, _ properties: AdvertisingProperties) throws {
        var packet = Self.legacyPacket
        packet[5] = type
        let report = try #require(readAll(packet)?.reports.first)
        #expect(report.properties == properties)
        #expect(try HCIEvent.advertisingReports([report]).packet() == packet)
    }

    @Test func `a reserved event type is still an advertisement`() throws {
        var packet = Self.legacyPacket
        packet[5] = 0x77
        #expect(try #require(readAll(packet)?.reports.first).properties == .legacy)
    }

    @Test func `the signal may be unknown`() throws {
        let packet = try HCIEvent.advertisingReports([.sample(rssi: nil)]).packet()
        #expect(packet.last == 127)
        #expect(try #require(readAll(packet)).reports == [try .sample(rssi: nil)])
        for rssi in [-127, -1, 1, 20] as [Int8] {
            let packet = try HCIEvent.advertisingReports([.sample(rssi: rssi)]).packet()
            #expect(try #require(readAll(packet)?.reports.first).rssi == rssi)
        }
    }

    @Test(arguments: [Int8.min, 0, 21, 126, 127]) func `a strength that no receiver measures is unknown`(rssi: Int8)
        throws
    {
        let report = try AdvertisingReport.sample(rssi: rssi)
        let packets = [
            try HCIEvent.advertisingReports([report]).packet(),
            try HCIEvent.extendedAdvertisingReports([report]).packet(),
        ]
        for packet in packets {
            #expect(try #require(readAll(packet)?.reports.first).rssi == nil)
        }
    }

    @Test func `a transmit power of 0 dBm is a power`() throws {
        let report = try AdvertisingReport.sample(rssi: -60, transmitPower: 0)
        let packet = try HCIEvent.extendedAdvertisingReports([report]).packet()
        #expect(try #require(readAll(packet)?.reports.first).transmitPower == 0)
    }

    @Test(
        arguments: [
            (0x00, .complete), (0x20, .incomplete), (0x40, .truncated), (0x60, .truncated),
        ] as [(UInt8, AdvertisingDataStatus)])
    func `the data status is bits 5 and 6`(_ bits: UInt8, _ status: AdvertisingDataStatus) throws {
        var packet = try HCIEvent.extendedAdvertisingReports([.extendedSample()]).packet()
        packet[5] |= bits
        #expect(try #require(readAll(packet)?.reports.first).dataStatus == status)
    }

    @Test func `several reports lie one after another`() throws {
        let legacy = try (0..<4).map {
            try AdvertisingReport.sample(rssi: -1 - Int8($0), data: [UInt8](repeating: 9, count: $0))
        }
        #expect(try #require(readAll(HCIEvent.advertisingReports(legacy).packet())).reports == legacy)
        let extended = try (0..<4).map {
            try AdvertisingReport.extendedSample(sid: UInt8($0), data: [UInt8](repeating: 7, count: 5 * $0))
        }
        #expect(try #require(readAll(HCIEvent.extendedAdvertisingReports(extended).packet())).reports == extended)
    }

    @Test func `reports before a cut are delivered`() throws {
        let reports = try [AdvertisingReport.sample(rssi: -1), .sample(rssi: -2), .sample(rssi: -3)]
        let packet = try HCIEvent.advertisingReports(reports).packet()
        // Each report takes 13 bytes after a head of 5.
        for length in 5..<packet.count {
            let (read, error) = try #require(readAll(Array(packet.prefix(length))))
            #expect(read == Array(reports.prefix((length - 5) / 13)))
            let cut = try #require(error)
            #expect(cut.offset + cut.needed > length)
            #expect(cut.offset <= length)
        }
    }

    @Test func `an extended report is checked at every length`() throws {
        let reports = try [AdvertisingReport.extendedSample(), .extendedSample(sid: nil)]
        let packet = try HCIEvent.extendedAdvertisingReports(reports).packet()
        for length in 5..<packet.count {
            let (read, error) = try #require(readAll(Array(packet.prefix(length))))
            #expect(read == Array(reports.prefix((length - 5) / 27)))
            #expect(error != nil)
        }
    }

    @Test func `the announced length ends the event even when bytes follow`() throws {
        var packet = Self.legacyPacket
        packet[2] -= 1
        let (reports, error) = try #require(readAll(packet))
        #expect(reports.isEmpty)
        #expect(error?.description == "cut at byte 17: a length of 1 is announced, 0 is there")
    }

    @Test func `after an error no report follows`() throws {
        var packet = Self.legacyPacket
        packet[4] = 3
        guard var reports = LEAdvertisingReports(packet.span.bytes) else {
            Issue.record("no report event")
            return
        }
        var errors = 0
        var delivered = 0
        for _ in 0..<4 {
            do {
                if try reports.next() != nil { delivered += 1 }
            } catch {
                errors += 1
            }
        }
        #expect(delivered == 1)
        #expect(errors == 1)
        #expect(reports.remaining == 0)
    }

    @Test func `an event without its packet type is read the same`() throws {
        let event = Array(Self.legacyPacket.dropFirst())
        for length in 0...event.count {
            guard var reports = LEAdvertisingReports(event: event.span.bytes.extracting(first: length)) else {
                #expect(length < 4)
                continue
            }
            #expect(length >= 4)
            let rssi = try? reports.next()?.rssi
            #expect(rssi == (length == event.count ? -60 : nil))
        }
        let isTaken = LEAdvertisingReports(event: Self.legacyPacket.span.bytes) != nil
        #expect(!isTaken)
    }

    @Test func `no reports are not an error`() throws {
        let (reports, error) = try #require(readAll([0x04, 0x3E, 0x02, 0x02, 0x00]))
        #expect(reports.isEmpty)
        #expect(error == nil)
    }

    @Test(
        arguments: [
            [], [0x04], [0x04, 0x3E, 0x02, 0x02], [0x01, 0x3E, 0x02, 0x02, 0x01], [0x04, 0x0E, 0x02, 0x02, 0x01],
            [0x04, 0x3E, 0x02, 0x0B, 0x01], [0x04, 0x3E, 0x01, 0x02, 0x01], [0x04, 0x3E, 0x00, 0x02, 0x01],
        ] as [[UInt8]])
    func `other packets are not reports`(_ packet: [UInt8]) {
        #expect(readAll(packet) == nil)
    }

    @Test func `an event has a maximum length`() throws {
        let empty = try AdvertisingReport.sample(data: [])
        #expect(try HCIEvent.advertisingReports(Array(repeating: empty, count: 25)).packet().count == 5 + 250)
        #expect(throws: HCIEncodingError.tooManyReports(count: 26, limit: 25)) {
            try HCIEvent.advertisingReports(Array(repeating: empty, count: 26))
        }
        let extended = try AdvertisingReport.extendedSample(data: [])
        #expect(
            try HCIEvent.extendedAdvertisingReports(Array(repeating: extended, count: 10)).packet().count == 5 + 240)
        #expect(throws: HCIEncodingError.tooManyReports(count: 11, limit: 10)) {
            try HCIEvent.extendedAdvertisingReports(Array(repeating: extended, count: 11))
        }
    }

    @Test func `a report has a maximum length`() throws {
        let long = [UInt8](repeating: 1, count: 230)
        _ = try HCIEvent.advertisingReports([.sample(data: Array(long.prefix(31)))])
        #expect(throws: HCIEncodingError.dataTooLong(count: 32, limit: 31)) {
            try HCIEvent.advertisingReports([.sample(data: Array(long.prefix(32)))])
        }
        let packet = try HCIEvent.extendedAdvertisingReports([.extendedSample(data: Array(long.prefix(229)))]).packet()
        #expect(packet.count == 3 + 255)
        #expect(throws: HCIEncodingError.dataTooLong(count: 230, limit: 229)) {
            try HCIEvent.extendedAdvertisingReports([.extendedSample(data: long)])
        }
        let full = try AdvertisingReport.sample(data: Array(long.prefix(31)))
        #expect(throws: HCIEncodingError.parametersTooLong(count: 289, limit: 255)) {
            try HCIEvent.advertisingReports(Array(repeating: full, count: 7))
        }
    }
}
