import IBeacon
import OkaeriDaemonTestSupport
import OkaeriPlumbing
import OkaeriTestSupport
import OkaeriWiFi
import RegionMonitoring
import Testing

@testable import OkaeriAutomation
@testable import OkaeriDaemon
@testable import OkaeriEvents
@testable import OkaeriPresence

/// State that earlier versions have written: an upgrade loses nothing of it.
@Suite struct EarlierStateTests {
    private let folder: TemporaryFolder
    private let file: StateFile

    init() throws {
        folder = try TemporaryFolder()
        file = StateFile(directory: folder.path)
    }

    @Test(arguments: PersistedFixture.all)
    func `the regions, the learned values and the answers are restored`(_ fixture: PersistedFixture) throws {
        try fixture.copy("state.json", to: folder)
        let state = try #require(try file.read(persistedTypes))
        let monitor = try #require(state[PresenceMemory.self]).monitorMemory(isStale: false)
        #expect(monitor.regions.map(\.identifier) == ["home", "work"])
        #expect(monitor.regions.map(\.lastKnown) == [.inside, .outside])
        #expect(monitor.regions.map { $0.signs[0].learnedExitTime != nil } == [true, false])
        let learned = try #require(monitor.beacons.first)
        let beacon = BeaconUUID(high: 0xE2C5_6DB5_DFFB_48D2, low: 0xB060_D0F5_A710_96E0)
        #expect(learned.identity == BeaconIdentity(uuid: beacon, major: 100, minor: 100))
        #expect(learned.silences.learned == 15)
        #expect(learned.silences.day.counts.reduce(0, +) > 100, "two minutes of adverts")
        let prompts = try #require(state[PromptMemory.self]).prompts
        #expect(prompts.never == ["HomeNet"] && prompts.next == 3)
        #expect(prompts.visits.map(\.regions) == [["home"]])

        // From now on it is kept in the layout of today, and is the same.
        try file.write(PersistedState(written: .now, parts: state.parts).text)
        let again = try #require(try file.read(persistedTypes))
        #expect(again.version == PersistedState.version)
        #expect(again[PresenceMemory.self]?.monitorMemory(isStale: false) == monitor)
        #expect(again[PromptMemory.self] == state[PromptMemory.self])
        #expect(again[EventsMemory.self] == state[EventsMemory.self])
    }

    @Test func `there is state of every layout that can be read`() throws {
        var layouts: Set<Int> = []
        for fixture in PersistedFixture.all {
            try fixture.copy("state.json", to: folder)
            let text = try #require(folder.text("state.json"))
            layouts.formUnion(PersistedState.versions.filter { text.contains("\"version\":\($0),") })
        }
        #expect(layouts == Set(PersistedState.versions))
    }
}
