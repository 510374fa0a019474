import Plumbing

extension HCIEvent {
    /// The event's number.
    public var code: HCIEventCode {
        switch self {
        case .commandComplete: .commandComplete
        case .commandStatus: .commandStatus
        case .hardwareError: .hardwareError
        case .leMeta: .leMeta
        case .device: .stackInternal
        case .other(let code, _): code
        }
    }

    /// The H4 packet, `04, code, length, parameters`; throws when the parameters are longer than an event holds.
    public func packet() throws(HCIEncodingError) -> [UInt8] {
        let parameters = self.parameters
        guard parameters.count <= Self.maximumParameterLength else {
            throw .parametersTooLong(count: parameters.count, limit: Self.maximumParameterLength)
        }
        return [HCIPacketType.event.rawValue, code.rawValue, UInt8(parameters.count)] + parameters
    }

    private var parameters: [UInt8] {
        var bytes: [UInt8] = []
        switch self {
        case .commandComplete(let event):
            bytes.append(event.commandsAllowed)
            bytes.append(littleEndian: event.opcode.rawValue)
            bytes += event.returnParameters
        case .commandStatus(let event):
            bytes.append(event.status.rawValue)
            bytes.append(event.commandsAllowed)
            bytes.append(littleEndian: event.opcode.rawValue)
        case .hardwareError(let code):
            bytes.append(code)
        case .leMeta(let subevent, let parameters):
            bytes.append(subevent.rawValue)
            bytes += parameters
        case .device(let event):
            bytes.append(littleEndian: DeviceEvent.type)
            bytes.append(littleEndian: event.change.rawValue)
            bytes.append(littleEndian: event.index)
        case .other(_, let parameters):
            bytes += parameters
        }
        return bytes
    }
}
