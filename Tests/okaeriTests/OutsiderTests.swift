import Foundation
import OkaeriTestSupport
import Testing

@testable import OkaeriConfiguration
@testable import OkaeriEvents
@testable import OkaeriHistory

/// The commands of a user outside the group of the service.
@Suite(.blocks) struct OutsiderTests {
    private let binary: Binary
    private let environment: [String: String]

    /// Makes a state directory with a history that only its owner may search, and a configuration for every user.
    init() throws {
        binary = try Binary()
        environment = ["XDG_STATE_HOME": "\(binary.folder)/state", "HOME": "\(binary.folder)/home"]
        let state = "\(binary.folder)/state/okaeri"
        try StateDirectory.make(state)
        let store = try HistoryStore(directory: state, durability: .process)
        try store.record([HistoryEvent(time: 1, name: "didExitRegion", region: "home", json: "{}")], [])
        let file = try binary.file("beacons.json", #"{"regions": []}"#.utf8)
        for path in [binary.folder, "\(binary.folder)/state"] { chmod(path, 0o755) }
        chmod(file, 0o644)
        chmod(state, 0o700)
    }

    @Test(
        .enabled(if: geteuid() == 0, "only root becomes another user"),
        arguments: [["history"], ["history", "--mistakes"], ["plot"]])
    func `the history and the picture name the group`(command: [String]) throws {
        let arguments = command + ["--socket", "\(binary.folder)/none.sock"]
        guard let outcome = try binary.runAsNobody(arguments, environment: environment) else { return }
        #expect(outcome.status == 77 && outcome.output.isEmpty, "\(outcome)")
        #expect(
            outcome.errors.contains("you may not read") && outcome.errors.contains("usermod -aG okaeri"), "\(outcome)")
    }

    @Test(.enabled(if: geteuid() == 0, "only root becomes another user"))
    func `a backup without the state is not written`() throws {
        let file = "/tmp/okaeri-\(UUID()).tar"
        let arguments = ["backup", file, "--config", "\(binary.folder)/beacons.json"]
        guard let outcome = try binary.runAsNobody(arguments, environment: environment) else { return }
        #expect(outcome.status == 77 && outcome.errors.contains("sudo okaeri backup"), "\(outcome)")
        #expect(!FileManager.default.fileExists(atPath: file))
    }

    @Test func `a region that the history does not have is a mistake in the arguments`() throws {
        let state = "\(binary.folder)/state/okaeri"
        for more in [[], ["--mistakes"], ["--json"]] {
            let outcome = try binary.run(["history", "--region", "nope", "--state-dir", state] + more)
            #expect(outcome.status == 64 && outcome.errors.contains("there is no region \"nope\""), "\(outcome)")
            #expect(outcome.errors.contains("only home"), "\(outcome)")
        }
        let known = try binary.run(["history", "--region", "home", "--since", "today", "--state-dir", state])
        #expect(known.status == 0 && known.output.isEmpty && known.errors.isEmpty, "\(known)")
    }
}
