import OkaeriDaemonTestSupport
import OkaeriTestSupport
import RegionMonitoring
import Testing

@testable import OkaeriClient
@testable import OkaeriConfiguration
@testable import OkaeriDaemon
@testable import OkaeriEvents

/// Waiting for an arrival, on a daemon over a capture.
@Suite(.timeLimit(.minutes(5))) struct StateWaitTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var client: APIClient { APIClient(socket: "\(folder.path)/okaeri.sock") }

    private func wait(
        _ state: StateWait.State, region: String? = "home", timeout: Duration? = nil
    ) async throws(StateWait.Failure) -> Int32? {
        try await StateWait(for: state, region: region, client: client).run(timeout: timeout)?.exitStatus
    }

    /// A daemon that receives the beacon at these seconds, and a neighbour's until `end`.
    private func daemon(_ seconds: [Double], until end: Double, speed: Double = 1000) throws -> Task<Void, any Error> {
        let file = try folder.file("capture", capture(seconds, until: end))
        let configuration = try folder.file("beacons.json", Array(Configuration.example.utf8))
        let daemon = try Daemon(
            Configuration(file: configuration),
            options: .init(
                configurationFile: configuration, capture: file, speed: speed, simulatesWiFi: true,
                socket: client.socket),
            logger: quiet)
        return Task { try await daemon.run(with: []) }
    }

    private func stop(_ daemon: Task<Void, any Error>) async {
        daemon.cancel()
        _ = await daemon.result
    }

    private func answering() async throws {
        try await eventually("the daemon answers") { (try? await client.text("/v1/status")) != nil }
    }

    @Test func `a region that is inside already is not waited for`() async throws {
        let daemon = try daemon([3, 4], until: 20)
        #expect(try await wait(.inside) == 0)
        #expect(try await wait(.inside, region: nil) == 0)
        await stop(daemon)
    }

    @Test func `a departure ends the wait, whenever it comes`() async throws {
        let daemon = try daemon([3, 4], until: 600, speed: 300)
        try await answering()
        #expect(try await wait(.outside) == 1)
        await stop(daemon)
    }

    @Test func `a daemon that is not there yet, and one that restarts, are waited for`() async throws {
        async let reached = wait(.inside)
        let first = try daemon([], until: 20)
        try await answering()
        await stop(first)
        let second = try daemon([3, 4], until: 20)
        #expect(try await reached == 0)
        await stop(second)
    }

    @Test func `the time is up, with a daemon and without`() async throws {
        #expect(try await wait(.inside, timeout: .milliseconds(50)) == nil)
        let daemon = try daemon([], until: 20)
        try await answering()
        #expect(try await wait(.inside, timeout: .milliseconds(50)) == nil)
        await stop(daemon)
    }

    @Test func `a region that is not watched is not waited for`() async throws {
        let daemon = try daemon([], until: 20)
        try await answering()
        do throws(StateWait.Failure) {
            _ = try await wait(.inside, region: "nowhere")
            Issue.record("it was waited for")
        } catch {
            #expect(error.description == "there is no region \"nowhere\"; the daemon watches home")
        }
        await stop(daemon)
    }

    @Test func `events are found however the stream is cut`() throws {
        let events = [
            Event(time: evening, node: "pi", sequence: 7, kind: .didExitRegion(region: "home\nagain")),
            Event(time: evening, node: "pi", sequence: 9, kind: .didDetermineState(region: "家", .inside)),
        ]
        let stream =
            ": okaeri\n\nid: 7\nevent: didExitRegion\ndata: \(events[0].json)\n\nevent: lost\ndata: {\"lost\":1}\n\n"
            + ": \n\nevent: later\ndata: {}\n\nid: 9\nevent: didDetermineState\ndata: \(events[1].json)\n\n"
        for size in 1...stream.utf8.count {
            var reader = EventStreamReader()
            var found: [APIClient.Feed] = []
            var rest = Array(stream.utf8)[...]
            while !rest.isEmpty {
                found += try reader.received(rest.prefix(size))
                rest = rest.dropFirst(size)
            }
            #expect(found == [.event(events[0]), .lost(EventLoss(lost: 1)), .event(events[1])])
        }
        var reader = EventStreamReader()
        #expect(throws: EventStreamReader.EndlessLine.self) {
            try reader.received([UInt8](repeating: 0x20, count: EventStreamReader.longestLine + 1))
        }
    }
}
