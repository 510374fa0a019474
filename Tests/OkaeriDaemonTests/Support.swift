import FoundationEssentials
import HCI
import IBeacon
import Logging
import Presence
import RegionMonitoring
import Synchronization

@testable import Events
@testable import Homecoming
@testable import Listening
@testable import Plumbing
@testable import ServiceWatch

let uuidText = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
let home = BeaconIdentity(uuid: BeaconUUID(uuidText) ?? BeaconUUID(high: 0, low: 0), major: 100, minor: 100)
let neighbour = BeaconIdentity(uuid: BeaconUUID(high: 1, low: 2), major: 1, minor: 1)

/// 2026-11-20 18:42:00 UTC, in nanoseconds since the Unix epoch.
let evening: Int64 = 1_795_200_120_000_000_000

func nanoseconds(_ seconds: Double) -> Int64 { Int64(seconds * 1e9) }

/// One LE advertising report event, from its event code on.
func event(_ identity: BeaconIdentity = home, rssi: Int8 = -70) -> [UInt8] {
    let data = IBeaconFrame(identity: identity, measuredPower: -59).advertisingData
    let body: [UInt8] = [0x02, 1, 0x03, 1, 6, 5, 4, 3, 2, 1, UInt8(data.count)] + data + [UInt8(bitPattern: rssi)]
    return [0x3E, UInt8(body.count)] + body
}

/// A btsnoop capture of the beacon at these seconds of the evening, and of a neighbour's once a second until `end`.
func capture(_ seconds: [Double], until end: Double, start: Int64 = evening) -> [UInt8] {
    var bytes: [UInt8] = []
    let writer = BtsnoopWriter()
    writer.appendHeader(to: &bytes)
    let neighbours = stride(from: 0.0, through: end, by: 1).map { ($0, event(neighbour, rssi: -90)) }
    for (time, event) in (seconds.map { ($0, event()) } + neighbours).sorted(by: { $0.0 < $1.0 }) {
        writer.append(.event, event.span.bytes, time: start + nanoseconds(time), to: &bytes)
    }
    return bytes
}

/// A folder of the test's own, gone with it.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        path = "/tmp/okaeri-\(UInt64.random(in: 0...UInt64.max))"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() } }

    func file(_ name: String, _ bytes: [UInt8]) throws -> String {
        try Data(bytes).write(to: URL(filePath: "\(path)/\(name)"))
        return "\(path)/\(name)"
    }
}

func monitored(_ exitAfter: Double = 30, ranging: Bool = false, identifier: String = "home") -> MonitoredRegion {
    MonitoredRegion(
        BeaconRegion(identifier: identifier, constraint: .minor(home.uuid, 100, 100)), exitAfter: .seconds(exitAfter),
        ranging: ranging ? .whileInside : .off)
}

/// What a replay of these bytes tells, as `second name state`, and the error it ends with.
func replay(
    _ bytes: [UInt8], _ regions: [MonitoredRegion] = [monitored()], start: Int64 = evening
) throws -> (log: [String], error: CaptureFileError?) {
    let folder = try TemporaryFolder()
    let file = try folder.file("capture", bytes)
    let log = Mutex<[String]>([])
    var failure: CaptureFileError?
    do throws(CaptureFileError) {
        try Replay.run(file, regions: regions, speed: nil, logger: quiet, progress: { _, _ in }) { event in
            let state = if case .didDetermineState(_, let state) = event.kind { " \(state)" } else { "" }
            let second = Double(event.time &- start) / 1e9
            log.withLock { $0.append("\(second) \(event.kind.name.rawValue)\(state)") }
        }
    } catch {
        failure = error
    }
    return (log.withLock { $0 }, failure)
}

let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

/// What the daemon keeps over a restart.
let keptTypes: [any KeptMemory.Type] = [
    PresenceMemory.self, PromptsMemory.self, PeripheralsMemory.self, EventsMemory.self,
]
