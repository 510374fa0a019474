import FoundationEssentials
import Glibc
import HCI
import OkaeriBluetooth
import OkaeriDaemonTestSupport
import OkaeriPlumbing
import OkaeriTestSupport
import RegionMonitoring
import Testing

@testable import OkaeriClient
@testable import OkaeriConfiguration
@testable import OkaeriDaemon
@testable import OkaeriEvents

/// A whole daemon that receives a phone.
struct PhoneDaemonTests {
    private static let digits = "ec0234a357c8ad05341010a60a397d9b"
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A capture of a locked iPhone, with another address every minute, until 70 s before its end.
    private func capture(_ key: IdentityResolvingKey) throws -> [UInt8] {
        var bytes: [UInt8] = []
        let writer = BtsnoopWriter()
        writer.appendHeader(to: &bytes)
        for second in stride(from: 2, through: 600, by: 2) {
            let random = 0x40_0000 | UInt32(second / 60)
            let value = UInt64(random) << 24 | UInt64(AES128(key).hash(random))
            let address = BluetoothAddress(
                low: UInt32(truncatingIfNeeded: value), high: UInt16(truncatingIfNeeded: value >> 32))
            let report = AdvertisingReport(
                address: address, addressType: .random, rssi: -62,
                data: [2, 1, 0x1A, 11, 0xFF, 0x4C, 0, 0x16, 8, 0, 1, 2, 3, 4, 5, 6])
            let event = Array(try HCIEvent.advertisingReports([report]).packet().dropFirst())
            writer.append(.event, event.span.bytes, time: evening + nanoseconds(Double(second)), to: &bytes)
        }
        writer.append(.event, event(neighbour).span.bytes, time: evening + nanoseconds(670), to: &bytes)
        return bytes
    }

    @Test(.timeLimit(.minutes(5)))
    func `a phone enters and leaves, and no output contains its key`() async throws {
        let key = try #require(IdentityResolvingKey(Self.digits))
        let keyFile = try folder.file("anna.irk", Array(Self.digits.utf8))
        chmod(keyFile, 0o600)
        let json = #"{"regions": [{"identifier": "anna", "phone": "\#(keyFile)", "exitAfter": 30}]}"#
        let file = try folder.file("beacons.json", Array(json.utf8))
        var configuration = try Configuration(file: file)
        try configuration.readIdentities(file: file)
        let (state, book) = ("\(folder.path)/state", LogBook())
        let daemon = try Daemon(
            configuration,
            options: .init(
                configurationFile: file, capture: try folder.file("capture", capture(key)), speed: 10_000,
                simulatesWiFi: true, socket: "\(folder.path)/socket", stateDirectory: state),
            logger: book.logger)
        let events = daemon.allEvents()
        let task = Task { try await daemon.run(with: []) }
        let client = APIClient(socket: "\(folder.path)/socket", timeLimit: 120)
        try await eventually("the daemon answers") { (try? await client.text("/v1/status")) != nil }
        var outputs: [String] = []
        for await event in events {
            outputs += [event.json, event.text]
            guard event.kind == .didExitRegion(region: "anna") else { continue }
            for route in [
                Route.status, Route.regions, Route.beacons, Route.health, Route.metrics, Route.days,
                Route.configuration, Route.enrollment,
                "\(Route.signal)?region=anna", "\(Route.mistakes)?region=anna", Route.history,
            ] { outputs.append((try? await client.text(route)) ?? "") }
            let status: StatusReport = try await client.get(Route.status)
            #expect(status.regions[0].signs?.map(\.phone) == ["anna"])
            #expect(status.regions[0].beacons.count == 1)
            #expect(daemon.receptions(of: "anna", phone: "anna")?.rssi == -62)
            #expect(daemon.receptions(of: "anna", phone: "anna")?.count ?? 0 > 100)
            #expect(
                daemon.receptions(of: "bob", phone: "bob") == nil && daemon.receptions(of: "anna", phone: "bob") == nil)
            outputs += [
                try #require(RegionExplanation(status, region: "anna")).text,
                try #require(StatusSummary(status, region: nil)).text(),
            ]
            try await eventually("the state is written") { folder.names(in: "state").contains("state.json") }
            task.cancel()
        }
        _ = await task.result
        let entries = outputs.filter { $0.contains("didEnterRegion  anna  phone  -62 dBm") }
        #expect(entries.count == 1, "a new address is not an event")
        #expect(outputs.contains { $0.contains("phone anna") }, "the region is explained by the phone's name")
        for name in folder.names(in: "state") { outputs.append(folder.latin1("state/\(name)")) }
        outputs += book.text + ["\(configuration)", String(reflecting: configuration.identities)]
        #expect(outputs.contains { $0.contains("anna") && $0.contains("SQLite format 3") }, "the history is examined")
        for form in Self.forms { #expect(!outputs.contains { $0.lowercased().contains(form) }) }
    }

    /// The beginning of the key in each of its notations, in lower case.
    private static let forms: [String] = {
        let bytes = [UInt8](hexadecimal: digits) ?? []
        let base64 = [bytes, bytes.reversed()].map { Data($0).base64EncodedString().lowercased().prefix(12) }
        let raw = [bytes, bytes.reversed()].map {
            String(String.UnicodeScalarView($0.prefix(8).map { Unicode.Scalar($0) }))
        }
        return [
            String(digits.prefix(12)), String(bytes.reversed().map { hexadecimal($0, prefix: "") }.joined().prefix(12)),
        ]
        .map { $0.lowercased() } + base64.map(String.init) + raw.map { $0.lowercased() }
    }()
}

extension TemporaryFolder {
    fileprivate func names(in folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: "\(path)/\(folder)")) ?? []
    }

    /// The bytes of a file, each as one character.
    fileprivate func latin1(_ name: String) -> String {
        let data = FileManager.default.contents(atPath: "\(path)/\(name)") ?? Data()
        return String(String.UnicodeScalarView(data.map { Unicode.Scalar($0) }))
    }
}
