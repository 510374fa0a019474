import FoundationEssentials
import OkaeriDaemonTestSupport
import OkaeriTestSupport
import Testing

@testable import OkaeriClient
@testable import OkaeriConfiguration
@testable import OkaeriDaemon
@testable import OkaeriEvents

/// A daemon with regions that the page has saved in its state directory.
@Suite(.timeLimit(.minutes(5))) struct SavedRegionsDaemonTests {
    @Test func `saved regions are watched, and what is wrong with them is reported after a reload`() async throws {
        let folder = try TemporaryFolder()
        let log = LogBook()
        let state = "\(folder.path)/state"
        try StateDirectory.make(state)
        let saved = "\(state)/regions.json"
        func save(_ text: String) throws { try Data(text.utf8).write(to: URL(filePath: saved)) }
        try save(
            #"{"regions": [{"identifier": "keys", "uuid": "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", "major": 7}]}"#)
        let packets = try folder.file("capture", capture([3], until: 20))
        let file = try folder.file("beacons.json", Array(Configuration.example.utf8))
        let merged = try MergedConfiguration(file: file, directory: state)
        let socket = "\(folder.path)/okaeri.sock"
        let daemon = try Daemon(
            merged.configuration,
            options: .init(
                configurationFile: file, saved: merged.saved, capture: packets, speed: 1000, simulatesWiFi: true,
                socket: socket, stateDirectory: state), logger: log.logger)
        let task = Task { try await daemon.run(with: []) }
        let client = APIClient(socket: socket, timeLimit: 120)
        try await eventually("the daemon answers") { (try? await client.text("/v1/status")) != nil }
        var status: StatusReport = try await client.get("/v1/status")
        #expect(status.regions.last?.identifier == "keys" && status.regions.last?.saved == saved)
        #expect(status.regions.first?.saved == nil && status.saved == .init(file: saved))
        try save(#"{"web": {"listen": "0.0.0.0:80"}}"#)
        await daemon.reloader.reload()
        status = try await client.get("/v1/status")
        #expect(!status.regions.contains { $0.identifier == "keys" })
        #expect(status.saved?.problems?.count == 1 && log.count("\(saved): web: found a key for beacons.json") == 1)
        task.cancel()
        _ = await task.result
    }
}
