import OkaeriPlumbing

/// The status of a command, or the reason of an event.
///
/// Core Specification 5.4, Vol 1, Part F. The codes a scanner meets have names; all others keep their number.
public struct HCIStatus: RawRepresentable, Hashable, Sendable {
    /// The error code as it is sent; 0 is success.
    public let rawValue: UInt8

    /// An error code, whether it has a name here or not.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The command was carried out, or taken up.
    public static let success = HCIStatus(rawValue: 0x00)

    /// The controller does not know the command.
    public static let unknownCommand = HCIStatus(rawValue: 0x01)

    /// Something in the controller has failed that no other code describes.
    public static let hardwareFailure = HCIStatus(rawValue: 0x03)

    /// The controller has no memory left for what it is to remember.
    public static let memoryCapacityExceeded = HCIStatus(rawValue: 0x07)

    /// The command does not suit the controller's state, such as new scan parameters during a scan.
    public static let commandDisallowed = HCIStatus(rawValue: 0x0C)

    /// A feature or a parameter's value is not supported.
    public static let unsupportedFeature = HCIStatus(rawValue: 0x11)

    /// A parameter is out of its range, or the command has another length.
    public static let invalidParameters = HCIStatus(rawValue: 0x12)

    /// No other code means it.
    public static let unspecifiedError = HCIStatus(rawValue: 0x1F)

    /// The controller is too busy to carry it out now.
    public static let controllerBusy = HCIStatus(rawValue: 0x3A)
}

extension HCIStatus: CustomStringConvertible {
    public var description: String {
        "\(name) (\(hexadecimal(rawValue)))"
    }

    private var name: String {
        switch self {
        case .success: "Success"
        case .unknownCommand: "Unknown HCI Command"
        case .hardwareFailure: "Hardware Failure"
        case .memoryCapacityExceeded: "Memory Capacity Exceeded"
        case .commandDisallowed: "Command Disallowed"
        case .unsupportedFeature: "Unsupported Feature or Parameter Value"
        case .invalidParameters: "Invalid HCI Command Parameters"
        case .unspecifiedError: "Unspecified Error"
        case .controllerBusy: "Controller Busy"
        default: "Status"
        }
    }
}
