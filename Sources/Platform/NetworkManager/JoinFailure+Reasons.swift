import CNetworkManager
import WiFi

extension JoinFailure {
    init(_ end: DeviceJournal.End, name: String, ssid: String) {
        switch NMDeviceStateReason(end.reason) {
        // Without an agent that could ask for another passphrase, a refused one ends as "no secrets"; so does a link that broke
        // off after it was taken.
        case NM_DEVICE_STATE_REASON_NO_SECRETS where end.wasAssociated:
            self = .other(
                reason: Int(NM_DEVICE_STATE_REASON_SUPPLICANT_DISCONNECT.rawValue), name: "supplicant-disconnect")
        case NM_DEVICE_STATE_REASON_NO_SECRETS, NM_DEVICE_STATE_REASON_SUPPLICANT_DISCONNECT,
            NM_DEVICE_STATE_REASON_SUPPLICANT_TIMEOUT:
            self =
                end.wasAssociated
                ? .other(reason: Int(end.reason), name: name) : .wrongPassphrase(ssid: ssid)
        case NM_DEVICE_STATE_REASON_SSID_NOT_FOUND:
            self = .notInSight(ssid: ssid)
        case NM_DEVICE_STATE_REASON_IP_CONFIG_UNAVAILABLE, NM_DEVICE_STATE_REASON_IP_CONFIG_EXPIRED,
            NM_DEVICE_STATE_REASON_DHCP_START_FAILED, NM_DEVICE_STATE_REASON_DHCP_ERROR,
            NM_DEVICE_STATE_REASON_DHCP_FAILED, NM_DEVICE_STATE_REASON_IP_ADDRESS_DUPLICATE:
            self = .noAddress(ssid: ssid)
        case NM_DEVICE_STATE_REASON_REMOVED:
            self = .noWiFiDevice
        // NetworkManager lets go of its devices when it stops, a little before it is gone.
        // wpa_supplicant ends while it is upgraded, and is soon back.
        case NM_DEVICE_STATE_REASON_SLEEPING, NM_DEVICE_STATE_REASON_NOW_UNMANAGED,
            NM_DEVICE_STATE_REASON_SUPPLICANT_FAILED, NM_DEVICE_STATE_REASON_SUPPLICANT_AVAILABLE:
            self = .interrupted
        default:
            self = .other(reason: Int(end.reason), name: name)
        }
    }

    /// Whether the access point had taken the passphrase, and the connection broke off: the next attempt may succeed.
    var isLostLink: Bool {
        guard let reason else { return false }
        let lost = [NM_DEVICE_STATE_REASON_SUPPLICANT_DISCONNECT, NM_DEVICE_STATE_REASON_SUPPLICANT_TIMEOUT]
        return lost.contains { Int($0.rawValue) == reason }
    }

    /// - Parameter reason: The reason why the connection was deactivated, if the device gives none.
    init(connectionReason reason: NMActiveConnectionStateReason, ssid: String) {
        switch reason {
        case NM_ACTIVE_CONNECTION_STATE_REASON_NO_SECRETS, NM_ACTIVE_CONNECTION_STATE_REASON_LOGIN_FAILED:
            self = .wrongPassphrase(ssid: ssid)
        case NM_ACTIVE_CONNECTION_STATE_REASON_IP_CONFIG_INVALID:
            self = .noAddress(ssid: ssid)
        case NM_ACTIVE_CONNECTION_STATE_REASON_CONNECT_TIMEOUT:
            self = .timedOut(ssid: ssid)
        case NM_ACTIVE_CONNECTION_STATE_REASON_DEVICE_REMOVED:
            self = .noWiFiDevice
        case NM_ACTIVE_CONNECTION_STATE_REASON_SERVICE_STOPPED:
            self = .interrupted
        default:
            self = .other(reason: Int(reason.rawValue), name: "the connection was deactivated")
        }
    }
}
