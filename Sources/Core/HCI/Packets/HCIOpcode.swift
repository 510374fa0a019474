import OkaeriPlumbing

/// A command's number: the group (OGF, 6 bits) and the command in it (OCF, 10 bits).
///
/// Bluetooth Core Specification 5.4, Vol 4, Part E, Section 5.4.1.
public struct HCIOpcode: RawRepresentable, Hashable, Sendable {
    /// The group in the upper 6 bits, the command in the lower 10; sent least significant byte first.
    public let rawValue: UInt16

    /// A command's number, whether it has a name here or not.
    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// A command that names none: Command Complete carries it to allow further commands.
    public static let none = HCIOpcode(rawValue: 0x0000)

    /// Set Event Mask (Section 7.3.1).
    public static let setEventMask = HCIOpcode(rawValue: 0x0C01)

    /// Reset (Section 7.3.2).
    public static let reset = HCIOpcode(rawValue: 0x0C03)

    /// Read Local Supported Commands (Section 7.4.2).
    public static let readLocalSupportedCommands = HCIOpcode(rawValue: 0x1002)

    /// LE Set Event Mask (Section 7.8.1).
    public static let leSetEventMask = HCIOpcode(rawValue: 0x2001)

    /// LE Set Scan Parameters (Section 7.8.10).
    public static let leSetScanParameters = HCIOpcode(rawValue: 0x200B)

    /// LE Set Scan Enable (Section 7.8.11).
    public static let leSetScanEnable = HCIOpcode(rawValue: 0x200C)

    /// LE Set Extended Scan Parameters (Section 7.8.64).
    public static let leSetExtendedScanParameters = HCIOpcode(rawValue: 0x2041)

    /// LE Set Extended Scan Enable (Section 7.8.65).
    public static let leSetExtendedScanEnable = HCIOpcode(rawValue: 0x2042)
}

extension HCIOpcode: CustomStringConvertible {
    public var description: String {
        name.map { "\($0) (\(hexadecimal(rawValue)))" } ?? "Command \(hexadecimal(rawValue))"
    }

    private var name: String? { Self.names[rawValue] }

    /// The names of the commands that Linux and a scanner send (Sections 7.3, 7.4 and 7.8).
    private static let names: [UInt16: String] = [
        0x0C01: "Set Event Mask", 0x0C03: "Reset", 0x1001: "Read Local Version Information",
        0x1002: "Read Local Supported Commands", 0x1003: "Read Local Supported Features", 0x1009: "Read BD_ADDR",
        0x2001: "LE Set Event Mask", 0x2002: "LE Read Buffer Size", 0x2003: "LE Read Local Supported Features",
        0x200B: "LE Set Scan Parameters", 0x200C: "LE Set Scan Enable", 0x200F: "LE Read Filter Accept List Size",
        0x2010: "LE Clear Filter Accept List", 0x201C: "LE Read Supported States",
        0x203B: "LE Read Number of Supported Advertising Sets", 0x2041: "LE Set Extended Scan Parameters",
        0x2042: "LE Set Extended Scan Enable",
    ]
}

/// The first byte of every packet between host and controller.
///
/// Bluetooth Core Specification 5.4, Vol 4, Part A, Section 2 (UART transport, "H4"); Linux sockets use the same byte.
public enum HCIPacketType: UInt8, Hashable, Sendable, CaseIterable {
    /// Host to controller.
    case command = 0x01

    /// Connection data.
    case acl = 0x02

    /// Synchronous (voice) data.
    case synchronous = 0x03

    /// Controller to host.
    case event = 0x04

    /// Isochronous data.
    case isochronous = 0x05
}

/// The reason why values do not fit into an HCI packet.
public enum HCIEncodingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The parameters do not fit the length, which is one byte.
    case parametersTooLong(count: Int, limit: Int)

    /// There are more reports than one event may hold.
    case tooManyReports(count: Int, limit: Int)

    /// The advertising data of one report is longer than its PDU allows.
    case dataTooLong(count: Int, limit: Int)

    public var description: String {
        switch self {
        case .parametersTooLong(let count, let limit):
            "the parameters take \(count) bytes, but a packet holds \(limit); split them over several packets"
        case .tooManyReports(let count, let limit):
            "\(count) reports are too many for one event, which holds \(limit); split them over several events"
        case .dataTooLong(let count, let limit):
            "the advertising data takes \(count) bytes, but a report holds \(limit); send it in fragments"
        }
    }
}
