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

    @Test func `a visible network is listed for each name`() {
        let heard = [Self.composed, Self.decomposed].map {
            VisibleNetwork(ssid: $0, strength: 50, security: .robust(.psk))
        }
        #expect(VisibleNetwork.merged(heard).count == 2)
    }
}
