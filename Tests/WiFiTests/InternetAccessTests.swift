import Testing

@testable import OkaeriWiFi

struct InternetAccessTests {
    @Test(arguments: [
        ("http://check.example/x?y=1", true), (nil, false), ("", false), ("https://check.example", false),
        ("http://check.example/\u{1B}]0;x", false), ("http://check.example/a b", false),
        ("http://\u{202E}elpmaxe", false), ("http://" + String(repeating: "a", count: 193), true),
        ("http://" + String(repeating: "a", count: 194), false),
    ])
    func `only an address that a portal can redirect and a terminal can show is offered`(
        checked: String?, isOffered: Bool
    ) throws {
        let access = InternetAccess(portalAt: checked)
        #expect(access == .portal(address: isOffered ? checked : nil))
        #expect(access.limitation == .captivePortal)
        #expect(try #require(access.reason).contains(isOffered ? "open \(checked ?? "") in" : "begins with http://"))
    }
}
