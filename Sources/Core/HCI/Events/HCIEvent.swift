import OkaeriPlumbing

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

/// An event's number. Bluetooth Core Specification 5.4, Vol 4, Part E, Section 7.7.
public struct HCIEventCode: RawRepresentable, Hashable, Sendable {
    /// The event code: the byte after the packet type.
    public let rawValue: UInt8

    /// An event's number, whether it has a name here or not.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// A connection has ended (Section 7.7.5).
    public static let disconnectionComplete = HCIEventCode(rawValue: 0x05)

    /// A command was carried out, or failed (Section 7.7.14).
    public static let commandComplete = HCIEventCode(rawValue: 0x0E)

    /// A command was taken up, or failed at once (Section 7.7.15).
    public static let commandStatus = HCIEventCode(rawValue: 0x0F)

    /// The controller is broken (Section 7.7.16).
    public static let hardwareError = HCIEventCode(rawValue: 0x10)

    /// Any LE event; the first parameter is its kind (Section 7.7.65).
    public static let leMeta = HCIEventCode(rawValue: 0x3E)

    /// The event with which Linux reports changes of its adapters to raw sockets; no controller sends it.
    public static let stackInternal = HCIEventCode(rawValue: 0xFD)
}

/// The number of an event inside LE Meta. Bluetooth Core Specification 5.4, Vol 4, Part E, Section 7.7.65.
public struct LESubevent: RawRepresentable, Hashable, Sendable {
    /// The subevent code: the first parameter of LE Meta.
    public let rawValue: UInt8

    /// A subevent's number, whether it has a name here or not.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// LE Connection Complete (Section 7.7.65.1).
    public static let connectionComplete = LESubevent(rawValue: 0x01)

    /// LE Enhanced Connection Complete, version 1 (Section 7.7.65.10).
    public static let enhancedConnectionComplete = LESubevent(rawValue: 0x0A)

    /// LE Advertising Report, the legacy form (Section 7.7.65.2).
    public static let advertisingReport = LESubevent(rawValue: 0x02)

    /// LE Directed Advertising Report: no data, and so no beacon (Section 7.7.65.11).
    public static let directedAdvertisingReport = LESubevent(rawValue: 0x0B)

    /// LE Extended Advertising Report (Section 7.7.65.13).
    public static let extendedAdvertisingReport = LESubevent(rawValue: 0x0D)

    /// A scan with a duration has ended.
    public static let scanTimeout = LESubevent(rawValue: 0x11)
}

extension HCIEvent {
    /// The most reports in one legacy event (Vol 4, Part E, Section 7.7.65.2).
    public static let maximumLegacyReports = 0x19

    /// The most reports in one extended event (Vol 4, Part E, Section 7.7.65.13).
    public static let maximumExtendedReports = 0x0A

    /// An LE Advertising Report event with what the legacy form has; throws when it is too much for one event.
    public static func advertisingReports(_ reports: [AdvertisingReport]) throws(HCIEncodingError) -> HCIEvent {
        try event(
            .advertisingReport, reports, maximumLegacyReports, AdvertisingReport.maximumLegacyDataLength,
            encode: { $0.encodeLegacy(into: &$1) })
    }

    /// An LE Extended Advertising Report event; throws when there is too much for one event.
    public static func extendedAdvertisingReports(_ reports: [AdvertisingReport]) throws(HCIEncodingError) -> HCIEvent {
        try event(
            .extendedAdvertisingReport, reports, maximumExtendedReports, AdvertisingReport.maximumExtendedDataLength,
            encode: { $0.encodeExtended(into: &$1) })
    }

    private static func event(
        _ subevent: LESubevent, _ reports: [AdvertisingReport], _ limit: Int, _ dataLimit: Int,
        encode: (AdvertisingReport, inout [UInt8]) -> Void
    ) throws(HCIEncodingError) -> HCIEvent {
        guard reports.count <= limit else {
            throw .tooManyReports(count: reports.count, limit: limit)
        }
        var parameters = [UInt8(reports.count)]
        for report in reports {
            guard report.data.count <= dataLimit else {
                throw .dataTooLong(count: report.data.count, limit: dataLimit)
            }
            encode(report, &parameters)
        }
        // The subevent's number is a parameter too.
        guard parameters.count < maximumParameterLength else {
            throw .parametersTooLong(count: parameters.count + 1, limit: maximumParameterLength)
        }
        return .leMeta(subevent, parameters: parameters)
    }
}

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

/// A command was carried out, or failed. Bluetooth Core Specification 5.4, Vol 4, Part E, Section 7.7.14.
public struct CommandComplete: Hashable, Sendable {
    /// The number of commands that the controller accepts now.
    public var commandsAllowed: UInt8

    /// The command's opcode.
    public var opcode: HCIOpcode

    /// The command's return parameters; with nearly all commands the first byte is the status.
    public var returnParameters: [UInt8]

    /// An event; at most 252 return parameters fit into its packet.
    public init(opcode: HCIOpcode, returnParameters: [UInt8], commandsAllowed: UInt8 = 1) {
        self.commandsAllowed = commandsAllowed
        self.opcode = opcode
        self.returnParameters = returnParameters
    }

    /// The answer of a command which returns its status first.
    public init(opcode: HCIOpcode, status: HCIStatus, returnParameters: [UInt8] = [], commandsAllowed: UInt8 = 1) {
        self.init(
            opcode: opcode, returnParameters: [status.rawValue] + returnParameters, commandsAllowed: commandsAllowed)
    }

    /// The status; nil when the command returned nothing.
    public var status: HCIStatus? {
        returnParameters.first.map(HCIStatus.init(rawValue:))
    }
}

/// A command was taken up, or failed at once. Bluetooth Core Specification 5.4, Vol 4, Part E, Section 7.7.15.
public struct CommandStatus: Hashable, Sendable {
    /// Success: it is being carried out.
    public var status: HCIStatus

    /// The number of commands that the controller accepts now.
    public var commandsAllowed: UInt8

    /// The command's opcode.
    public var opcode: HCIOpcode

    /// An event; its parameters take 4 bytes.
    public init(opcode: HCIOpcode, status: HCIStatus, commandsAllowed: UInt8 = 1) {
        self.status = status
        self.commandsAllowed = commandsAllowed
        self.opcode = opcode
    }
}

/// A report of Linux to a raw socket about one of its adapters: event 0xFD, type 1 (`EVT_SI_DEVICE`).
public struct DeviceEvent: Hashable, Sendable {
    /// The changes of an adapter.
    public enum Change: UInt16, Hashable, Sendable {
        /// The adapter was plugged in, or its driver was loaded (`HCI_DEV_REG`).
        case registered = 1

        /// The adapter is gone (`HCI_DEV_UNREG`).
        case unregistered = 2

        /// The adapter was switched on (`HCI_DEV_UP`).
        case up = 3

        /// The adapter was switched off (`HCI_DEV_DOWN`).
        case down = 4
    }

    /// The type of this event among the stack's own.
    static let type: UInt16 = 0x0001

    /// The change.
    public var change: Change

    /// The adapter's number, 0 for `hci0`.
    public var index: UInt16

    /// An event about one adapter, as `hciN` numbers it.
    public init(_ change: Change, index: UInt16) {
        self.change = change
        self.index = index
    }
}
