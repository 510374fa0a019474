import Plumbing

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

    /// An opcode from its halves; bits beyond the 6 of the group and the 10 of the command are dropped.
    public init(ogf: UInt8, ocf: UInt16) {
        rawValue = UInt16(ogf & 0x3F) << 10 | ocf & 0x3FF
    }

    /// The group: 3 controller and baseband, 4 informational, 8 LE controller.
    public var ogf: UInt8 { UInt8(rawValue >> 10) }

    /// The command in its group.
    public var ocf: UInt16 { rawValue & 0x3FF }

    /// The group of the LE controller commands; Linux asks for CAP_NET_RAW on every one of them.
    public static let leControllerGroup: UInt8 = 0x08

    /// A command that names none: Command Complete carries it to say that commands may be sent again.
    public static let none = HCIOpcode(rawValue: 0x0000)

    /// Set Event Mask (Section 7.3.1).
    public static let setEventMask = HCIOpcode(rawValue: 0x0C01)

    /// Reset (Section 7.3.2).
    public static let reset = HCIOpcode(rawValue: 0x0C03)

    /// Read Local Version Information (Section 7.4.1).
    public static let readLocalVersion = HCIOpcode(rawValue: 0x1001)

    /// Read Local Supported Commands (Section 7.4.2).
    public static let readLocalSupportedCommands = HCIOpcode(rawValue: 0x1002)

    /// Read Local Supported Features (Section 7.4.3).
    public static let readLocalSupportedFeatures = HCIOpcode(rawValue: 0x1003)

    /// Read BD_ADDR (Section 7.4.6).
    public static let readAddress = HCIOpcode(rawValue: 0x1009)

    /// LE Set Event Mask (Section 7.8.1).
    public static let leSetEventMask = HCIOpcode(rawValue: 0x2001)

    /// LE Read Buffer Size (Section 7.8.2).
    public static let leReadBufferSize = HCIOpcode(rawValue: 0x2002)

    /// LE Read Local Supported Features (Section 7.8.3).
    public static let leReadLocalSupportedFeatures = HCIOpcode(rawValue: 0x2003)

    /// LE Set Scan Parameters (Section 7.8.10).
    public static let leSetScanParameters = HCIOpcode(rawValue: 0x200B)

    /// LE Set Scan Enable (Section 7.8.11).
    public static let leSetScanEnable = HCIOpcode(rawValue: 0x200C)

    /// LE Read Filter Accept List Size (Section 7.8.14).
    public static let leReadFilterAcceptListSize = HCIOpcode(rawValue: 0x200F)

    /// LE Clear Filter Accept List (Section 7.8.15).
    public static let leClearFilterAcceptList = HCIOpcode(rawValue: 0x2010)

    /// LE Read Supported States (Section 7.8.27).
    public static let leReadSupportedStates = HCIOpcode(rawValue: 0x201C)

    /// LE Read Number of Supported Advertising Sets (Section 7.8.58).
    public static let leReadNumberOfSupportedAdvertisingSets = HCIOpcode(rawValue: 0x203B)

    /// LE Set Extended Scan Parameters (Section 7.8.64).
    public static let leSetExtendedScanParameters = HCIOpcode(rawValue: 0x2041)

    /// LE Set Extended Scan Enable (Section 7.8.65).
    public static let leSetExtendedScanEnable = HCIOpcode(rawValue: 0x2042)
}

extension HCIOpcode: CustomStringConvertible {
    public var description: String {
        name.map { "\($0) (\(hexadecimal(rawValue)))" } ?? "Command \(hexadecimal(rawValue))"
    }

    private var name: String? {
        switch self {
        case .setEventMask: "Set Event Mask"
        case .reset: "Reset"
        case .readLocalVersion: "Read Local Version Information"
        case .readLocalSupportedCommands: "Read Local Supported Commands"
        case .readLocalSupportedFeatures: "Read Local Supported Features"
        case .readAddress: "Read BD_ADDR"
        case .leSetEventMask: "LE Set Event Mask"
        case .leReadBufferSize: "LE Read Buffer Size"
        case .leReadLocalSupportedFeatures: "LE Read Local Supported Features"
        case .leSetScanParameters: "LE Set Scan Parameters"
        case .leSetScanEnable: "LE Set Scan Enable"
        case .leReadFilterAcceptListSize: "LE Read Filter Accept List Size"
        case .leClearFilterAcceptList: "LE Clear Filter Accept List"
        case .leReadSupportedStates: "LE Read Supported States"
        case .leReadNumberOfSupportedAdvertisingSets: "LE Read Number of Supported Advertising Sets"
        case .leSetExtendedScanParameters: "LE Set Extended Scan Parameters"
        case .leSetExtendedScanEnable: "LE Set Extended Scan Enable"
        default: nil
        }
    }
}
