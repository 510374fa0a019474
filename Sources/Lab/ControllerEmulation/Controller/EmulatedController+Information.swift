import HCI
import Plumbing

extension EmulatedController {
    /// Returns what commands that only read return (Vol 4, Part E, 7.4 and 7.8), after the status; or nothing.
    func information(_ known: KnownCommand) -> [UInt8] {
        switch known {
        case .readLocalVersion:
            // The version of HCI and of the link layer, no revision; the manufacturer's number that is for internal use.
            [version] + [UInt8](littleEndian: UInt16(0)) + [version] + [UInt8](littleEndian: UInt16(0xFFFF))
                + [UInt8](littleEndian: UInt16(0))
        case .readLocalSupportedCommands: KnownCommand.mask(of: kind).octets
        case .readLocalSupportedFeatures: kind == .classic ? Self.classicFeatures : Self.leWithoutClassic
        case .readBufferSize:
            [UInt8](littleEndian: Self.classicDataLength) + [0] + [UInt8](littleEndian: UInt16(8))
                + [UInt8](littleEndian: UInt16(0))
        case .readLocalName: [UInt8](repeating: 0, count: 248)
        case .readClassOfDevice: [0, 0, 0]
        case .readVoiceSetting: [UInt8](littleEndian: Self.defaultVoiceSetting)
        case .readNumberOfSupportedIACs: [1]
        case .readCurrentIACs: [1] + Self.generalInquiry
        case .readAddress: address.bytes
        case .leReadBufferSize: [UInt8](littleEndian: Self.minimumDataLength) + [8]
        case .leReadLocalSupportedFeatures: [UInt8](littleEndian: features)
        case .leReadAdvertisingTransmitPower: [0]
        case .leReadFilterAcceptListSize, .leReadResolvingListSize: [UInt8(Self.listCapacity)]
        case .leReadSupportedStates: [UInt8](littleEndian: Self.passiveAndActiveScanning)
        case .leReadSuggestedDefaultDataLength:
            [UInt8](littleEndian: Self.minimumDataLength) + [UInt8](littleEndian: Self.minimumDataTime)
        case .leReadMaximumDataLength:
            // The longest of Vol 6, Part B, Section 4.5.10, to send and to receive.
            ([UInt8](littleEndian: UInt16(251)) + [UInt8](littleEndian: UInt16(2120))).repeated
        case .leReadMaximumAdvertisingDataLength: [UInt8](littleEndian: UInt16(Advertiser.maximumDataLength))
        case .leReadNumberOfSupportedAdvertisingSets: [1]
        default: []
        }
    }

    /// The LE features (Vol 6, Part B, Section 4.6): data length extension, privacy, and extended advertising.
    private var features: UInt64 {
        switch kind {
        case .classic: 0
        case .legacy: 1 << 5 | 1 << 6
        case .extended: 1 << 5 | 1 << 6 | 1 << 12
        }
    }

    /// Bluetooth 2.0 or 5.0, in the numbers of HCI.
    private var version: UInt8 { kind == .classic ? 0x03 : 0x09 }

    /// LE Supported, BR/EDR Not Supported (Vol 2, Part C, Section 3.3).
    private static let leWithoutClassic: [UInt8] = [0, 0, 0, 0, 0x60, 0, 0, 0]

    /// 3-slot and 5-slot packets, and nothing of LE.
    private static let classicFeatures: [UInt8] = [0x03, 0, 0, 0, 0, 0, 0, 0]

    /// The payload of a DH5 packet, the longest of basic rate (Vol 2, Part B, Section 6.5.4).
    private static let classicDataLength: UInt16 = 339

    /// Section 6.12.
    private static let defaultVoiceSetting: UInt16 = 0x0060

    /// The access code of the general inquiry, 0x9E8B33.
    private static let generalInquiry: [UInt8] = [0x33, 0x8B, 0x9E]

    /// Bits 4 and 5 of the states (Section 7.8.27).
    private static let passiveAndActiveScanning: UInt64 = 0x30

    private static let minimumDataLength: UInt16 = 27
    private static let minimumDataTime: UInt16 = 328
}

extension [UInt8] {
    fileprivate var repeated: [UInt8] { self + self }
}
