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

    var packets: [Packet] = []
    /// The start and the end of each packet's record in the file.
    var records: [Range<UInt64>] = []
    var skipped = CaptureReader.Skipped?.none
    var format: CaptureFormat?
    var error: CaptureError?
    var largestNeed = 0

    /// Reads `file` in pieces of `chunk` bytes, as a driver would.
    init(_ file: [UInt8], chunk: Int = .max) {
        var reader = CaptureReader()
        var hasEnded = false
        var buffer: [UInt8] = []
        var position = 0
        var read = 0
        do throws(CaptureError) {
            reading: while true {
                switch try reader.next(in: buffer.span.bytes, at: &position) {
                case .packet(let packet):
                    packets.append(
                        Packet(
                            time: packet.time, kind: packet.kind, direction: packet.direction, adapter: packet.adapter,
                            payload: Array(buffer[packet.payload])))
                    records.append(packet.offset..<reader.offset)
                case .advertisement(let advertisement):
                    packets.append(
                        Packet(
                            time: advertisement.time, kind: .event, direction: .controllerToHost, adapter: nil,
                            payload: reader.advertisement))
                    records.append(advertisement.offset..<reader.offset)
                case .needsMore(let need):
                    largestNeed = max(largestNeed, need)
                    if read == file.count {
                        if hasEnded { break reading }
                        hasEnded = true
                        reader.inputEnded()
                        continue
                    }
                    buffer.removeFirst(position)
                    position = 0
                    let piece = min(chunk, file.count - read)
                    buffer += file[read..<read + piece]
                    read += piece
                }
            }
            try reader.finish(remaining: buffer.count - position)
        } catch {
            self.error = error
        }
        skipped = reader.skipped
        format = reader.format
    }
}
