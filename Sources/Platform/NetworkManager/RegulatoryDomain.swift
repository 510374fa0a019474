import FoundationEssentials

/// The country whose rules for radio Wi-Fi follows.
struct RegulatoryDomain: Sendable {
    /// The kernel's parameter that Raspberry Pi OS sets; a test has its own file.
    var parameter = "/sys/module/cfg80211/parameters/ieee80211_regdom"

    /// The program that sets the country on Raspberry Pi OS.
    var program = "/usr/bin/raspi-config"

    /// Whether this is Raspberry Pi OS, which keeps Wi-Fi off until a country is set, and none is set ("00", the world).
    var isCountryUnset: Bool {
        guard FileManager.default.isExecutableFile(atPath: program),
            let text = try? String(contentsOfFile: parameter, encoding: .utf8)
        else { return false }
        return text.prefix { $0 != "\n" } == "00"
    }
}
