import OkaeriPlumbing

/// An event of the kernel's management interface (BlueZ, doc/mgmt-api.txt, "Packet Structures").
package struct ManagementMessage: Equatable, Sendable {
    /// The events that Okaeri uses.
    package enum Event: Equatable, Sendable {
        /// 0x0001, Command Complete, with its return parameters.
        case commandComplete(opcode: UInt16, ManagementStatus, [UInt8])

        /// 0x0002, Command Status.
        case commandStatus(opcode: UInt16, ManagementStatus)

        /// 0x0018, New Identity Resolving Key, with the identity address.
        case newKey(DeviceIdentity)

        /// An event that Okaeri does not use, or a key of zeros or of a BR/EDR address.
        case other(code: UInt16)
    }

    /// The number of the adapter; 0xFFFF: none.
    package let index: UInt16

    /// The event.
    package let event: Event

    /// Reads a packet: code, index, length and parameters. The length must be that of the packet.
    package init(_ packet: RawSpan) throws(HCIDecodingError) {
        var reader = ByteReader(packet)
        let code = try reader.integer(UInt16.self)
        index = try reader.integer()
        let length = Int(try reader.integer(UInt16.self))
        guard length == reader.remaining else {
            throw .invalidValue(field: "the length of the parameters", value: length, allowed: "\(reader.remaining)")
        }
        switch code {
        case 0x0001:
            let (opcode, status) = (try reader.integer(UInt16.self), ManagementStatus(rawValue: try reader.byte()))
            event = .commandComplete(opcode: opcode, status, try reader.array(reader.remaining))
        case 0x0002:
            event = .commandStatus(opcode: try reader.integer(), ManagementStatus(rawValue: try reader.byte()))
        case 0x0018:
            let parameters = try reader.array(length)
            event = try DeviceIdentity(newKey: parameters.rawSpan).map { .newKey($0) } ?? .other(code: code)
        default: event = .other(code: code)
        }
    }
}

extension DeviceIdentity {
    /// Reads the parameters of New Identity Resolving Key: a hint whether to store it, the private address, the identity address
    /// with its type, and the key with the least significant byte first. `nil` without a key for LE.
    fileprivate init?(newKey parameters: RawSpan) throws(HCIDecodingError) {
        var reader = ByteReader(parameters)
        guard reader.remaining == 30 else {
            throw .invalidValue(field: "the length of New IRK", value: reader.remaining, allowed: "30")
        }
        _ = try reader.array(7)
        let address = BluetoothAddress(low: try reader.integer(), high: try reader.integer())
        // 0 is BR/EDR, 1 LE public, 2 LE random.
        let isLowEnergy = (1...2).contains(try reader.byte())
        guard isLowEnergy, let key = IdentityResolvingKey(try reader.array(16).reversed()) else { return nil }
        self.init(key: key, address: address)
    }
}

/// The advertising instances of an adapter (BlueZ, doc/mgmt-api.txt, "Read Advertising Features Command").
package struct AdvertisingFeatures: Equatable, Sendable {
    /// The highest number of an instance; 0: the adapter cannot advertise.
    package let maximum: UInt8

    /// The numbers in use, by any program.
    package let used: [UInt8]

    /// Reads the return parameters.
    package init(_ parameters: RawSpan) throws(HCIDecodingError) {
        var reader = ByteReader(parameters)
        // The supported flags, and the lengths of data and scan response.
        _ = try reader.array(6)
        maximum = try reader.byte()
        used = try reader.array(Int(try reader.byte()))
    }

    /// The highest free number: bluetoothd takes the lowest one. `nil` if all are in use.
    package var free: UInt8? { maximum == 0 ? nil : (1...maximum).last { !used.contains($0) } }
}

/// The result of a management command (BlueZ, doc/mgmt-api.txt, "Error Codes"). Codes without a name keep their number.
package struct ManagementStatus: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let success = ManagementStatus(rawValue: 0x00)
    package static let rejected = ManagementStatus(rawValue: 0x0B)
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
