import HCI
import Testing

@Suite struct SnifferTests {
    typealias Sample = CaptureSample
    typealias Header = AirSample.Header

    private static let beacon: [UInt8] = [2, 1, 6, 3, 0xFF, 0x4C, 0x00]

    /// Reads one record.
    private func read(_ header: Header, _ record: [UInt8]) -> CaptureReading {
        CaptureReading(
            Sample.pcapHeader(.big, linkType: header.linkType)
                + Sample.pcapRecord(.big, record, seconds: 1, fraction: 0))
    }

    private func report(
        _ type: UInt8, _ payload: [UInt8], by header: Header = .pseudoHeader, auxiliary: UInt8? = nil, phy: UInt8 = 0
    ) throws -> AdvertisingReport? {
        var packet = AirSample.packet(type, payload)
        if phy == 2 { packet.insert(0, at: 4) }
        let reading = read(header, header.bytes(rssi: -60, auxiliary: auxiliary, phy: phy) + packet)
        #expect(reading.error == nil && reading.packets.count <= 1)
        guard let event = reading.packets.first?.payload else { return nil }
        guard var reports = LEAdvertisingReports(event: event.span.bytes), let report = try reports.next() else {
            Issue.record("the event has no report")
            return nil
        }
        return AdvertisingReport(report)
    }

    @Test(
        arguments: [
            (0x00, [.legacy, .connectable, .scannable]), (0x02, .legacy), (0x06, [.legacy, .scannable]),
            (0x04, [.legacy, .scannable, .scanResponse]), (0x42, .legacy),
        ] as [(UInt8, AdvertisingProperties)])
    func `a legacy advertisement is what a controller reports`(type: UInt8, properties: AdvertisingProperties) throws {
        for header in Header.allCases {
            let found = try report(type, AirSample.address + Self.beacon, by: header)
            #expect(
                found
                    == AdvertisingReport(
                        address: try #require(BluetoothAddress("C6:55:44:33:22:11")),
                        addressType: type & 0x40 == 0 ? .public : .random, properties: properties,
                        rssi: header.hasSignal ? -60 : nil, data: Self.beacon))
        }
    }

    @Test func `a directed advertisement has no data, and other packets are not reported`() throws {
        let directed = try report(0x01, AirSample.address + AirSample.address)
        #expect(directed?.properties == [.legacy, .connectable, .directed] && directed?.data == [])
        for type in [0x03, 0x05, 0x08, 0x0F] as [UInt8] {
            #expect(try report(type, AirSample.address + AirSample.address) == nil)
        }
    }

    @Test(arguments: [nil, 0, 3] as [UInt8?])
    func `an extended advertisement is what a controller reports`(auxiliary: UInt8?) throws {
        // Address, set 5 and transmit power; one byte of the controller's own.
        let fields: [UInt8] = [0x49] + AirSample.address + [0x34, 0x52, 4, 0xEE]
        let data = [UInt8](repeating: 0, count: 180) + Self.beacon
        let found = try report(0x47, [UInt8(fields.count)] + fields + data, auxiliary: auxiliary, phy: 1)
        #expect(
            found
                == AdvertisingReport(
                    address: try #require(BluetoothAddress("C6:55:44:33:22:11")), addressType: .random,
                    properties: auxiliary == 3 ? [.scanResponse] : [], primaryPHY: 1, secondaryPHY: 2,
                    advertisingSID: 5, transmitPower: 4, rssi: -60, data: data))
    }

    @Test func `a coded packet has a byte more, and a connectable one its property`() throws {
        let fields: [UInt8] = [0x01] + AirSample.address
        for header in [Header.pseudoHeader, .nordic3] {
            let found = try report(0x07, [UInt8(fields.count) | 0x40] + fields + Self.beacon, by: header, phy: 2)
            #expect(found?.properties == .connectable && found?.data == Self.beacon)
            #expect(found?.primaryPHY == 3 && found?.secondaryPHY == 3 && found?.advertisingSID == nil)
        }
    }

    @Test func `a pointer without data, a lone continuation and periodic data are not reported`() throws {
        let pointer: [UInt8] = [0x18, 0x34, 0x52, 1, 2, 3]
        #expect(try report(0x07, [UInt8(pointer.count)] + pointer) == nil)
        for auxiliary in [1, 2] as [UInt8] {
            #expect(try report(0x07, [0] + Self.beacon, auxiliary: auxiliary) == nil)
            #expect(try report(0x07, [0] + Self.beacon, by: .nordic3, auxiliary: auxiliary) == nil)
        }
        #expect(try report(0x07, [0] + Self.beacon)?.addressType == .anonymous)
    }

    @Test(arguments: Header.allCases)
    func `a packet with a wrong checksum does not count`(header: Header) {
        let payload = AirSample.address + Self.beacon
        let flagged = header.bytes(rssi: -60, isChecked: false) + AirSample.packet(0x42, payload)
        if header.hasCheck {
            #expect(read(header, flagged).packets.isEmpty && read(header, flagged).skipped?.wrongChecksums == 1)
        }
        let unchecked = header.bytes(rssi: -60, isChecked: nil)
        for (checksum, count) in [(.right, 1), (.wrong, 0), (.zero, 1), (.absent, 1)] as [(AirSample.Checksum, Int)] {
            // The nRF Sniffer always checks.
            guard header.linkType != 272 else { continue }
            let reading = read(header, unchecked + AirSample.packet(0x42, payload, checksum: checksum))
            #expect(reading.packets.count == count, "\(checksum)")
            #expect(reading.skipped?.wrongChecksums == 1 - count)
        }
    }

    @Test func `a wrong checksum in the flags of a pcapng packet counts, too`() {
        let packet = AirSample.packet(0x42, AirSample.address + Self.beacon, checksum: .zero)
        let file = { (flags: UInt32) in
            Sample.sectionHeader(.big) + Sample.interface(.big, 251)
                + Sample.enhanced(
                    .big, 0, ticks: 7, packet, options: Sample.option(.big, 2, Endian.big.bytes(flags)))
        }
        #expect(CaptureReading(file(0)).packets.map(\.time) == [7_000])
        let wrong = CaptureReading(file(1 << 24))
        #expect(wrong.packets.isEmpty && wrong.skipped?.wrongChecksums == 1 && wrong.error == nil)
    }

    @Test(arguments: Header.allCases)
    func `a strength that is not measured is unknown`(header: Header) throws {
        let packet = AirSample.packet(0x42, AirSample.address + Self.beacon)
        let event = try #require(read(header, header.bytes(rssi: 0) + packet).packets.first?.payload)
        #expect(event.last == 127)
    }

    @Test func `packets of a connection, and cut ones, are skipped`() {
        let payload = AirSample.address + Self.beacon
        for header in Header.allCases {
            let whole = header.bytes(rssi: -60) + AirSample.packet(0x42, payload, checksum: .absent)
            for length in 0..<whole.count {
                let reading = read(header, Array(whole[..<length]))
                #expect(reading.packets.isEmpty && reading.error == nil && reading.skipped?.otherRecords == 1)
            }
            var other = header.bytes(rssi: -60) + AirSample.packet(0x42, payload)
            other[other.count - payload.count - 9] ^= 1
            #expect(read(header, other).packets.isEmpty, "another access address")
        }
        var data = Header.nordic3.bytes(rssi: -60) + AirSample.packet(0x42, payload)
        data[6] = 0x06
        #expect(read(.nordic3, data).packets.isEmpty)
    }

    @Test func `per-packet information of another link type is named`() {
        var record = Header.perPacketInformation.bytes(rssi: -60)
        record.replaceSubrange(4..<8, with: Endian.little.bytes(UInt32(195)))
        let file = { (records: [[UInt8]]) in
            Sample.pcapHeader(.big, linkType: 192)
                + records.flatMap { Sample.pcapRecord(.big, $0, seconds: 1, fraction: 0) }
        }
        #expect(CaptureReading(file([record])).error?.reason == .noBluetooth(linkType: 195))
        let own = Header.perPacketInformation.bytes(rssi: -60) + AirSample.packet(0x42, AirSample.address)
        let both = CaptureReading(file([record, own]))
        #expect(both.error == nil && both.packets.count == 1 && both.skipped?.otherLinkTypes == 1)
    }

    @Test func `a link type that is not Bluetooth's is named`() {
        let text = CaptureReading(Sample.pcapHeader(.big, linkType: 195)).error?.description ?? ""
        #expect(text.hasPrefix("the link type is 195 (IEEE 802.15.4), not Bluetooth HCI"))
    }

    @Test(arguments: Endian.allCases)
    func `a PacketLogger record that is too short or too long is named`(endian: Endian) {
        let good = Sample.packetLoggerRecord(endian, 0x01, Sample.report, time: 0)
        let start = UInt64(good.count)
        let short = CaptureReading(good + endian.bytes(UInt32(8)) + [UInt8](repeating: 0, count: 9))
        #expect(short.error == CaptureError(offset: start, reason: .recordTooShort(8)) && short.packets.count == 1)
        let long = CaptureReading(good + endian.bytes(UInt32(0x0100_0000)) + [UInt8](repeating: 0, count: 9))
        #expect(long.error == CaptureError(offset: start, reason: .recordTooLong(0x0100_0000 - 9)))
        let late = Sample.packetLoggerRecord(endian, 0x20, Sample.report, time: 0)
        #expect(CaptureReading(late).error?.description.contains("not a btsnoop") == true, "an unknown first record")
        #expect(CaptureReading(good + late).skipped?.otherRecords == 1, "an unknown later one")
    }
}
