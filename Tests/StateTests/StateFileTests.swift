import FoundationEssentials
import Glibc
import IBeacon
import OkaeriChecksum
import OkaeriDaemonTestSupport
import OkaeriPlumbing
import OkaeriTestSupport
import OkaeriWiFi
import RegionMonitoring
import SystemPackage
import Testing

@testable import OkaeriAutomation
@testable import OkaeriDaemon
@testable import OkaeriEvents
@testable import OkaeriPresence

@Suite struct StateFileTests {
    private let folder: TemporaryFolder
    private let file: StateFile

    init() throws {
        folder = try TemporaryFolder()
        file = StateFile(directory: folder.path)
    }

    private let regions = RegionMonitor.Memory(
        regions: [
            known(monitored(), .inside, exitTime: .seconds(17)),
            known(
                MonitoredRegion(BeaconRegion(identifier: "gå \"rden\"", constraint: .uuid(home.uuid))), .outside),
            .init(
                identifier: "anna", lastKnown: .outside,
                signs: [
                    .init(identity: .beacon(.uuid(home.uuid)), lastKnown: .outside),
                    .init(identity: .beacon(.major(home.uuid, 1)), lastKnown: .inside, learnedExitTime: .seconds(40)),
                    .init(identity: .beacon(.major(home.uuid, 2)), lastKnown: .unknown),
                ]),
        ],
        beacons: [
            .init(
                identity: home,
                silences: LearnedSilences(
                    minutes: .init(
                        counts: (0..<60).map { Float($0) / 4 }, sums: (0..<60).map(Float.init), listened: 600),
                    day: .init(counts: [0, 0.5, 3], sums: [0, 0.75, 4.5], listened: 7200.25), ages: [3, 0, 70],
                    learned: 15),
                radios: [
                    "": LearnedSilences(
                        minutes: .init(), day: .init(counts: [0, 2], sums: [0, 3], listened: 30), learned: 2),
                    "attic": LearnedSilences(minutes: .init(), day: .init(), learned: 1),
                ])
        ])

    private let prompts = PromptMemory(
        refused: ["Café", "Net"], nextPrompt: 8,
        visits: [
            .init(
                ssid: "HomeNet", regions: ["home"], arrival: 3, isSettled: false, prompt: "7",
                sinceLastOffer: 5)
        ])

    private struct Clock: WallClock {
        func wallTime(of instant: Instant) -> Int64 { instant.nanoseconds }
        var now: Int64 { 0 }
    }

    private var batteries: BeaconBatteries {
        let received = Instant(nanoseconds: evening)
        var batteries = BeaconBatteries()
        batteries.levelReceived(BeaconBattery(identity: home, percent: 14, source: .gatt, received: received))
        batteries.readingBegan(home, at: received)
        return batteries
    }

    private var state: PersistedState {
        PersistedState(
            written: StateStamp(wall: evening, boot: "a", uptime: 7),
            parts: [
                PresenceMemory(regions), BatteryMemory(batteries, Clock()), prompts, OccupancyMemory(occupied: true),
                PeripheralsMemory([]),
                EventsMemory(sequence: 12),
            ])
    }

    @Test func `what is written is read`() throws {
        #expect(try file.read(persistedTypes) == nil, "there is none at first")
        try file.write(state.text)
        let read = try #require(try file.read(persistedTypes))
        #expect(read == state)
        #expect(read[PresenceMemory.self]?.monitorMemory(isStale: false) == regions)
        #expect(read[PromptMemory.self] == prompts)
        #expect(read[EventsMemory.self]?.sequence == 12)
    }

    @Test func `the times of the states are whole seconds, and those of a foreign file cause no overflow`() throws {
        let memory = PresenceMemory(regions, since: [regions.regions[0].identifier: 1_500_000_000])
        #expect(memory.regions.map(\.since) == [1, nil, nil])
        #expect(memory.since == [regions.regions[0].identifier: 1_000_000_000])
        var foreign = memory
        foreign.regions[0].since = .max
        foreign.regions[1].since = .min
        #expect(foreign.since == [regions.regions[0].identifier: .max])
    }

    @Test func `a stale state restores what was learned and answered, and no region`() throws {
        let memory = PresenceMemory(regions).monitorMemory(isStale: true)
        #expect(memory.regions.map(\.lastKnown) == [.unknown, .unknown, .unknown])
        #expect(memory.regions.flatMap(\.signs).allSatisfy { $0.lastKnown == .unknown })
        #expect(memory.beacons == regions.beacons)
    }

    @Test func `it is one JSON object, for its owner alone`() throws {
        try file.write(state.text)
        let bytes = try Data(contentsOf: URL(filePath: file.path))
        struct Checked: Decodable { var version: Int, checksum: String }
        #expect(try JSONDecoder().decode(Checked.self, from: bytes).checksum.count == 8)
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test func `a file cut at any byte is known as cut`() throws {
        let text = try state.text
        #expect(text.count > 500)
        for length in 0..<text.count {
            _ = try folder.file("state.json", Array(text.prefix(length)))
            do throws(StateFileError) {
                _ = try file.read(persistedTypes)
                Issue.record("cut at \(length) it was believed")
            } catch {
                guard case .damaged = error else {
                    Issue.record("cut at \(length): \(error)")
                    continue
                }
            }
        }
    }

    @Test func `a file with one flipped bit is rejected`() throws {
        let text = try state.text
        for place in text.indices {
            var flipped = text
            flipped[place] ^= 1 << UInt8(place % 8)
            #expect(throws: StateFileError.self, "\(place)") { try PersistedState(text: flipped, persistedTypes) }
        }
    }

    @Test func `rubbish is not a state, and no trap`() throws {
        var generator = SeededGenerator(seed: 5)
        let text = try state.text
        for round in 0..<2000 {
            var bytes = text
            if round % 2 == 0 {
                bytes = (0..<Int.random(in: 0...300, using: &generator)).map { _ in
                    UInt8.random(in: 0...255, using: &generator)
                }
            } else {
                let start = Int.random(in: 0..<bytes.count, using: &generator)
                for place in start..<min(bytes.count, start + 16) {
                    bytes[place] = UInt8.random(in: 0...127, using: &generator)
                }
            }
            #expect(throws: StateFileError.self) { try PersistedState(text: bytes, persistedTypes) }
        }
    }

    @Test func `learned values and mere age are distinguished from changes`() {
        var older = state
        older.written.wall += 1
        older[PromptMemory.self]?.prompts.visits[0].sinceLastOffer = 99
        older[EventsMemory.self]?.sequence = 99
        #expect(older.hasSameContent(as: state) && older != state)
        var wiser = state
        wiser[PresenceMemory.self]?.beacons[0].silences.learned -= 1
        wiser[PresenceMemory.self]?.regions[0].exitTime = 20
        #expect(!wiser.hasSameContent(as: state))
        #expect(wiser.isSameApartFromLearning(as: state))
        var gone = state
        #expect(gone.isOccupied)
        gone[PresenceMemory.self]?.regions[0].state = "outside"
        #expect(!gone.isOccupied)
        #expect(!gone.isSameApartFromLearning(as: state))
    }

    @Test func `a newer layout is reported as one, and one that never was is damage`() throws {
        var other = state
        for layout in [3, 1000] {
            other.version = layout
            try file.write(other.text)
            #expect(throws: StateFileError.newer(layout: layout)) { try file.read(persistedTypes) }
        }
        for layout in [0, -1] {
            other.version = layout
            try file.write(other.text)
            #expect(throws: StateFileError.damaged("there is no layout \(layout)")) { try file.read(persistedTypes) }
        }
    }

    /// The file as the version before wrote it: what was learned of a beacon that pauses for eleven seconds now and then.
    @Test func `what an earlier version has learned is not lost`() throws {
        let zeros = { (count: Int) in Array(repeating: "0", count: count).joined(separator: ",") }
        let body = """
            {"beacons":[{"beacon":"\(uuidText)/100/100","counts":[\(zeros(4)),500,\(zeros(10)),20,\(zeros(13))],\
            "learned":15,"sums":[\(zeros(4)),510,\(zeros(10)),220,\(zeros(13))]}],\
            "prompts":{"never":["Net"],"next":8,"visits":[]},"regions":[{"beacons":"\(uuidText)/*/*","exitTime":31.5,\
            "identifier":"home","state":"inside"}],"version":1,\
            "written":{"boot":"a","uptime":7,"wall":1763664120000000000}
            """
        let text = body + ",\"checksum\":\"\(CRC32(of: Array(body.utf8)[...]))\"}\n"
        _ = try folder.file("state.json", Array(text.utf8))
        chmod(file.path, 0o600)
        let read = try #require(try file.read(persistedTypes))
        let presence = try #require(read[PresenceMemory.self])
        let silences = try #require(presence.monitorMemory(isStale: false).beacons.first?.silences)
        #expect(silences.day.listened == 730 && silences.day.counts.reduce(0, +) == 520 && silences.learned == 15)
        #expect(read[PromptMemory.self]?.prompts.never == ["Net"] && presence.regions.first?.exitTime == 31.5)
        try file.write(read.text)
        let again = try #require(try file.read(persistedTypes)?[PresenceMemory.self])
        #expect(again.monitorMemory(isStale: false).beacons.first?.silences == silences)
    }

    @Test func `meaningless texts and numbers are rejected`() throws {
        func refuse(_ change: (inout PersistedState) -> Void) throws {
            var wrong = state
            change(&wrong)
            let text = try wrong.text
            #expect(throws: StateFileError.self) { try PersistedState(text: text, persistedTypes) }
        }
        try refuse { $0[PresenceMemory.self]?.regions[0].state = "upstairs" }
        try refuse { $0[PresenceMemory.self]?.regions[0].beacons = "nobody" }
        try refuse { $0[PresenceMemory.self]?.beacons[0].beacon = "\(uuidText)/1/*" }
        try refuse { $0[PresenceMemory.self]?.beacons[0].silences.minutes = nil }
        for seconds in [-1, 1e300] {
            try refuse { $0[PresenceMemory.self]?.regions[0].exitTime = seconds }
            try refuse { $0[PromptMemory.self]?.prompts.visits[0].sinceLastOffer = seconds }
        }
        for number in [1 << 53, 1 << 63, UInt64.max] { try refuse { $0[EventsMemory.self]?.sequence = number } }
    }

    @Test func `a write that was cut off leaves the old state, and is cleared away by the next`() throws {
        try file.write(state.text)
        _ = try folder.file("state.json.new", Array(try state.text.prefix(100)))
        #expect(try file.read(persistedTypes) == state)
        try file.write(state.text)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["state.json"])
    }

    @Test func `a file that others may write, and one that is not a file, are rejected and not moved`() throws {
        let text = try state.text
        let real = try folder.file("state.json", text)
        chmod(real, 0o666)
        #expect(throws: StateFileError.foreign) { try file.read(persistedTypes) }
        unlink(real)
        let elsewhere = try folder.file("elsewhere", text)
        symlink(elsewhere, real)
        #expect(throws: StateFileError.noFile) { try file.read(persistedTypes) }
        unlink(real)
        mkfifo(real, 0o600)
        #expect(throws: StateFileError.noFile) { try file.read(persistedTypes) }
        unlink(real)
        mkdir(real, 0o700)
        #expect(throws: StateFileError.noFile) { try file.read(persistedTypes) }
        #expect(throws: Errno.self) { try file.write(state.text) }
        rmdir(real)
        _ = try folder.file("state.json", [UInt8](repeating: 0x20, count: 1 << 20))
        #expect(throws: StateFileError.damaged("it is longer than any state")) { try file.read(persistedTypes) }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give a file away"))
    func `the state of another user is not read`() throws {
        let real = try folder.file("state.json", try state.text)
        #expect(chown(real, 65_534, 65_534) == 0)
        #expect(throws: StateFileError.foreign) { try file.read(persistedTypes) }
    }

    @Test func `a missing directory is made again, and an impossible one is reported`() throws {
        let deep = StateFile(directory: "\(folder.path)/a/b")
        try deep.write(state.text)
        #expect(try deep.read(persistedTypes) == state)
        #expect(throws: Errno.self) { try StateFile(directory: "/dev/null/a").write(state.text) }
    }
}

@Suite struct RestorationTests {
    private func stamp(wall: Double, boot: String? = "a", uptime: Double = 0) -> StateStamp {
        StateStamp(wall: evening + nanoseconds(wall), boot: boot, uptime: nanoseconds(uptime))
    }

    private let year = 31_536_000.0

    private func judge(_ written: StateStamp, _ now: StateStamp) -> Restoration {
        .judge(written, at: now, validFor: .seconds(900))
    }

    @Test func `within one start of the machine the wall clock may jump by a year`() {
        for jump in [-year, 0, year] {
            let now = stamp(wall: jump, uptime: 160)
            #expect(judge(stamp(wall: 0, uptime: 100), now) == .restored(age: .seconds(60)))
            #expect(judge(stamp(wall: 0, uptime: -900), now) == .stale(age: .seconds(1060)))
        }
    }

    @Test func `after another start the wall clock gives the age`() {
        let written = stamp(wall: 0, boot: "a", uptime: 5000)
        #expect(judge(written, stamp(wall: 900, boot: "b")) == .restored(age: .seconds(900)))
        #expect(judge(written, stamp(wall: 901, boot: "b")) == .stale(age: .seconds(901)))
        #expect(judge(stamp(wall: 0, boot: nil), stamp(wall: 60, boot: nil)) == .restored(age: .seconds(60)))
    }

    @Test func `a state from the future is used, since its age is unknown`() {
        let written = stamp(wall: year, boot: "a")
        let restoration = judge(written, stamp(wall: 0, boot: "b"))
        #expect(restoration == .restored(age: nil))
        #expect(restoration.description.contains("clock"))
    }

    @Test func `the kernel and systemd spell the same start of the machine differently`() {
        #expect(
            StateStamp.plain("158b4506-d10a-49a3-b082-c3c2549ad184\n")
                == StateStamp.plain("158b4506d10a49a3b082c3c2549ad184"))
    }

    @Test func `absurd stamps do not trap`() {
        for (then, now) in [(Int64.min, Int64.max), (.max, .min), (.min, 0)] {
            for boot in ["a", "b"] {
                let restoration = judge(
                    StateStamp(wall: then, boot: "a", uptime: then), StateStamp(wall: now, boot: boot, uptime: now))
                // Farther apart than a clock can count, or from the future: the age is unknown.
                #expect(restoration == .restored(age: nil))
            }
        }
    }

    @Test func `the age is printed in the most fitting unit`() {
        for (seconds, words) in [(42, "42 s"), (119, "119 s"), (1020, "17 min"), (10_800, "3 h"), (864_000, "10 days")]
        {
            #expect(Restoration.stale(age: .seconds(seconds)).description.contains("stale, \(words) old"))
        }
    }

    @Test func `the machine's own stamps are of one start and grow`() {
        let first = StateStamp.now
        let second = StateStamp.now
        #expect(first.boot != nil && first.boot == second.boot)
        #expect(second.age(at: first) == nil || second == first)
        #expect(first.age(at: second).map { $0 >= .zero } == true)
    }
}
