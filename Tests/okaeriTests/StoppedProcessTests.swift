import Foundation
import Glibc
import OkaeriDaemonTestSupport
import OkaeriTestSupport
import Testing

/// `okaeri monitor` with a capture that comes through a pipe, stopped and continued as by a machine that stands still.
@Suite(.blocks, .timeLimit(.minutes(5))) struct StoppedProcessTests {
    private let binary: Binary

    init() throws { binary = try Binary() }

    private func passed(_ seconds: Int) async throws {
        let end = ContinuousClock.now + .seconds(seconds)
        try await eventually("\(seconds) seconds have passed") { ContinuousClock.now >= end }
    }

    @Test func `the time in which the process did not run is not silence`() async throws {
        let pipe = "\(binary.folder)/pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        let region = #"{"identifier": "home", "uuid": "\#(uuidText)", "major": 100, "minor": 100, "exitAfter": 4}"#
        _ = try binary.file("beacons.json", "{\"regions\": [\(region)]}".utf8)
        let output = try binary.file("output", [])
        let process = try binary.start(
            [
                "monitor", "--socket", "socket", "--capture", "pipe", "--config", "beacons.json", "--state-dir",
                "state", "--wifi",
                "simulated",
                "--json",
            ], output: output)
        defer { process.killAndWait() }
        let feeder = try #require(FileHandle(forUpdatingAtPath: pipe))
        let text = { (try? String(contentsOfFile: output, encoding: .utf8)) ?? "" }
        // The beacon, then a neighbour.
        try feeder.write(contentsOf: Data(capture([0, 0.5], until: 1)))
        try await eventually("the region is entered") { text().contains("didEnterRegion") }
        // It waits for the pipe then.
        try await passed(2)
        #expect(kill(process.processIdentifier, SIGSTOP) == 0)
        try await passed(5)
        #expect(kill(process.processIdentifier, SIGCONT) == 0)
        // The first packet behind the stop is of the neighbour, and the beacon follows.
        let later = capture(of: [(7.5, event(neighbour, rssi: -90)), (8, event()), (8.5, event())])
        try feeder.write(contentsOf: Data(later.dropFirst(16)))
        // Without the beacon from here on, the region is left at its time.
        let last = capture(of: stride(from: 9.0, through: 15, by: 0.5).map { ($0, event(neighbour, rssi: -90)) })
        try feeder.write(contentsOf: Data(last.dropFirst(16)))
        try feeder.close()
        try await eventually("the region is left") { text().contains("didExitRegion") }
        let events = text().split(separator: "\n").filter {
            $0.contains("didEnterRegion") || $0.contains("didExitRegion")
        }
        #expect(events.count == 2 && events.last?.contains("didExitRegion") == true, "\(text())")
    }
}
