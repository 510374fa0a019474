import OkaeriWiFi
import Testing

struct HomeNetworkTests {
    @Test(arguments: ["x", String(repeating: "x", count: 32), String(repeating: "ö", count: 16)])
    func `a name of 1 to 32 bytes is accepted`(ssid: String) throws {
        #expect(try HomeNetwork(ssid: ssid).ssid == ssid)
    }

    @Test(arguments: [
        ("", 0), (String(repeating: "x", count: 33), 33), (String(repeating: "ö", count: 16) + "x", 33),
    ])
    func `an empty or longer name is refused`(ssid: String, length: Int) {
        let error = #expect(throws: SSIDLengthError.self) { try HomeNetwork(ssid: ssid) }
        #expect(error?.length == length)
        #expect(error?.description.isEmpty == false)
    }

    @Test func `it prompts unless configured otherwise`() throws {
        #expect(try HomeNetwork(ssid: "Home").join == .prompt)
    }
}
