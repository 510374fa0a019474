extension JoinFailure {
    /// A stable name for programs.
    public var code: String {
        switch self {
        case .noNetworkManager: "noNetworkManager"
        case .noWiFiDevice: "noWiFiDevice"
        case .deviceNotManaged: "deviceNotManaged"
        case .radioOff: "radioOff"
        case .hardwareSwitchOff: "hardwareSwitchOff"
        case .notInSight: "notInSight"
        case .onlyUnsecuredInSight: "onlyUnsecuredInSight"
        case .savedProfileUnsecured: "savedProfileUnsecured"
        case .noCredentials: "noCredentials"
        case .enterpriseNeedsProfile: "enterpriseNeedsProfile"
        case .passphraseFile: "passphraseFile"
        case .wrongPassphrase: "wrongPassphrase"
        case .noPermission: "noPermission"
        case .noAddress: "noAddress"
        case .timedOut: "timedOut"
        case .interrupted: "interrupted"
        case .refused: "refused"
        case .other: "other"
        }
    }
}
