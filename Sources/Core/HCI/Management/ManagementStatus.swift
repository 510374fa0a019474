import Plumbing

/// The result of a management command (BlueZ, doc/mgmt-api.txt, "Error Codes"). Codes without a name keep their number.
package struct ManagementStatus: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let success = ManagementStatus(rawValue: 0x00)
    package static let invalidParameters = ManagementStatus(rawValue: 0x0D)
    package static let permissionDenied = ManagementStatus(rawValue: 0x14)
}

extension ManagementStatus: CustomStringConvertible {
    private static let names: [UInt8: String] = [
        0x00: "Success", 0x01: "Unknown Command", 0x02: "Not Connected", 0x03: "Failed", 0x0A: "Busy", 0x0B: "Rejected",
        0x0C: "Not Supported", 0x0D: "Invalid Parameters", 0x0F: "Not Powered", 0x11: "Invalid Index",
        0x12: "RFKilled", 0x14: "Permission Denied",
    ]

    package var description: String { "\(Self.names[rawValue] ?? "Status") (\(hexadecimal(rawValue)))" }
}
