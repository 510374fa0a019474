/// The battery level that a beacon advertises in the service data of another frame than its iBeacon frame.
public enum AdvertisedBattery {
    /// The services, as their 16-bit UUIDs are sent: least significant byte first.
    private enum Service {
        /// Battery Service, 0x180F: the value of the characteristic Battery Level (GATT Specification Supplement 3.26).
        static let battery: UInt16 = 0x0F18
        /// BTHome, 0xFCD2 (https://bthome.io/format).
        static let btHome: UInt16 = 0xD2FC
        /// Minew, 0xFFE1 ("Mini BeaconPlus Configuration Instruction", advertising data format of the frame Info).
        static let minew: UInt16 = 0xE1FF
    }

    /// Returns the level in percent that an advertisement or a scan response contains; `nil` if it contains none.
    ///
    /// A voltage, such as that of Eddystone-TLM, gives no level: the type of the battery is unknown.
    public static func percent(advertisingData: RawSpan) -> UInt8? {
        var structures = ADStructures(advertisingData)
        while let structure = structures.next() {
            guard structure.type == ADType.serviceData16, let percent = percent(serviceData: structure.data),
                percent <= 100
            else { continue }
            return percent
        }
        return nil
    }

    private static func percent(serviceData data: RawSpan) -> UInt8? {
        guard let service: UInt16 = data.bigEndian(at: 0) else { return nil }
        switch service {
        case Service.battery: return data.byteCount == 3 ? data.bigEndian(at: 2) : nil
        case Service.btHome: return btHome(data)
        case Service.minew:
            // Each frame of this type, whatever its version: version number, battery level, measurements.
            let isFrame = data.bigEndian(at: 2) == UInt8(0xA1)
            return isFrame ? data.bigEndian(at: 4) : nil
        default: return nil
        }
    }

    /// BTHome, version 2: an octet with the version in its upper three bits and encryption in the lowest, then objects in the
    /// order of their identifiers. Only the packet's number, 0x00, may stand before the battery, 0x01; each has one octet.
    private static func btHome(_ data: RawSpan) -> UInt8? {
        guard let information: UInt8 = data.bigEndian(at: 2), information >> 5 == 2, information & 1 == 0 else {
            return nil
        }
        let first = data.bigEndian(at: 3) == UInt8(0x00) ? 5 : 3
        return data.bigEndian(at: first) == UInt8(0x01) ? data.bigEndian(at: first + 1) : nil
    }
}
