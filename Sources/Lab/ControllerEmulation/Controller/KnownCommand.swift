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
