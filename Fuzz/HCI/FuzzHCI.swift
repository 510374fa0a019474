import OkaeriFuzzSupport
import HCI

/// The input is a controller's stream: H4 packets, one after another, each of the length in its header, the last one cut
/// where the input ends. Advertising reports are put together over all of it.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzHCI(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var rest = input(start, count)
    var assembler = ExtendedReportAssembler()
    while let type = rest.first {
        let packet = UnsafeRawBufferPointer(rebasing: rest.prefix(length(of: rest)))
        if type == HCIPacketType.command.rawValue {
            checkCommand(packet)
        } else {
            checkEvent(packet)
            checkReports(packet, &assembler)
        }
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(packet.count))
    }
    return 0
}

/// Returns the length of the packet at the start of `stream` by its header; all of it without one.
private func length(of stream: UnsafeRawBufferPointer) -> Int {
    switch HCIPacketType(rawValue: stream[0]) {
    case .command: stream.count < 4 ? stream.count : 4 + Int(stream[3])
    case .event: stream.count < 3 ? stream.count : 3 + Int(stream[2])
    default: stream.count
    }
}

/// An event is encoded to the same bytes that it was decoded from, but for what stands behind its last field.
private func checkEvent(_ packet: UnsafeRawBufferPointer) {
    do throws(HCIDecodingError) {
        let event = try HCIEvent(packet.bytes)
        guard let encoded = try? event.packet() else {
            return require(false, "what came in a packet fits into one")
        }
        require(encoded.count <= packet.count, "more was decoded than came")
        require(encoded[3...].elementsEqual(packet[3..<encoded.count]), "an event is encoded to other bytes")
        require(encoded[..<2].elementsEqual(packet[..<2]), "an event is encoded with another number")
        require(try HCIEvent(encoded.span.bytes) == event, "an event is decoded to another one")
        if case .commandComplete(let answer) = event { checkMask(answer.returnParameters) }
    } catch {
        requireWords(error)
    }
}

private func checkMask(_ returned: [UInt8]) {
    do throws(HCIDecodingError) {
        let commands = try SupportedCommands(returned.span.bytes)
        var copy = SupportedCommands()
        for octet in -1...SupportedCommands.byteCount {
            for bit in -1...8 where commands.contains(octet: octet, bit: bit) { copy.insert(octet: octet, bit: bit) }
        }
        require(copy == commands, "the mask of commands is not the sum of its bits")
    } catch {
        requireWords(error)
    }
}
