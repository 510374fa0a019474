import HCI
import Logging
import OkaeriConfiguration
import OkaeriDaemonTestSupport
import OkaeriEvents
import OkaeriListening
import OkaeriTestSupport
import RegionMonitoring
import Synchronization
import SystemPackage
import Testing

/// The captures of several nodes, which one engine decides on.
@Suite(.computes, .timeLimit(.minutes(5))) struct HouseReplayTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func write(_ bytes: [UInt8], _ name: String) throws -> HouseReplay.Capture {
        let path = "\(folder.path)/\(name)"
        let file = try FileDescriptor.open(
            FilePath(path), .writeOnly, options: .create, permissions: .ownerReadWrite)
        try file.closeAfter { _ = try file.writeAll(bytes) }
        return .init(node: name, file: path)
    }

    /// The events of a replay, as they are printed, without their times.
    private func replay(
        _ captures: [HouseReplay.Capture], exitAfter: Double = 10, ranging: MonitoredRegion.Ranging = .off,
        receivers: String = "[]"
    ) throws -> (events: [String], cut: Int) {
        var region = monitored(exitAfter)
        region.ranging = ranging
        let events = Mutex<[String]>([])
        let rooms = captures.map { #""\#($0.node)": {"room": "\#($0.node)"}"# }.joined(separator: ", ")
        let configuration = try Configuration(
            json: Array(
                #"{"regions": [], "mqtt": {"host": "h"}, "receivers": \#(receivers), "nodes": {\#(rooms)}}"#.utf8),
            file: "beacons.json")
        let cut = try HouseReplay.run(
            captures, nodes: configuration.nodes, receivers: configuration.receivers, regions: [region],
            logger: Logger(label: "test"),
            progress: { _, _ in }
        ) { event in
            events.withLock { $0.append(event.line.split(separator: "  ").dropFirst().joined(separator: " ")) }
        }
        return (events.withLock(\.self), cut.count)
    }

    private func signals(_ seconds: ClosedRange<Int>, _ rssi: Int8) -> [(second: Double, rssi: Int8)] {
        seconds.map { (Double($0), rssi) }
    }

    @Test func `silence at one node is not an exit while another one receives the beacon`() throws {
        let hall = try write(capture(of: signals(0...20, -60)), "hall")
        let attic = try write(
            capture(of: signals(10...60, -70).map { ($0.second, event(rssi: $0.rssi)) } + [(90, event(neighbour))]),
            "attic")
        let result = try replay([hall, attic])
        #expect(result.cut == 0)
        #expect(
            result.events == [
                "didDetermineState house home unknown", "didEnterRegion house home hall",
                "didDetermineState house home inside", "didDetermineRoom house home hall",
                "didDetermineRoom house home attic", "didExitRegion house home", "didDetermineState house home outside",
                "didDetermineRoom house home in no room",
            ])
    }

    /// A node of ESPresense reports every five seconds, and its telemetry shows that it listens.
    @Test func `a capture under the name of a receiver has its reports`() throws {
        let reports = stride(from: 0.0, through: 60, by: 5).map { ($0, event(rssi: -60)) }
        let end = [(second: 120.0, event(neighbour))]
        func told(_ name: String, _ receivers: String) throws -> [String] {
            try replay([try write(capture(of: reports + end), name)], exitAfter: 3, receivers: receivers).events
        }
        let pi = try told("hall", "[]")
        #expect(pi.count { $0.hasPrefix("didExitRegion") } == 13, "each pause between two reports")
        let receivers = #"[{"type": "espresense", "rooms": {"hall": {"room": "corridor"}}}]"#
        let events = try told("espresense-hall", receivers)
        #expect(
            events.count { $0.hasPrefix("didExitRegion") } <= 2, "the time behind a report is not a silence: \(events)")
        #expect(events.contains("didEnterRegion house home corridor"))
        #expect(try told("shelly-hall", receivers).contains("didEnterRegion house home shelly-hall"))
    }

    @Test func `a capture that is cut counts up to the cut`() throws {
        let bytes = capture(of: signals(0...20, -60))
        let hall = try write(bytes.dropLast(7), "hall")
        let attic = try write(capture(of: [(0, event(neighbour)), (60, event(neighbour))]), "attic")
        let result = try replay([hall, attic])
        #expect(result.cut == 1)
        #expect(result.events.contains("didExitRegion house home"))
    }

    @Test func `a damaged capture ends the replay, and a missing one does not begin it`() throws {
        let hall = try write(capture(of: signals(0...20, -60)), "hall")
        let junk = try write([UInt8](repeating: 7, count: 4096), "junk")
        #expect(throws: (any Error).self) { try replay([hall, junk]) }
        #expect(throws: (any Error).self) { try replay([hall, .init(node: "attic", file: "\(folder.path)/none")]) }
    }

    /// The first times and the last ones that a capture can have, without a turn in between and with one each second.
    @Test(arguments: [.off, .always] as [MonitoredRegion.Ranging])
    func `captures with absurd clocks come to their end`(ranging: MonitoredRegion.Ranging) throws {
        var bytes: [UInt8] = []
        let writer = BtsnoopWriter()
        writer.appendHeader(to: &bytes)
        for time in [Int64.min, .max] { writer.append(.event, event().span.bytes, time: time, to: &bytes) }
        let hall = try write(bytes, "hall")
        let attic = try write(capture(of: signals(0...20, -60)), "attic")
        let result = try replay([hall, attic], ranging: ranging)
        // The last arrival still waits for its room.
        #expect(result.events.filter { $0 == "didEnterRegion house home hall" }.count == 1)
        #expect(result.events.filter { $0 == "didEnterRegion house home attic" }.count == 1)
        #expect(result.events.filter { $0 == "didExitRegion house home" }.count == 2)
    }

    /// More receptions than are read ahead.
    @Test func `long captures are read while they are played`() throws {
        let seconds = (0...60_000).map { (second: Double($0) / 10, rssi: Int8(-60)) }
        let hall = try write(capture(of: seconds), "hall")
        let attic = try write(capture(of: [(0, event(neighbour)), (7000, event(neighbour))]), "attic")
        let result = try replay([attic, hall])
        #expect(result.events.filter { $0 == "didExitRegion house home" }.count == 1)
    }
}
