extension CaptureReader {
    /// Reads an enhanced packet block, or an obsolete packet block: they differ only in how they number the interface.
    ///
    /// - Returns: nil if the block holds no HCI packet.
    mutating func packet(
        of number: UInt32, in bytes: RawSpan, at position: inout Int
    ) throws(CaptureError) -> CaptureStep? {
        let length = try blockLength(in: bytes, at: position, atLeast: 32)
        guard number < UInt32(section.interfaces.count) else {
            throw error(.unknownInterface(number, of: section.interfaces.count))
        }
        let interface = section.interfaces[Int(number)]
        guard let link = interface.link else {
            passBlock(of: length)
            skipped.otherLinkTypes += 1
            return nil
        }
        if let step = try wholeBlock(length, in: bytes, at: position) { return step }

        let order = section.order
        let captured = order.load(UInt32.self, from: bytes, at: position + 20)
        guard captured <= UInt32(Self.maximumRecordLength) else { throw error(.recordTooLong(captured)) }
        guard captured <= length - 32 else { throw error(.recordBeyondBlock(captured, block: length)) }
        let high = order.load(UInt32.self, from: bytes, at: position + 12)
        let low = order.load(UInt32.self, from: bytes, at: position + 16)
        let end = position + 28 + Int(captured)
        let found = link.packet(
            in: bytes, record: position + 28..<end, flags: 0,
            time: interface.clock.nanoseconds(UInt64(high) << 32 | UInt64(low)), offset: offset)
        let options = end + (-Int(captured) & 3)..<position + Int(length) - 4
        let stated = found?.direction == nil && !options.isEmpty ? try direction(in: bytes, options) : nil
        advance(&position, by: Int(length))
        guard let found else {
            skipped.otherRecords += 1
            return nil
        }
        return .packet(found.directed(stated))
    }

    /// Returns the direction in a packet's flags (draft-ietf-opsawg-pcapng, 4.3.1): inbound is from the controller.
    private func direction(
        in bytes: RawSpan, _ options: Range<Int>
    ) throws(CaptureError) -> CapturePacket.Direction? {
        do throws(CaptureError.Reason) {
            let at = try PcapngOptions.find(PcapngOptions.packetFlags, length: 4, in: bytes, options, section.order)
            guard let at else { return nil }
            switch section.order.load(UInt32.self, from: bytes, at: at) & 3 {
            case 1: return .controllerToHost
            case 2: return .hostToController
            default: return nil
            }
        } catch {
            throw self.error(error)
        }
    }
}

extension CapturePacket {
    /// The same packet, with a direction if it had none.
    fileprivate func directed(_ stated: Direction?) -> CapturePacket {
        CapturePacket(
            time: time, kind: kind, direction: direction ?? stated, adapter: adapter, payload: payload, offset: offset)
    }
}
