import CNetworkManager

/// NMDeviceState, as the numbers signals carry.
enum DeviceState {
    static let unmanaged = NM_DEVICE_STATE_UNMANAGED.rawValue
    static let unavailable = NM_DEVICE_STATE_UNAVAILABLE.rawValue
    static let disconnected = NM_DEVICE_STATE_DISCONNECTED.rawValue
    static let prepare = NM_DEVICE_STATE_PREPARE.rawValue
    static let ipConfig = NM_DEVICE_STATE_IP_CONFIG.rawValue
    static let activated = NM_DEVICE_STATE_ACTIVATED.rawValue
    static let deactivating = NM_DEVICE_STATE_DEACTIVATING.rawValue
    static let failed = NM_DEVICE_STATE_FAILED.rawValue

    /// From the first preparation to the last check, not yet activated.
    static let activating = prepare..<activated

    /// The network has accepted the device, which requests and checks an address.
    static let addressing = ipConfig..<activated
}
