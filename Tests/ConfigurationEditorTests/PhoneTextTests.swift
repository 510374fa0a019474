import RegionMonitoring
import Testing

@testable import OkaeriConfiguration

struct PhoneTextTests {
    private let file = "/etc/okaeri/anna.irk"

    private func added(_ text: String?) throws -> (text: String, configuration: Configuration) {
        let text = try ConfigurationText(text, file: "beacons.json").adding(phone: file, as: "anna")
        return (text, try Configuration(json: Array(text.utf8), file: "beacons.json"))
    }

    @Test func `a phone is added to a new file`() throws {
        let (text, configuration) = try added(nil)
        #expect(
            text == """
                {
                  "regions": [
                    {
                      "identifier": "anna",
                      "phone": "/etc/okaeri/anna.irk"
                    }
                  ]
                }

                """)
        #expect(configuration.regions[0].monitored.signs == [RegionSign(.phone(file: file))])
    }

    @Test func `a phone is added behind the other regions, which stay as they are`() throws {
        let old = """
            { "regions": [ { "identifier": "home", "uuid": "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", "exitAfter": 30 } ] }
            """
        let (text, configuration) = try added(old)
        #expect(text.hasPrefix(String(old.dropLast(4))))
        #expect(configuration.regions.map(\.identifier) == ["home", "anna"])
        #expect(configuration.regions[0].monitored.exitAfter == .seconds(30))
    }

    @Test func `an identifier that is taken is reported`() {
        #expect(throws: ConfigurationError.self) {
            try added(#"{"regions": [{"identifier": "anna", "phone": "/other.irk"}]}"#)
        }
    }
}
