import HCI
import Plumbing

extension EmulatedController {
    /// What the commands return that only ask (Vol 4, Part E, Sections 7.4 and 7.8), after the status.
    func information(_ known: KnownCommand) -> [UInt8] {
        switch known {
        case .readLocalVersion:
            // HCI and link layer 5.0, no revision; the manufacturer's number that is for internal use.
            [0x09] + [UInt8](littleEndian: UInt16(0)) + [0x09] + [UInt8](littleEndian: UInt16(0xFFFF))
                + [UInt8](littleEndian: UInt16(0))
        case .readLocalSupportedCommands: KnownCommand.mask(of: kind).octets
        case .readLocalSupportedFeatures: [0, 0, 0, 0, Self.leWithoutClassic, 0, 0, 0]
        case .readAddress: [UInt8](address)
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
        case .setEventMask, .reset, .leSetEventMask, .leSetRandomAddress, .leSetAdvertisingParameters,
            .leSetAdvertisingData, .leSetScanResponseData, .leSetAdvertisingEnable, .leSetScanParameters,
            .leSetScanEnable, .leCreateConnection, .leCreateConnectionCancel, .leClearFilterAcceptList,
            .leAddToFilterAcceptList, .leRemoveFromFilterAcceptList, .leSetDataLength,
            .leWriteSuggestedDefaultDataLength, .leAddToResolvingList, .leRemoveFromResolvingList,
            .leClearResolvingList, .leReadPeerResolvableAddress, .leReadLocalResolvableAddress,
            .leSetAddressResolutionEnable, .leSetResolvablePrivateAddressTimeout, .leSetAdvertisingSetRandomAddress,
            .leSetExtendedAdvertisingParameters, .leSetExtendedAdvertisingData, .leSetExtendedScanResponseData,
            .leSetExtendedAdvertisingEnable, .leRemoveAdvertisingSet, .leClearAdvertisingSets,
            .leSetExtendedScanParameters, .leSetExtendedScanEnable, .leExtendedCreateConnection, .leSetPrivacyMode:
            []
        }
    }

    /// The LE features (Vol 6, Part B, Section 4.6): data length extension, privacy, and extended advertising.
    private var features: UInt64 {
        switch kind {
        case .legacy: 1 << 5 | 1 << 6
        case .extended: 1 << 5 | 1 << 6 | 1 << 12
        }
    }

    /// Byte 4 of the features: LE Supported, BR/EDR Not Supported (Vol 2, Part C, Section 3.3).
    private static let leWithoutClassic: UInt8 = 0x60

    /// Bits 4 and 5 of the states (Section 7.8.27).
    private static let passiveAndActiveScanning: UInt64 = 0x30

    /// What every connection can carry at least.
    private static let minimumDataLength: UInt16 = 27
    private static let minimumDataTime: UInt16 = 328
}

extension [UInt8] {
    fileprivate var repeated: [UInt8] { self + self }
}
