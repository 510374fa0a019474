import OkaeriFuzzSupport
import HCI

/// The result of reading a capture to its end or its first error.
struct CaptureReading: Equatable {
    struct Packet: Equatable {
        var time: Int64
        var kind: HCIPacketType
        var direction: CapturePacket.Direction?
        var adapter: UInt16?
        var payload: [UInt8]
    }

    private(set) var packets: [Packet] = []
    private(set) var error: CaptureError?
    private(set) var format: CaptureFormat?
    private(set) var skipped = CaptureReader.Skipped?.none

    /// Reads `file` in pieces of `chunk` bytes, as a driver would.
    init(_ file: UnsafeRawBufferPointer, chunk: Int) {
        var reader = CaptureReader()
        var hasEnded = false
        // Where the bytes that are there start and end: they are moved as little as copied, and nothing lies behind them.
        var (start, end) = (0, 0)
        var position = 0
        do throws(CaptureError) {
            reading: while true {
                let buffer = UnsafeRawBufferPointer(rebasing: file[start..<end])
                switch try reader.next(in: buffer.bytes, at: &position) {
                case .packet(let packet):
                    take(packet, in: buffer, upTo: position, behind: reader.offset)
                case .advertisement(let advertisement):
                    require(advertisement.offset < reader.offset, "an advertisement starts behind its end")
                    checkEvent(reader.advertisement)
                    packets.append(
                        Packet(
                            time: advertisement.time, kind: .event, direction: .controllerToHost, adapter: nil,
                            payload: reader.advertisement))
                case .needsMore(let need):
                    require(1...CaptureReader.largestNeed ~= need, "the reader asks for too much")
                    require(need > buffer.count - position, "the reader asks for what is there")
                    if end == file.count {
                        if hasEnded { break reading }
                        hasEnded = true
                        reader.inputEnded()
                        continue
                    }
                    start += position
                    position = 0
                    end = min(end + chunk, file.count)
                }
                require(reader.offset == UInt64(start + position), "the reader is not where it says")
            }
            try reader.finish(remaining: end - start - position)
        } catch {
            self.error = error
            checkStandstill(reader, UnsafeRawBufferPointer(rebasing: file[start..<end]), position)
        }
        skipped = reader.skipped
        format = reader.format
    }

    private mutating func take(
        _ packet: CapturePacket, in buffer: UnsafeRawBufferPointer, upTo position: Int, behind offset: UInt64
    ) {
        require(packet.payload.upperBound <= position && position <= buffer.count, "a packet ends beyond what is there")
        require(packet.offset < offset, "a packet starts behind its end")
        require(packet.payload.count < offset - packet.offset, "a packet is longer than its record")
        packets.append(
            Packet(
                time: packet.time, kind: packet.kind, direction: packet.direction, adapter: packet.adapter,
                payload: Array(buffer[packet.payload])))
    }

    /// Checks that a sniffer's packet became one report.
    private func checkEvent(_ event: [UInt8]) {
        guard var reports = LEAdvertisingReports(event: event.span.bytes) else {
            return require(false, "an advertisement is not a report")
        }
        do throws(Truncation) {
            guard case _? = try reports.next() else { return require(false, "an advertisement is without a report") }
            require(reports.remaining == 0, "an advertisement is several reports")
        } catch {
            require(false, "an advertisement is cut")
        }
    }

    /// After an error the reader throws the same again.
    private func checkStandstill(_ reader: CaptureReader, _ buffer: UnsafeRawBufferPointer, _ position: Int) {
        var (copy, place) = (reader, position)
        do throws(CaptureError) {
            switch try copy.next(in: buffer.bytes, at: &place) {
            case .packet, .advertisement: require(false, "there is a packet behind the mistake")
            case .needsMore: break
            }
            try copy.finish(remaining: buffer.count - place)
            require(false, "the mistake is gone")
        } catch {
            require(error == self.error, "the mistake is another one")
        }
    }
}
