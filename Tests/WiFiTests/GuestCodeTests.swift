import Testing

@testable import OkaeriWiFi

@Suite struct GuestCodeTests {
    @Test(arguments: [
        ("HomeNet", "correct horse", false, "WIFI:T:WPA;S:HomeNet;P:correct horse;;"),
        (#"a;b,c:"d\"#, #"p;\"#, false, #"WIFI:T:WPA;S:a\;b\,c\:\"d\\;P:p\;\\;;"#),
        ("家 ☕", "12345678", true, "WIFI:T:WPA;R:1;S:家 ☕;P:12345678;;"),
    ])
    func `names and passphrases are escaped`(ssid: String, passphrase: String, isWPA3: Bool, text: String) {
        #expect(GuestCode(ssid: ssid, passphrase: passphrase, isWPA3: isWPA3).text == text)
    }
}
