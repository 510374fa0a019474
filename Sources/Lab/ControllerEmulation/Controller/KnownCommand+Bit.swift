import HCI

extension KnownCommand {
    /// The bit of Read Local Supported Commands (Vol 4, Part E, Section 6.27).
    private var bit: (octet: Int, bit: Int) {
        switch self {
        case .setEventMask: (5, 6)
        case .reset: (5, 7)
        case .setEventFilter: (6, 0)
        case .readLocalName: (7, 1)
        case .writeConnectionAcceptTimeout: (7, 3)
        case .readClassOfDevice: (9, 0)
        case .readVoiceSetting: (9, 2)
        case .readNumberOfSupportedIACs: (11, 2)
        case .readCurrentIACs: (11, 3)
        case .readBufferSize: (14, 7)
        case .readLocalVersion: (14, 3)
        case .readLocalSupportedCommands: (14, 4)
        case .readLocalSupportedFeatures: (14, 5)
        case .readAddress: (15, 1)
        case .leSetEventMask: (25, 0)
        case .leReadBufferSize: (25, 1)
        case .leReadLocalSupportedFeatures: (25, 2)
        case .leSetRandomAddress: (25, 4)
        case .leSetAdvertisingParameters: (25, 5)
        case .leReadAdvertisingTransmitPower: (25, 6)
        case .leSetAdvertisingData: (25, 7)
        case .leSetScanResponseData: (26, 0)
        case .leSetAdvertisingEnable: (26, 1)
        case .leSetScanParameters: (26, 2)
        case .leSetScanEnable: (26, 3)
        case .leCreateConnection: (26, 4)
        case .leCreateConnectionCancel: (26, 5)
        case .leReadFilterAcceptListSize: (26, 6)
        case .leClearFilterAcceptList: (26, 7)
        case .leAddToFilterAcceptList: (27, 0)
        case .leRemoveFromFilterAcceptList: (27, 1)
        case .leReadSupportedStates: (28, 3)
        case .leSetDataLength: (33, 6)
        case .leReadSuggestedDefaultDataLength: (33, 7)
        case .leWriteSuggestedDefaultDataLength: (34, 0)
        case .leAddToResolvingList: (34, 3)
        case .leRemoveFromResolvingList: (34, 4)
        case .leClearResolvingList: (34, 5)
        case .leReadResolvingListSize: (34, 6)
        case .leReadPeerResolvableAddress: (34, 7)
        case .leReadLocalResolvableAddress: (35, 0)
        case .leSetAddressResolutionEnable: (35, 1)
        case .leSetResolvablePrivateAddressTimeout: (35, 2)
        case .leReadMaximumDataLength: (35, 3)
        case .leSetAdvertisingSetRandomAddress: (36, 1)
        case .leSetExtendedAdvertisingParameters: (36, 2)
        case .leSetExtendedAdvertisingData: (36, 3)
        case .leSetExtendedScanResponseData: (36, 4)
        case .leSetExtendedAdvertisingEnable: (36, 5)
        case .leReadMaximumAdvertisingDataLength: (36, 6)
        case .leReadNumberOfSupportedAdvertisingSets: (36, 7)
        case .leRemoveAdvertisingSet: (37, 0)
        case .leClearAdvertisingSets: (37, 1)
        case .leSetExtendedScanParameters: (37, 5)
        case .leSetExtendedScanEnable: (37, 6)
        case .leExtendedCreateConnection: (37, 7)
        case .leSetPrivacyMode: (39, 2)
        }
    }

    /// The answer to Read Local Supported Commands.
    static func mask(of kind: ControllerKind) -> SupportedCommands {
        var mask = SupportedCommands()
        for command in all(of: kind) {
            mask.insert(octet: command.bit.octet, bit: command.bit.bit)
        }
        return mask
    }
}
