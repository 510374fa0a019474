/// One HCI packet of a capture: when, what and where its bytes lie. They stay where the caller has read them.
public struct CapturePacket: Hashable, Sendable {
    /// The time of capture: nanoseconds since the Unix epoch (1970-01-01 UTC), clamped to what 64 bits hold (the years
    /// 1677 to 2262). It is the file's: it may lie before 1970 and need not grow from packet to packet.
    public let time: Int64

    /// The type of the packet.
    public let kind: HCIPacketType

    /// The packet's direction; `nil` if the format does not give it and the kind does not imply it.
    public let direction: Direction?

    /// The number in `hciN`; `nil` if the format has none.
    public let adapter: UInt16?

    /// The range of its bytes in the bytes given to ``CaptureReader/next(in:at:)``. Always **without** the H4 packet
    /// type, which `kind` stands for: an event starts with its event code, whatever the format of the file.
    public let payload: Range<Int>

    /// The start of its record in the file, in bytes.
    public let offset: UInt64
}

extension CapturePacket {
    /// The direction in which a packet crosses HCI.
    public enum Direction: Hashable, Sendable, CaseIterable {
        /// Sent by the host: commands and data.
        case hostToController

        /// Received by the host: events and data.
        case controllerToHost
    }
}

extension HCIPacketType {
    /// Commands only go down and events only come up; data goes both ways.
    var impliedDirection: CapturePacket.Direction? {
        switch self {
        case .command: .hostToController
        case .event: .controllerToHost
        case .acl, .synchronous, .isochronous: nil
        }
    }
}
