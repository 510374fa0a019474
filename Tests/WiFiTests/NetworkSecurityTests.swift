import OkaeriWiFi
import Testing

struct NetworkSecurityTests {
    @Test(
        arguments: [
            ("open", 0, 0, 0, NetworkSecurity.weak(.open)),
            ("open with WPS", 0x2, 0, 0, .weak(.open)),
            ("WEP", 0x1, 0, 0, .weak(.wep)),
            ("WPA1", 0x1, 0x144, 0, .weak(.wpa)),
            ("WPA1 without the privacy bit", 0x0, 0x144, 0, .weak(.wpa)),
            ("WPA1-Enterprise", 0x1, 0x244, 0, .weak(.wpa)),
            ("WPA1 and WPA2", 0x1, 0x144, 0x14C, .robust(.psk)),
            ("WPA2-PSK", 0x1, 0, 0x188, .robust(.psk)),
            ("WPA2-PSK, TKIP alone", 0x1, 0, 0x144, .weak(.wpa)),
            ("WPA2-PSK, WEP as cipher", 0x1, 0, 0x111, .weak(.wpa)),
            ("WPA2-PSK, a cipher without a flag", 0x1, 0, 0x100, .robust(.psk)),
            ("WPA2 and WPA3", 0x1, 0, 0x588, .robust([.psk, .sae])),
            ("WPA3", 0x1, 0, 0x488, .robust(.sae)),
            ("WPA2-Enterprise", 0x1, 0, 0x288, .robust(.enterprise)),
            ("WPA3-Enterprise, 192 bit", 0x1, 0, 0x2000, .robust(.enterprise)),
            ("WPA2-PSK and -Enterprise", 0x1, 0, 0x388, .robust([.psk, .enterprise])),
            ("OWE", 0x0, 0, 0x888, .weak(.enhancedOpen)),
            ("OWE, transition mode", 0x0, 0, 0x1000, .weak(.enhancedOpen)),
            ("RSN without any known key management", 0x1, 0, 0x88, .weak(.wpa)),
        ] as [(String, UInt32, UInt32, UInt32, NetworkSecurity)])
    func `the flags of an access point give its security`(
        name: String, flags: UInt32, wpa: UInt32, rsn: UInt32, security: NetworkSecurity
    ) {
        #expect(NetworkSecurity(flags: flags, wpa: wpa, rsn: rsn) == security, "\(name)")
    }

    @Test func `weakness is ordered`() {
        #expect(WeakSecurity.allCases.sorted() == [.open, .enhancedOpen, .wep, .wpa, .wpa2])
        #expect(WeakSecurity.allCases.allSatisfy { !$0.description.isEmpty })
    }
}
