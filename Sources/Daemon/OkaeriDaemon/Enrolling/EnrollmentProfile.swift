package import BlueZ

/// The device that this machine resembles while a phone pairs with it.
package enum EnrollmentProfile: String, CaseIterable, Sendable {
    case heartRate = "heart-rate"
    case keyboard

    /// The number by which phones list it (Assigned Numbers, 2.6).
    private var appearance: UInt16 {
        switch self {
        case .heartRate: 0x0340
        case .keyboard: 0x03C1
        }
    }

    private var service: UInt32 {
        switch self {
        case .heartRate: 0x180D
        case .keyboard: 0x1812
        }
    }

    /// The connectable advertisement, under a name.
    package func advertisement(named name: String) -> Advertisement {
        Advertisement(
            .connectable, localName: name, serviceUUIDs: [BluetoothUUID(service)], appearance: appearance)
    }

    /// The services. A phone that reads a value which needs encryption pairs.
    package var services: [MutableService] {
        let own: [MutableCharacteristic] =
            switch self {
            case .heartRate:
                // No pulse is notified, so that no app records one.
                [Self.value(0x2A37, [0, 0], notifies: true), Self.value(0x2A38, [1])]
            case .keyboard:
                [
                    Self.value(0x2A4A, [0x11, 0x01, 0x00, 0x02]), Self.value(0x2A4B, Self.reportMap),
                    Self.value(0x2A4D, [UInt8](repeating: 0, count: 8), notifies: true),
                ]
            }
        return [
            MutableService(BluetoothUUID(service), characteristics: own),
            MutableService(
                BluetoothUUID(0x180A),
                characteristics: [
                    Self.value(0x2A29, Array("Okaeri".utf8)), Self.value(0x2A24, Array("Enrollment".utf8)),
                ]),
        ]
    }

    private static func value(_ uuid: UInt32, _ bytes: [UInt8], notifies: Bool = false) -> MutableCharacteristic {
        MutableCharacteristic(
            BluetoothUUID(uuid), properties: notifies ? [.read, .notify] : .read, permissions: .readEncryptionRequired,
            value: bytes)
    }

    /// A keyboard of eight modifiers and six keys (USB HID 1.11, Appendix B.1).
    private static let reportMap: [UInt8] = [
        0x05, 0x01, 0x09, 0x06, 0xA1, 0x01, 0x05, 0x07, 0x19, 0xE0, 0x29, 0xE7, 0x15, 0x00, 0x25, 0x01, 0x75, 0x01,
        0x95, 0x08, 0x81, 0x02, 0x95, 0x01, 0x75, 0x08, 0x81, 0x01, 0x95, 0x06, 0x75, 0x08, 0x15, 0x00, 0x25, 0x65,
        0x05, 0x07, 0x19, 0x00, 0x29, 0x65, 0x81, 0x00, 0xC0,
    ]
}
