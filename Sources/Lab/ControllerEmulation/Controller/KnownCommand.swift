import HCI

/// The commands an emulated controller has, by opcode.
///
/// Bluetooth Core Specification 5.4, Vol 4, Part E, Sections 7.3, 7.4 and 7.8.
enum KnownCommand: UInt16, Hashable, Sendable, CaseIterable {
    case setEventMask = 0x0C01
    case reset = 0x0C03
    case setEventFilter = 0x0C05
    case readLocalName = 0x0C14
    case writeConnectionAcceptTimeout = 0x0C16
    case readClassOfDevice = 0x0C23
    case readVoiceSetting = 0x0C25
    case readNumberOfSupportedIACs = 0x0C38
    case readCurrentIACs = 0x0C39
    case readLocalVersion = 0x1001
    case readLocalSupportedCommands = 0x1002
    case readLocalSupportedFeatures = 0x1003
    case readBufferSize = 0x1005
    case readAddress = 0x1009
    case leSetEventMask = 0x2001
    case leReadBufferSize = 0x2002
    case leReadLocalSupportedFeatures = 0x2003
    case leSetRandomAddress = 0x2005
    case leSetAdvertisingParameters = 0x2006
    case leReadAdvertisingTransmitPower = 0x2007
    case leSetAdvertisingData = 0x2008
    case leSetScanResponseData = 0x2009
    case leSetAdvertisingEnable = 0x200A
    case leSetScanParameters = 0x200B
    case leSetScanEnable = 0x200C
    case leCreateConnection = 0x200D
    case leCreateConnectionCancel = 0x200E
    case leReadFilterAcceptListSize = 0x200F
    case leClearFilterAcceptList = 0x2010
    case leAddToFilterAcceptList = 0x2011
    case leRemoveFromFilterAcceptList = 0x2012
    case leReadSupportedStates = 0x201C
    case leSetDataLength = 0x2022
    case leReadSuggestedDefaultDataLength = 0x2023
    case leWriteSuggestedDefaultDataLength = 0x2024
    case leAddToResolvingList = 0x2027
    case leRemoveFromResolvingList = 0x2028
    case leClearResolvingList = 0x2029
    case leReadResolvingListSize = 0x202A
    case leReadPeerResolvableAddress = 0x202B
    case leReadLocalResolvableAddress = 0x202C
    case leSetAddressResolutionEnable = 0x202D
    case leSetResolvablePrivateAddressTimeout = 0x202E
    case leReadMaximumDataLength = 0x202F
    case leSetAdvertisingSetRandomAddress = 0x2035
    case leSetExtendedAdvertisingParameters = 0x2036
    case leSetExtendedAdvertisingData = 0x2037
    case leSetExtendedScanResponseData = 0x2038
    case leSetExtendedAdvertisingEnable = 0x2039
    case leReadMaximumAdvertisingDataLength = 0x203A
    case leReadNumberOfSupportedAdvertisingSets = 0x203B
    case leRemoveAdvertisingSet = 0x203C
    case leClearAdvertisingSets = 0x203D
    case leSetExtendedScanParameters = 0x2041
    case leSetExtendedScanEnable = 0x2042
    case leExtendedCreateConnection = 0x2043
    case leSetPrivacyMode = 0x204E
}

extension KnownCommand {
    static func all(of kind: ControllerKind) -> [KnownCommand] { allCases.filter { $0.isKnown(to: kind) } }

    func isKnown(to kind: ControllerKind) -> Bool {
        switch kind {
        case .legacy: !isClassic && family != .extended
        case .extended: !isClassic
        case .classic: !isLowEnergy
        }
    }

    /// Whether it is of the LE commands (Section 7.8), by its opcode group.
    private var isLowEnergy: Bool { rawValue >> 10 == 0x08 }

    /// Whether it is of no use without BR/EDR.
    private var isClassic: Bool {
        switch self {
        case .setEventFilter, .readLocalName, .writeConnectionAcceptTimeout, .readClassOfDevice, .readVoiceSetting,
            .readNumberOfSupportedIACs, .readCurrentIACs, .readBufferSize:
            true
        default: false
        }
    }

    /// Its family of commands; `nil` for both. A host may not mix families before a reset (Section 3.1.1).
    var family: CommandFamily? {
        switch self {
        case .leSetAdvertisingParameters, .leReadAdvertisingTransmitPower, .leSetAdvertisingData,
            .leSetScanResponseData, .leSetAdvertisingEnable, .leSetScanParameters, .leSetScanEnable,
            .leCreateConnection:
            .legacy
        case .leSetAdvertisingSetRandomAddress, .leSetExtendedAdvertisingParameters, .leSetExtendedAdvertisingData,
            .leSetExtendedScanResponseData, .leSetExtendedAdvertisingEnable, .leReadMaximumAdvertisingDataLength,
            .leReadNumberOfSupportedAdvertisingSets, .leRemoveAdvertisingSet, .leClearAdvertisingSets,
            .leSetExtendedScanParameters, .leSetExtendedScanEnable, .leExtendedCreateConnection:
            .extended
        default: nil
        }
    }

    /// Whether it is answered by Command Status, because it only begins something.
    var isAnsweredByStatus: Bool {
        self == .leCreateConnection || self == .leExtendedCreateConnection
    }
}

/// Bluetooth 4's commands for advertising, scanning and connecting, or Bluetooth 5's.
enum CommandFamily: Hashable, Sendable {
    case legacy
    case extended
}

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
