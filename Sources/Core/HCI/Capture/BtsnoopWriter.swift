/// Writes btsnoop files as bytes: a header, then one record a packet. Wireshark, btmon and ``CaptureReader`` read them.
public struct BtsnoopWriter: Sendable {
    /// The format of the records.
    public enum DataLink: Hashable, Sendable {
        /// HCI packets of one adapter, each with its H4 packet type (data link 1002).
        case h4

        /// HCI packets in the format of the Linux monitor, with the number of their adapter (data link 2001).
        case monitor(adapter: UInt16)
    }

    /// The format of the records.
    public let dataLink: DataLink

    /// A writer of one data link; it keeps no state.
    public init(dataLink: DataLink = .h4) {
        self.dataLink = dataLink
    }

    /// Appends what a file starts with.
    public func appendHeader(to output: inout [UInt8]) {
        append(Btsnoop.identification, to: &output)
        append(Btsnoop.version, to: &output)
        let number: Btsnoop.DataLink =
            switch dataLink {
            case .h4: .h4
            case .monitor: .monitor
            }
        append(number.rawValue, to: &output)
    }

    /// Appends one record.
    ///
    /// - Parameters:
    ///   - kind: The type of the packet. It decides the direction of commands and events.
    ///   - payload: its bytes without the H4 packet type, as ``CapturePacket/payload``. Of a packet longer than HCI
    ///     allows, the first bytes are stored and the record gives the packet's true length.
    ///   - time: nanoseconds since the Unix epoch, of which the format keeps the microseconds.
    ///   - direction: The direction of data.
    public func append(
        _ kind: HCIPacketType, _ payload: RawSpan, time: Int64,
        direction: CapturePacket.Direction = .controllerToHost, to output: inout [UInt8]
    ) {
        let direction = kind.impliedDirection ?? direction
        let typeLength: Int
        let flags: UInt32
        switch dataLink {
        case .h4:
            typeLength = 1
            let isCommandOrEvent = kind.impliedDirection != nil
            flags = (direction == .controllerToHost ? 1 : 0) | (isCommandOrEvent ? 2 : 0)
        case .monitor(let adapter):
            typeLength = 0
            flags = UInt32(adapter) << 16 | UInt32(MonitorOpcode(kind, direction).rawValue)
        }

        let original = typeLength + payload.byteCount
        let included = min(original, CaptureReader.maximumRecordLength)
        append(UInt32(clamping: original), to: &output)
        append(UInt32(included), to: &output)
        append(flags, to: &output)
        append(UInt32(0), to: &output)
        append(Btsnoop.microseconds(time), to: &output)
        if typeLength > 0 { output.append(kind.rawValue) }
        // Safe: the bytes are copied before the closure returns.
        unsafe payload.extracting(first: included - typeLength).withUnsafeBytes { bytes in
            unsafe output.append(contentsOf: bytes)
        }
    }

    private func append(_ integer: some FixedWidthInteger, to output: inout [UInt8]) {
        for shift in stride(from: integer.bitWidth - 8, through: 0, by: -8) {
            output.append(UInt8(truncatingIfNeeded: integer >> shift))
        }
    }
}
