import Plumbing

/// An event as a value. Advertising reports come too often for values: `LEAdvertisingReports` reads them in place.
///
/// Bluetooth Core Specification 5.4, Vol 4, Part E, Section 5.4.4.
public enum HCIEvent: Hashable, Sendable {
    /// A command was carried out, or failed (Section 7.7.14).
    case commandComplete(CommandComplete)

    /// A command was taken up, or failed at once (Section 7.7.15).
    case commandStatus(CommandStatus)

    /// The controller is broken; Linux closes and opens it (Section 7.7.16).
    case hardwareError(code: UInt8)

    /// Any LE event, its parameters after the subevent's number.
    case leMeta(LESubevent, parameters: [UInt8])

    /// Linux reports a change of an adapter.
    case device(DeviceEvent)

    /// Anything else.
    case other(HCIEventCode, parameters: [UInt8])
}

extension HCIEvent {
    /// The longest parameters an event has: their length is one byte.
    public static let maximumParameterLength = 255

    /// Reads an H4 event packet: `04, code, length, parameters`. Bytes after the announced length are ignored.
    public init(_ packet: RawSpan) throws(HCIDecodingError) {
        var reader = ByteReader(packet)
        try reader.expect(.event)
        let code = HCIEventCode(rawValue: try reader.byte())
        let parameters = try reader.array(Int(try reader.byte()))
        try self.init(code, parameters: parameters)
    }

    /// Reads an event's parameters.
    public init(_ code: HCIEventCode, parameters: [UInt8]) throws(HCIDecodingError) {
        var reader = ByteReader(parameters.rawSpan)
        switch code {
        case .commandComplete:
            let commandsAllowed = try reader.byte()
            let opcode = HCIOpcode(rawValue: try reader.integer())
            self = .commandComplete(
                CommandComplete(
                    opcode: opcode, returnParameters: try reader.array(reader.remaining),
                    commandsAllowed: commandsAllowed))
        case .commandStatus:
            let status = HCIStatus(rawValue: try reader.byte())
            let commandsAllowed = try reader.byte()
            let opcode = HCIOpcode(rawValue: try reader.integer())
            self = .commandStatus(CommandStatus(opcode: opcode, status: status, commandsAllowed: commandsAllowed))
        case .hardwareError:
            self = .hardwareError(code: try reader.byte())
        case .leMeta:
            let subevent = LESubevent(rawValue: try reader.byte())
            self = .leMeta(subevent, parameters: try reader.array(reader.remaining))
        case .stackInternal:
            // Linux has other events of this kind, and will have more: they are not malformed.
            guard try reader.integer(UInt16.self) == DeviceEvent.type else { fallthrough }
            guard let change = DeviceEvent.Change(rawValue: try reader.integer()) else { fallthrough }
            self = .device(DeviceEvent(change, index: try reader.integer()))
        default:
            self = .other(code, parameters: parameters)
        }
    }
}
