import Foundation
import OkaeriDaemonTestSupport
import OkaeriTestSupport
import Testing

@testable import OkaeriConfiguration
@testable import OkaeriHistory
@testable import okaeri

/// The interface for scripts: exit statuses (sysexits.h), results on standard output, sentences on standard error.
@Suite(.blocks) struct BinaryTests {
    private let binary: Binary
    private static let advertisement = "02 01 06 1A FF 4C 00 02 15 E2C56DB5DFFB48D2B060D0F5A71096E0 0064 0064 C5"

    init() throws { binary = try Binary() }

    private func object(_ line: String) throws -> [String: String] {
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        return try #require(object).mapValues { "\($0)" }
    }

    @Test func `an advertisement is decoded for people and for programs`() throws {
        let text = try binary.run(["decode"] + Self.advertisement.split(separator: " ").map(String.init))
        #expect(text.status == 0 && text.errors.isEmpty)
        #expect(text.lines.last?.contains("major 100  minor 100  measured power -59 dBm") == true)
        let json = try binary.run(["decode", "--json", Self.advertisement])
        #expect(
            try object(json.output) == [
                "uuid": "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", "major": "100", "minor": "100", "measuredPower": "-59",
            ])
        let none = try binary.run(["decode", "--json", "020106"])
        #expect(none.status == 1 && none.output.hasPrefix("{\"error\":") && none.errors.contains("no iBeacon"))
        let junk = try binary.run(["decode", "zz"])
        #expect(junk.status == 64 && junk.errors.hasPrefix("okaeri: cannot decode that: it is not hexadecimal"))
    }

    @Test func `a configuration is checked, and its mistakes are reported`() throws {
        let example = try binary.run(["config", "example"])
        let file = try binary.file("beacons.json", example.output.utf8)
        let fine = try binary.run(["config", "check", "--config", file])
        #expect(fine.status == 0 && fine.output.contains("is fine: home ("))
        let wrong = try binary.file("wrong.json", #"{"regions": [{"identifier": 5}]}"#.utf8)
        let check = try binary.run(["config", "check", "--config", wrong])
        #expect(check.status == 78 && check.output.isEmpty)
        #expect(check.errors.contains("regions[0].identifier: found 5, expected"))
        #expect(check.errors.contains("regions[0].uuid: found nothing, expected"))
        let none = try binary.run(["config", "check", "--config", "\(binary.folder)/none.json"])
        #expect(none.status == 78 && none.errors.contains("No such file"))
    }

    @Test(.enabled(if: geteuid() != 0, "root does not search the current directory"))
    func `the configuration of the current directory is found`() throws {
        _ = try binary.file("beacons.json", try binary.run(["config", "example"]).output.utf8)
        let found = try binary.run(["config", "check"])
        #expect(found.status == 0 && found.output.contains("is fine: home ("), "\(found)")
    }

    @Test func `a replay prints the arrival, and stores it in the given directory`() throws {
        let json = try binary.run(["replay", "--json", "--state-dir", binary.folder] + binary.demo)
        #expect(json.status == 0 && json.errors.isEmpty)
        let events = try json.lines.map { try object($0)["event"] }
        let crossings = events.filter { $0 == "didEnterRegion" || $0 == "didExitRegion" }
        #expect(crossings == ["didEnterRegion", "didExitRegion"])
        let text = try binary.run(["replay"] + binary.demo)
        #expect(text.lines.map { $0.split(separator: " ")[2] } == events.map { $0.map { Substring($0) } })

        let history = try binary.run(["history", "--json", "--state-dir", binary.folder])
        #expect(history.status == 0)
        let kept = try history.lines.map { try object($0)["event"] }.filter { $0 != "daemonStopped" }
        #expect(kept.filter { $0 == "didEnterRegion" || $0 == "didExitRegion" } == crossings)
        let plot = try binary.run(["plot", "--day", "2026-11-20", "--state-dir", binary.folder])
        #expect(plot.status == 0 && plot.output.hasPrefix("<svg") && plot.output.hasSuffix("</svg>\n"))
        let score = try binary.run(["replay", "--score"] + binary.demo)
        #expect(score.status == 0 && score.output.contains("home  inside for 1.5 min"))
    }

    @Test func `it prints its version, with the details of a bug report`() throws {
        let version = try binary.run(["--version"])
        #expect(version.status == 0 && version.output == "okaeri \(Version())\n")
        let doctor = try binary.run(["doctor", "--socket", "\(binary.folder)/none"])
        #expect(doctor.lines.first == "okaeri \(Version())")
        let changelog = try String(contentsOfFile: "\(Binary.top)/debian/changelog", encoding: .utf8)
        #expect(changelog.hasPrefix("okaeri (\(Version().number)) "))
    }

    @Test func `a newer okaeri's history is not printed, and left as it is`() throws {
        let state = ["--state-dir", binary.folder]
        #expect(try binary.run(["replay"] + state + binary.demo).status == 0)
        let file = "\(binary.folder)/history.sqlite"
        try SQLiteConnection(file: file, mode: .readWrite).execute("INSERT INTO migrations VALUES ('moods')")
        let before = try Data(contentsOf: URL(filePath: file))
        let sentence = "\(file) was written by a newer okaeri: \"moods\" is not known here; upgrade okaeri"
        for command in [["history"], ["history", "--json"], ["history", "--mistakes"], ["plot", "--day", "today"]] {
            let outcome = try binary.run(command + state)
            let isObject = outcome.output.isEmpty || outcome.output.hasPrefix("{\"error\":")
            #expect(outcome.status == 65 && isObject, "\(command)")
            #expect(outcome.errors.contains(sentence))
        }
        let replay = try binary.run(["replay"] + state + binary.demo)
        #expect(replay.status == 0 && replay.output.contains("didEnterRegion"))
        #expect(replay.errors.contains("the history is not written: \(sentence)"))
        #expect(try Data(contentsOf: URL(filePath: file)) == before)
    }

    @Test func `a history that cannot be read is requested from the daemon, and what neither has is reported`() throws {
        let state = "\(binary.folder)/state"
        let asking = ["--socket", "\(binary.folder)/none.sock"]
        mkdir(state, 0o700)
        for command in [["history"], ["history", "--mistakes"], ["plot"]] {
            let none = try binary.run(command + asking, environment: ["STATE_DIRECTORY": state])
            #expect(none.status == 69 && none.output.isEmpty, "\(command)")
            #expect(none.errors.contains("there is no history") && !none.errors.contains("none.sock"))
        }
        // A link to itself cannot be read, not even by root.
        symlink("\(state)/history.sqlite", "\(state)/history.sqlite")
        for command in [["history"], ["history", "--mistakes"], ["plot"]] {
            let denied = try binary.run(command + asking, environment: ["STATE_DIRECTORY": state])
            #expect(denied.status == 77 && denied.output.isEmpty, "\(command)")
            #expect(denied.errors.contains("\(state)/history.sqlite cannot be opened"))
            #expect(denied.errors.contains("\(binary.folder)/none.sock"))
            let named = try binary.run(command + asking + ["--state-dir", state])
            #expect(named.status == 77 && !named.errors.contains("none.sock"), "the file that was named, and no other")
        }
    }

    @Test func `a state directory that another program writes in is refused`() throws {
        let state = "\(binary.folder)/state"
        let lock = try StateLock(directory: state)
        let replay = try binary.run(["replay", "--state-dir", state] + binary.demo)
        #expect(replay.status == 69 && replay.output.isEmpty)
        #expect(replay.errors.contains("cannot use \(state): another okaeri keeps its state and history there"))
        let monitor = try binary.run(
            [
                "monitor", "--capture", Binary.capture, "--config", binary.configuration, "--wifi", "simulated",
                "--socket", "\(binary.folder)/socket", "--state-dir", state,
            ])
        #expect(monitor.status == 69)
        #expect(monitor.errors.contains("cannot use \(state): another okaeri keeps its state and history there"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: state) == ["okaeri.lock"])
        withExtendedLifetime(lock) {}
    }

    @Test(.enabled(if: geteuid() == 0, "only root can do that"))
    func `root runs no configuration of the current directory and writes no state for the service`() throws {
        let hook = "\(binary.folder)/ran"
        let json = """
            {"regions": [{"identifier": "home", "uuid": "00112233-4455-6677-8899-AABBCCDDEEFF",
              "onEnter": ["/bin/touch", "\(hook)"]}]}
            """
        let file = try binary.file("beacons.json", json.utf8)
        let found = try binary.run(["config", "check"])
        #expect(!found.output.contains("home") && !found.errors.contains("./beacons.json"), "\(found)")
        chmod(file, 0o666)
        let named = try binary.run(["config", "check", "--config", "beacons.json"])
        #expect(named.status == 78 && named.errors.contains("other users can write"), "\(named)")
        let state = "\(binary.folder)/state"
        mkdir(state, 0o750)
        chown(state, 1234, 1234)
        let monitor = try binary.run(
            [
                "monitor", "--capture", Binary.capture, "--config", binary.configuration, "--wifi", "simulated",
                "--socket", "\(binary.folder)/socket", "--state-dir", state,
            ])
        #expect(monitor.status == 69 && monitor.errors.contains("cannot use \(state) as root"), "\(monitor)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: state).isEmpty)
    }

    @Test func `a capture that is cut is replayed to where it ends`() throws {
        let whole = try Data(contentsOf: URL(filePath: Binary.capture))
        let cut = try binary.file("cut", whole.prefix(5000))
        let outcome = try binary.run(["replay", "-"] + binary.demo.dropFirst(), input: cut)
        #expect(outcome.status == 0 && outcome.output.contains("didEnterRegion"))
        #expect(outcome.errors.contains("the capture is cut"))
    }

    @Test func `what is not a capture, and no place to write to, has its exit status`() throws {
        let none = try binary.run(["replay", "none"] + binary.demo.dropFirst())
        #expect(none.status == 65 && none.errors.hasPrefix("okaeri: none cannot be read: No such file"))
        let other = try binary.run(["replay", "\(Binary.top)/beacons.json"] + binary.demo.dropFirst())
        #expect(other.status == 65 && other.errors.contains("not a btsnoop, pcap, pcapng or PacketLogger capture"))
        let full = try binary.run(["replay"] + binary.demo, output: "/dev/full")
        #expect(full.status == 74 && full.errors.contains("No space left"))
        let history = try binary.run(["history", "--state-dir", "\(binary.folder)/none"])
        #expect(history.status == 69 && history.errors.contains("there is no history"))
        let plot = try binary.run(["plot", "--state-dir", "\(binary.folder)/none"])
        #expect(plot.status == 69 && plot.output.isEmpty)
    }

    @Test func `a plugin answers on standard output that there is no daemon`() throws {
        let outcome = try binary.run(["status", "--nagios", "--socket", "\(binary.folder)/none.sock"])
        #expect(outcome.status == 2 && outcome.errors.isEmpty)
        #expect(outcome.output.hasPrefix("OKAERI CRITICAL - ") && outcome.lines.count == 1)
    }

    /// At the capture's own speed: of two minutes the first two seconds, in which there is the neighbour alone.
    @Test func `a capture in place of an adapter is scanned and ranged to its end`() throws {
        let start = try binary.file("start", Data(contentsOf: URL(filePath: Binary.capture)).prefix(400))
        let scan = try binary.run(["scan", "--capture", start])
        #expect(scan.status == 0 && scan.errors.contains("the capture is cut"))
        #expect(try scan.lines.map { try object($0)["count"] } == ["2", "3"])
        let neighbour = "00112233-4455-6677-8899-AABBCCDDEEFF"
        let range = try binary.run(["range", neighbour, "--capture", start])
        #expect(range.status == 0)
        #expect(try range.lines.map { try object($0)["region"] } == [neighbour, neighbour])
        let short = try binary.file("short", capture(of: [(0, event()), (0.1, event()), (0.2, event())]))
        let last = try binary.run(["scan", "--capture", short])
        #expect(try last.lines.map { try object($0)["count"] } == ["3"], "\(last)")
        let ranged = try binary.run(["range", uuidText, "--capture", short])
        #expect(ranged.lines.count == 1 && ranged.output.contains("\"rssi\":-70"), "\(ranged)")
        let unknown = try binary.run(["range", "office", "--capture"] + binary.demo)
        #expect(unknown.status == 64 && unknown.errors.contains("has no region \"office\", only home"))
    }
}
