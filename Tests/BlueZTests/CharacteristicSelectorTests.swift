@testable import BlueZ
import Testing

@Suite struct CharacteristicSelectorTests {
    private static let alert = BluetoothUUID(0x2A06)
    private static let (loss, immediate) = (BluetoothUUID(0x1803), BluetoothUUID(0x1802))

    private func characteristic(
        _ service: BluetoothUUID, _ instance: Int, _ properties: Set<CharacteristicProperty>
    ) -> Characteristic {
        Characteristic(
            uuid: Self.alert, service: service, instance: instance, properties: properties,
            path: "/\(service)/\(instance)")
    }

    /// One in each of two services, and two in a third one.
    private var all: [Characteristic] {
        [
            characteristic(Self.immediate, 1, [.writeWithoutResponse]), characteristic(Self.loss, 1, [.read, .write]),
            characteristic(BluetoothUUID(0x1812), 1, [.read]),
            characteristic(BluetoothUUID(0x1812), 2, [.read, .notify]),
        ]
    }

    private func selected(
        _ text: String, _ properties: Set<CharacteristicProperty> = []
    ) throws(CentralError) -> Characteristic {
        let selector = CharacteristicSelector(text) ?? CharacteristicSelector(BluetoothUUID(0))
        return try selector.select(from: all, with: properties, address: "AA:00")
    }

    @Test(arguments: [
        ("2A06", CharacteristicSelector(alert)), ("1802/2a06", CharacteristicSelector(alert, in: immediate)),
        ("2A06#2", CharacteristicSelector(alert, instance: 2)),
        ("1802/2A06#12", CharacteristicSelector(alert, in: immediate, instance: 12)),
    ]) func `a text is read, and printed as it is read`(_ text: String, _ selector: CharacteristicSelector) {
        #expect(CharacteristicSelector(text) == selector)
        #expect(selector.description == text.uppercased())
        #expect(CharacteristicSelector(selector.description) == selector)
    }

    @Test(arguments: [
        "", "/", "#", "2A0", "2A06#", "2A06#0", "2A06#-1", "2A06#+1", "2A06#x", "/2A06", "1802/", "1802/2A06/2A07",
        "2A06#1#2", "2A06#99999999999999999999",
    ]) func `another text is not a selector`(_ text: String) {
        #expect(CharacteristicSelector(text) == nil)
    }

    @Test func `of several the only one with the property is used`() throws {
        #expect(try selected("2A06", [.writeWithoutResponse]).service == Self.immediate)
        #expect(try selected("2A06", [.write]).service == Self.loss)
        #expect(try selected("2A06", [.notify, .indicate]).instance == 2)
    }

    @Test func `the service and the number select one`() throws {
        #expect(try selected("1803/2A06").service == Self.loss)
        #expect(try selected("1812/2A06#2") == all[3])
        #expect(try selected("2A06#4") == all[3], "the number counts those of all services without one")
        for characteristic in all {
            #expect(try characteristic.selector.select(from: all, with: [], address: "") == characteristic)
        }
    }

    @Test func `an ambiguous selector is refused with the choices`() {
        #expect(
            throws: CentralError.ambiguous(
                CharacteristicSelector(Self.alert),
                choices: ["1803/2A06", "1812/2A06#1", "1812/2A06#2"].compactMap { CharacteristicSelector($0) })
        ) { try selected("2A06", [.read]) }
    }

    @Test func `what cannot be selected is reported`() {
        let fifth = CharacteristicSelector(Self.alert, instance: 5)
        #expect(throws: CentralError.noCharacteristic(fifth, address: "AA:00")) { try selected("2A06#5") }
        #expect(throws: CentralError.notSupported(Self.alert, .indicate)) { try selected("2A06", [.indicate]) }
        // The request itself reports what a single one cannot do.
        #expect(throws: Never.self) { try selected("1803/2A06", [.indicate]) }
    }

    @Test func `a long list of choices is cut`() {
        let many = (1...1000).map { characteristic(Self.loss, $0, [.read]) }
        #expect {
            try CharacteristicSelector(Self.alert).select(from: many, with: [], address: "")
        } throws: { error in
            "\(error)".contains("1803/2A06#1, ") && "\(error)".count < 400
        }
    }
}
