import OkaeriTestSupport
import OkaeriWiFi
import Testing

/// Names that Swift's strings hold for equal, and that are different on the air.
struct SSIDTests {
    private static let composed = "Caf\u{E9}"
    private static let decomposed = "Cafe\u{301}"

    private let ready = NetworkCondition.ready(via: .savedProfile)
    private var scene = Scene()

    /// Arrives at both networks and is asked about them.
    private mutating func arriveAtBoth() throws {
        _ = try scene.arrive("café", ssid: Self.composed, at: 0)
        _ = try scene.arrive("kitchen", ssid: Self.decomposed, at: 0)
        _ = scene.determine(1, ready, at: 1)
        _ = scene.determine(2, ready, at: 1)
    }

    private static func bytes(_ texts: some Sequence<String>) -> [[UInt8]] { texts.map { Array($0.utf8) } }

    @Test mutating func `two networks whose names differ only in their bytes have a prompt each`() throws {
        try arriveAtBoth()
        #expect(Self.bytes(scene.prompter.prompts.map(\.ssid)) == Self.bytes([Self.composed, Self.decomposed]))
    }

    @Test mutating func `the answer never counts for the one network, and after a restart as well`() throws {
        try arriveAtBoth()
        _ = try scene.answer(1, .never, at: 2)
        _ = scene.depart("café", at: 3)
        _ = scene.depart("kitchen", at: 3)
        var next = Scene()
        next.prompter.restored(scene.prompter.memory(at: Scene.at(10)), networks: [:], at: Scene.at(0))
        for var scene in [scene, next] {
            let refused = try scene.arrive("café", ssid: Self.composed, at: 10_000)
            #expect(refused == [.note(ssid: Self.composed, regions: ["café"], .refused)])
            let asked = try scene.arrive("kitchen", ssid: Self.decomposed, at: 10_000)
            guard case .determineCondition? = asked.first else {
                Issue.record("the other network is not asked about")
                return
            }
        }
    }

    @Test(
        arguments: [
            ([0x43, 0x61, 0x66, 0xE9], #"Caf\xE9"#), (Array("Café".utf8), "Café"), ([0xFF, 0x00], #"\xFF\#u{0}"#),
            (Array(#"\xE9"#.utf8), #"\x5CxE9"#), (Array(#"\x"#.utf8) + [0xE9], #"\x\xE9"#),
            (Array(#"\\x5C"#.utf8), #"\\x5Cx5C"#),
            ([0xE5, 0xAE], #"\xE5\xAE"#), ([0xF0, 0x9F, 0x98, 0x80, 0x80], #"😀\x80"#),
        ] as [([UInt8], String)])
    func `a name in any bytes has a text of its own`(bytes: [UInt8], text: String) {
        let name = SSID(bytes: bytes)
        #expect(name.text == text && name.bytes == bytes)
        #expect(SSID(text) == name && SSID(text).bytes == bytes)
        #expect(name.isUTF8 == (String(validating: bytes, as: UTF8.self) != nil))
    }

    @Test func `random names are read back, and are as long as their bytes`() throws {
        var generator = SeededGenerator(seed: 12)
        for _ in 0..<2000 {
            let alphabet: [UInt8] = [0x5C, 0x78, 0x45, 0x39, 0xE9, 0xC3, 0xA9, 0x41]
            let bytes = (0..<Int.random(in: 1...32, using: &generator)).map { _ in
                alphabet.randomElement(using: &generator) ?? 0
            }
            #expect(SSID(bytes: bytes).bytes == bytes)
            #expect(try HomeNetwork(ssid: SSID(bytes: bytes).text).name.bytes == bytes)
        }
    }

    @Test func `a visible network is listed for each name`() {
        let heard = [Self.composed, Self.decomposed].map {
            VisibleNetwork(ssid: $0, strength: 50, security: .robust(.psk))
        }
        #expect(VisibleNetwork.merged(heard).count == 2)
    }
}
