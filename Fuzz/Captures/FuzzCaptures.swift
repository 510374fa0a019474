import OkaeriFuzzSupport
import HCI

/// The input is a capture. It is read as a whole and in pieces, and what was read is written and read again.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCaptures(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = input(start, count)
    let whole = CaptureReading(bytes, chunk: max(1, count))
    require(whole == CaptureReading(bytes, chunk: 1 + count % 61), "a capture is another one when it is read in pieces")
    if let error = whole.error {
        requireWords(error)
        require(error.offset <= UInt64(count), "the mistake is beyond the end")
    } else {
        require(whole.format != nil, "a capture without a format was read to its end")
    }
    for dataLink in [BtsnoopWriter.DataLink.h4, .monitor(adapter: 3)] { checkWriting(whole.packets, dataLink) }
    return 0
}

/// Checks that a written capture is read again: all of it except for what the format cannot store.
private func checkWriting(_ packets: [CaptureReading.Packet], _ dataLink: BtsnoopWriter.DataLink) {
    let writer = BtsnoopWriter(dataLink: dataLink)
    var file: [UInt8] = []
    writer.appendHeader(to: &file)
    for packet in packets {
        writer.append(
            packet.kind, packet.payload.span.bytes, time: packet.time,
            direction: packet.direction ?? .controllerToHost, to: &file)
    }
    let again = file.withUnsafeBytes { CaptureReading($0, chunk: file.count) }
    require(again.error == nil && again.format == .btsnoop, "what was written is not a capture")
    require(again.packets.count == packets.count, "packets were lost in writing")
    for (packet, read) in zip(packets, again.packets) {
        require(read.kind == packet.kind, "a packet is written as one of another kind")
        require(read.direction == packet.direction ?? .controllerToHost, "a packet is written the other way")
        require(read.payload[...] == packet.payload.prefix(read.payload.count), "a packet is written with other bytes")
        require(
            read.payload.count
                == min(packet.payload.count, CaptureReader.maximumRecordLength - (dataLink == .h4 ? 1 : 0)),
            "a packet is written shorter")
        let (late, microsecond) = (packet.time.subtractingReportingOverflow(read.time), Int64(0)..<1_000)
        require(!late.overflow && microsecond.contains(late.partialValue), "a packet is written at another time")
    }
}
