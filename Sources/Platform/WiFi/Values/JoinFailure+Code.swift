extension JoinFailure {
    /// The kind of failure, without its details: a stable name for programs and translations.
    public enum Code: String, Sendable, CaseIterable {
        case noNetworkManager
        case noWiFiDevice
        case deviceNotManaged
        case firmwareMissing
        case noSupplicant
        case networkingOff
        case radioOff
        case hardwareSwitchOff
        case servesHotspot
        case connectedElsewhere
        case connectedToTwin
        case userLoggedIn
        case noHotspotProfile
        case notInSight
        case onlyUnsecuredInSight
        case mixedSecurityInSight
        case savedProfileUnsecured
        case noCredentials
        case enterpriseNeedsProfile
        case passphraseFile
        case wrongPassphrase
        case handshakeFailed
        case secretUnavailable
        case noPermission
        case noAddress
        case timedOut
        case interrupted
        case refused
        case other
    }

    public var code: Code {
        switch self {
        case .noNetworkManager: .noNetworkManager
        case .noWiFiDevice: .noWiFiDevice
        case .deviceNotManaged: .deviceNotManaged
        case .firmwareMissing: .firmwareMissing
        case .noSupplicant: .noSupplicant
        case .networkingOff: .networkingOff
        case .radioOff: .radioOff
        case .hardwareSwitchOff: .hardwareSwitchOff
        case .servesHotspot: .servesHotspot
        case .connectedElsewhere: .connectedElsewhere
        case .connectedToTwin: .connectedToTwin
        case .userLoggedIn: .userLoggedIn
        case .noHotspotProfile: .noHotspotProfile
        case .notInSight: .notInSight
        case .onlyUnsecuredInSight: .onlyUnsecuredInSight
        case .mixedSecurityInSight: .mixedSecurityInSight
        case .savedProfileUnsecured: .savedProfileUnsecured
        case .noCredentials: .noCredentials
        case .enterpriseNeedsProfile: .enterpriseNeedsProfile
        case .passphraseFile: .passphraseFile
        case .wrongPassphrase: .wrongPassphrase
        case .handshakeFailed: .handshakeFailed
        case .secretUnavailable: .secretUnavailable
        case .noPermission: .noPermission
        case .noAddress: .noAddress
        case .timedOut: .timedOut
        case .interrupted: .interrupted
        case .refused: .refused
        case .other: .other
        }
    }
}
