import OkaeriPlumbing

/// A command of the kernel's management interface (BlueZ, doc/mgmt-api.txt, "Packet Structures").
package struct ManagementCommand: Equatable, Sendable {
    /// The commands that Okaeri sends.
    package enum Opcode: UInt16, Sendable {
        /// Stop Discovery. It returns the type of the discovery.
        case stopDiscovery = 0x0024

        /// Read Advertising Features. It returns the instances, see ``AdvertisingFeatures``.
        case readAdvertisingFeatures = 0x003D

        /// Add Advertising, for legacy and extended controllers alike. It returns the number of the instance.
        case addAdvertising = 0x003E

        /// Remove Advertising. It returns the number of the instance.
        case removeAdvertising = 0x003F
    }

    /// The command.
    package let opcode: Opcode

    /// The number of the adapter, 0 for hci0.
    package let index: UInt16

    /// The parameters, at most 65,535 bytes.
    package let parameters: [UInt8]

    private init(_ opcode: Opcode, _ index: UInt16, _ parameters: [UInt8] = []) {
        (self.opcode, self.index, self.parameters) = (opcode, index, parameters)
    }

    /// The packet: opcode, index, length and parameters, each integer with the least significant byte first.
    package var packet: [UInt8] {
        var bytes = [UInt8](littleEndian: opcode.rawValue)
        bytes.append(littleEndian: index)
        bytes.append(littleEndian: UInt16(truncatingIfNeeded: parameters.count))
        return bytes + parameters
    }
}

extension ManagementCommand {
    /// Ends a discovery that has no possible type, which the kernel therefore refuses: as Invalid Parameters while it discovers devices,
    /// and before that as Rejected while it does not. The interface has no command that reads this.
    package static func probeDiscovery(on index: UInt16) -> Self { Self(.stopDiscovery, index, [0xFF]) }

    /// Reads the numbers of the advertising instances of an adapter.
    package static func readAdvertisingFeatures(of index: UInt16) -> Self { Self(.readAdvertisingFeatures, index) }

    /// Begins an advertisement, or replaces the one with this number.
    package static func addAdvertising(_ instance: AdvertisingInstance, to index: UInt16) -> Self {
        Self(.addAdvertising, index, instance.parameters)
    }

    /// Ends an advertisement.
    package static func removeAdvertising(_ number: UInt8, from index: UInt16) -> Self {
        Self(.removeAdvertising, index, [number])
    }
}

/// An advertisement of the kernel (BlueZ, doc/mgmt-api.txt, "Add Advertising Command").
package struct AdvertisingInstance: Equatable, Sendable {
    /// The maximum length of the data, and of the scan response (Core Specification 5.4, Vol 6, Part B, Section 2.3.1).
    package static let longestData = 31

    /// The number, from 1.
    package var number: UInt8

    /// Whether devices may connect. The kernel then adds the flags "general discoverable" and "no BR/EDR", three bytes.
    package var isConnectable: Bool

    /// The seconds after which the kernel ends it; 0: never.
    package var timeout: UInt16

    /// AD structures, at most ``longestData`` bytes; further ones are left out.
    package var data: [UInt8]

    /// AD structures, at most ``longestData`` bytes; further ones are left out.
    package var scanResponse: [UInt8]

    package init(
        number: UInt8, isConnectable: Bool, timeout: UInt16, data: [UInt8], scanResponse: [UInt8] = []
    ) {
        self.number = number
        self.isConnectable = isConnectable
        self.timeout = timeout
        self.data = Array(data.prefix(Self.longestData))
        self.scanResponse = Array(scanResponse.prefix(Self.longestData))
    }

    /// Bit 0: connectable; bit 1: general discoverable.
    private static let connectableFlags: UInt32 = 0b11

    fileprivate var parameters: [UInt8] {
        var bytes = [number]
        bytes.append(littleEndian: isConnectable ? Self.connectableFlags : 0)
        // The duration of a turn, if there are several instances: the kernel's default.
        bytes.append(littleEndian: UInt16(0))
        bytes.append(littleEndian: timeout)
        bytes += [UInt8(truncatingIfNeeded: data.count), UInt8(truncatingIfNeeded: scanResponse.count)]
        return bytes + data + scanResponse
    }
}
