import OkaeriPlumbing
import OkaeriWiFi
import Testing

struct JoinFailureTests {
    private static let failures: [(JoinFailure, code: String, isPassing: Bool)] = [
        (.noNetworkManager, "noNetworkManager", false),
        (.noWiFiDevice, "noWiFiDevice", false),
        (.deviceNotManaged(device: "wlan0"), "deviceNotManaged", false),
        (.radioOff, "radioOff", false),
        (.hardwareSwitchOff, "hardwareSwitchOff", false),
        (.servesHotspot(device: "wlan0"), "servesHotspot", true),
        (.connectedElsewhere(device: "wlan0"), "connectedElsewhere", true),
        (.notInSight(ssid: "Home"), "notInSight", true),
        (.onlyUnsecuredInSight(ssid: "Home", seen: .open), "onlyUnsecuredInSight", false),
        (.mixedSecurityInSight(ssid: "Home"), "mixedSecurityInSight", false),
        (.savedProfileUnsecured(profile: "Home", security: .wep), "savedProfileUnsecured", false),
        (.noCredentials(ssid: "Home"), "noCredentials", false),
        (.enterpriseNeedsProfile(ssid: "Home"), "enterpriseNeedsProfile", false),
        (.passphraseFile(PassphraseFileError(path: "/x", problem: .file(.empty))), "passphraseFile", false),
        (.wrongPassphrase(ssid: "Home"), "wrongPassphrase", false),
        (.handshakeFailed(ssid: "Home", strength: 18), "handshakeFailed", true),
        (.firmwareMissing(device: "wlan0"), "firmwareMissing", false),
        (.noSupplicant(device: "wlan0"), "noSupplicant", false),
        (.networkingOff, "networkingOff", false),
        (.connectedToTwin(ssid: "Home", device: "wlan0", security: .open), "connectedToTwin", true),
        (.secretUnavailable(profile: "Home"), "secretUnavailable", false),
        (.noPermission, "noPermission", false),
        (.noAddress(ssid: "Home"), "noAddress", false),
        (.timedOut(ssid: "Home"), "timedOut", true),
        (.interrupted, "interrupted", true),
        (.refused(message: "no room"), "refused", false),
        (.other(reason: 35, name: "firmware-missing"), "other", false),
    ]

    @Test(arguments: failures)
    func `each failure has a stable code and a remedy`(failure: JoinFailure, code: String, isPassing: Bool) {
        #expect(failure.code.rawValue == code)
        #expect(failure.isPassing == isPassing)
        // What happened, then what to do.
        #expect(failure.description.contains(";"))
    }

    @Test func `codes are distinct`() {
        #expect(Set(Self.failures.map(\.code)).count == Self.failures.count)
    }

    @Test func `a failure names the security that was received`() {
        let failure = JoinFailure.onlyUnsecuredInSight(ssid: "Home", seen: .wep)
        #expect(failure.description.hasPrefix("“Home” is not joined: it is received only as WEP, without WPA2 or WPA3"))
    }
}
