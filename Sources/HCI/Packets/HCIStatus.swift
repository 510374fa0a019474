/// The status of a command, or the reason of an event.
///
/// Bluetooth Core Specification 5.4, Vol 1, Part F. Only the codes a scanner meets have names; all others keep their
/// number.
public struct HCIStatus: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    public static let success = HCIStatus(rawValue: 0x00)
    public static let unknownCommand = HCIStatus(rawValue: 0x01)
    public static let hardwareFailure = HCIStatus(rawValue: 0x03)
    public static let memoryCapacityExceeded = HCIStatus(rawValue: 0x07)
    public static let commandDisallowed = HCIStatus(rawValue: 0x0C)
    public static let unsupportedFeature = HCIStatus(rawValue: 0x11)
    public static let invalidParameters = HCIStatus(rawValue: 0x12)
    public static let unspecifiedError = HCIStatus(rawValue: 0x1F)
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
