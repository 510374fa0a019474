import HCI
import Testing

/// Extended advertisements that come in several packets, in the capture of a sniffer.
@Suite struct ChainTests {
    typealias Header = AirSample.Header

    /// A packet of the air at a time in microseconds.
    private struct Packet {
        var time: Int64
        var auxiliary: UInt8? = 0
        var payload: [UInt8]
        var checksum = AirSample.Checksum.right
    }

    /// The first packet of an advertisement with data, which points to the next one.
    private func first(
        _ data: [UInt8], from address: [UInt8] = AirSample.address, identifier: [UInt8] = [0x34, 0x52],
        after units: UInt16? = 10
    ) -> [UInt8] {
        let pointer = units.map { [0x0C] + Endian.little.bytes($0) } ?? []
        let fields = [pointer.isEmpty ? 0x09 : 0x19] + address + identifier + pointer
        return [UInt8(fields.count)] + fields + data
    }

    /// A packet that goes on.
    private func chain(_ data: [UInt8], identifier: [UInt8] = [0x34, 0x52], after units: UInt16? = nil) -> [UInt8] {
        let pointer = units.map { [0x0C] + Endian.little.bytes($0) } ?? []
        let fields = [pointer.isEmpty ? 0x08 : 0x18] + identifier + pointer
        return [UInt8(fields.count)] + fields + data
    }

    private func file(_ packets: [Packet], by header: Header = .pseudoHeader) -> [UInt8] {
        packets.reduce(into: CaptureSample.pcapHeader(.little, linkType: header.linkType)) { bytes, packet in
            let record =
                header.bytes(rssi: -60, isChecked: packet.checksum == .right, auxiliary: packet.auxiliary)
                + AirSample.packet(0x47, packet.payload, checksum: packet.checksum)
            bytes += CaptureSample.pcapRecord(.little, record, seconds: 1, fraction: packet.time)
        }
    }

    /// A report after the assembler, as the program reads it.
    private struct Joined: Equatable {
        var time: Int64
        var data: [UInt8]
        var isWhole: Bool
    }

    private func joined(_ file: [UInt8], chunk: Int = .max) throws -> [Joined] {
        let reading = CaptureReading(file, chunk: chunk)
        #expect(reading.error == nil)
        var assembler = ExtendedReportAssembler()
        var joined: [Joined] = []
        for packet in reading.packets {
            guard var reports = LEAdvertisingReports(event: packet.payload.span.bytes) else {
                Issue.record("an event without reports")
                continue
            }
            while let report = try reports.next() {
                let time = packet.time / 1000 - 1_000_000
                guard let whole = assembler.assemble(report) else { continue }
                let data = (0..<whole.data.byteCount).map { whole.data.unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
                joined.append(Joined(time: time, data: data, isWhole: whole.dataStatus == .complete))
            }
        }
        #expect(assembler.waiting == 0)
        return joined
    }

    private func bytes(_ range: Range<Int>) -> [UInt8] { range.map { UInt8(truncatingIfNeeded: $0) } }

    @Test(arguments: Header.allCases, [1, 7, .max])
    func `the packets of an advertisement are joined`(header: Header, chunk: Int) throws {
        let file = file(
            [
                Packet(time: 1000, payload: first(bytes(0..<200))),
                Packet(time: 1300, auxiliary: 1, payload: chain(bytes(200..<400), after: 10)),
                Packet(time: 1600, auxiliary: 1, payload: chain(bytes(400..<450))),
            ], by: header)
        #expect(try joined(file, chunk: chunk) == [Joined(time: 1600, data: bytes(0..<450), isWhole: true)])
    }

    @Test func `a packet of more data than a report holds is whole`() throws {
        let file = file([Packet(time: 0, payload: first(bytes(0..<240), after: nil))])
        #expect(try joined(file) == [Joined(time: 0, data: bytes(0..<240), isWhole: true)])
    }

    @Test func `what is missing is cut, whether another packet follows or not`() throws {
        let start = Packet(time: 1000, payload: first([1, 2, 3]))
        let later = Packet(
            time: 900_000, payload: first([9], from: [1, 2, 3, 4, 5, 6], identifier: [1, 0x10], after: nil))
        let cut = Joined(time: 1000, data: [1, 2, 3], isWhole: false)
        #expect(try joined(file([start])) == [cut])
        #expect(try joined(file([start, later])) == [cut, Joined(time: 900_000, data: [9], isWhole: true)])
        let damaged = Packet(time: 1300, auxiliary: 1, payload: chain([4]), checksum: .wrong)
        #expect(try joined(file([start, damaged])) == [Joined(time: 1300, data: [1, 2, 3], isWhole: false)])
    }

    @Test func `a packet of other data, or at another time, does not go on`() throws {
        let start = Packet(time: 1000, payload: first([1, 2, 3]))
        let cut = Joined(time: 1000, data: [1, 2, 3], isWhole: false)
        for other in [
            Packet(time: 1300, auxiliary: 1, payload: chain([4], identifier: [0x35, 0x52])),
            Packet(time: 9000, auxiliary: 1, payload: chain([4])),
        ] {
            let found = try joined(file([start, other]))
            #expect(found.map(\.data) == [cut.data] && found.map(\.isWhole) == [false])
        }
    }

    @Test func `several advertisements at a time are told apart`() throws {
        let other: [UInt8] = [1, 2, 3, 4, 5, 6]
        let file = file([
            Packet(time: 1000, payload: first([1])),
            Packet(time: 1100, payload: first([2], from: other, identifier: [7, 0x10])),
            Packet(time: 1310, auxiliary: 1, payload: chain([3])),
            Packet(time: 1420, auxiliary: 1, payload: chain([4], identifier: [7, 0x10])),
        ])
        #expect(
            try joined(file) == [
                Joined(time: 1310, data: [1, 3], isWhole: true), Joined(time: 1420, data: [2, 4], isWhole: true),
            ])
    }

    @Test func `more advertisements than are stored, and more data than there can be, are cut`() throws {
        let many = (0..<20).map { Packet(time: 1000, payload: first([UInt8($0)], identifier: [UInt8($0), 0x10])) }
        let found = try joined(file(many))
        #expect(found.map(\.data) == (0..<20).map { [UInt8($0)] } && !found.contains { $0.isWhole })
        var endless = [Packet(time: 0, payload: first(bytes(0..<200)))]
        endless += (1...10).map {
            Packet(time: Int64($0 * 300), auxiliary: 1, payload: chain(bytes(0..<200), after: 10))
        }
        let cut = try joined(file(endless))
        #expect(cut.first?.data.count == 1650 && cut.first?.isWhole == false && cut.count == 1)
    }
}
