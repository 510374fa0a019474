import OkaeriDaemonTestSupport
import OkaeriTestSupport
import Testing

@testable import OkaeriClient
@testable import OkaeriConfiguration
@testable import OkaeriDaemon
@testable import OkaeriEvents

/// The battery level of a beacon on its way from a capture to the answers of the daemon.
@Suite(.timeLimit(.minutes(5))) struct BatteryDaemonTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Runs a daemon on a capture of a beacon with a low battery while `body` asks it.
    private func run(_ json: String, _ body: (APIClient) async throws -> Void) async throws {
        let file = try folder.file(
            "capture", capture(of: [(1, event()), (2, batteryEvent(12)), (3, event()), (4, event())]))
        let configuration = try folder.file("beacons.json", Array(json.utf8))
        let socket = "\(folder.path)/okaeri.sock"
        let daemon = try Daemon(
            Configuration(file: configuration),
            options: .init(
                configurationFile: configuration, capture: file, speed: 1000, simulatesWiFi: true, socket: socket),
            logger: quiet)
        let task = Task { try await daemon.run(with: []) }
        let client = APIClient(socket: socket, timeLimit: 120)
        try await eventually("the capture is read") {
            (try? await client.get(Route.status, as: StatusReport.self))?.counters.reports == 4
        }
        try await body(client)
        task.cancel()
        _ = await task.result
    }

    @Test func `The status, the regions and the metrics have the advertised level`() async throws {
        try await run(Configuration.example) { client in
            let status: StatusReport = try await client.get(Route.status)
            let battery = try #require(status.regions.first?.battery)
            #expect(battery.percent == 12 && battery.low && battery.source == "advertised")
            #expect(battery.time == "2026-11-20T18:42:02.000Z" && battery.major == 100 && battery.minor == 100)
            let regions: [RegionReport] = try await client.get(Route.regions)
            #expect(regions.first?.battery == battery)
            #expect(
                try await client.text(Route.metrics).contains("okaeri_region_battery_ratio{region=\"home\"} 0.12\n"))
            let summary = try #require(StatusSummary(status, region: nil))
            #expect(
                summary.text().contains("BATTERY LOW: the beacon with major 100 and minor 100 had 12 % at 2026-11-20"))
        }
    }

    @Test func `A region that ignores batteries has none`() async throws {
        let json = #"{"regions": [{"identifier": "home", "uuid": "\#(uuidText)", "battery": "off"}]}"#
        try await run(json) { client in
            let status: StatusReport = try await client.get(Route.status)
            #expect(status.regions.map(\.battery) == [nil])
        }
    }
}
