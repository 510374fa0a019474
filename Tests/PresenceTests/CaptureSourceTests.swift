import Glibc
import OkaeriDaemonTestSupport
import OkaeriPlumbing
import OkaeriPresence
import OkaeriTestSupport
import RegionMonitoring
import Synchronization
import SystemPackage
import Testing

@Suite(.timeLimit(.minutes(5))) struct CaptureSourceTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A source on a pipe that nothing more is written to.
    @Test func `a source that waits for its capture does what is asked, and stops`() async throws {
        let path = "\(folder.path)/pipe"
        #expect(mkfifo(path, 0o600) == 0)
        let pipe = try FileDescriptor.open(FilePath(path), .readWrite)
        defer { try? pipe.close() }
        let bytes = capture([3], until: 5)
        try pipe.writeAll(bytes)
        let read = Watched<UInt64>(0)
        let isDone = Watched(false)
        let result = Watched<Bool?>(nil)
        let output = try FileDescriptor.open("/dev/null", .writeOnly)
        let source = try CaptureSource(
            file: path, speed: nil, warn: { _ in }, progress: { count, _ in read.change { $0 = count } })
        try BlockingThread.start {
            let recorder = Recorder(to: output, wallClock: source, updated: { _ in }, failed: {})
            let isAtEnd = try? source.run(recorder)
            result.change { $0 = isAtEnd }
        }
        try await read.wait(until: "the capture is read") { $0 == UInt64(bytes.count) }
        source.perform { isDone.change { $0 = true } }
        try await isDone.wait(until: "the source has done what is asked") { $0 }
        #expect(result.value == nil)
        source.stop()
        try await result.wait(until: "the source has stopped") { $0 == false }
        try output.close()
    }

    /// A gap of 10 s and one of 10.001 s, in a replay without pauses and in one whose packets are waited for.
    @Test(arguments: [nil, 100_000.0])
    func `a silence that is exactly as long as the exit time is not an exit`(speed: Double?) throws {
        let path = "\(folder.path)/capture"
        let file = try FileDescriptor.open(
            FilePath(path), .writeOnly, options: .create, permissions: .ownerReadWrite)
        try file.writeAll(capture(of: [0, 1, 11, 21.001].map { ($0, -70) }))
        try file.close()
        let source = try CaptureSource(file: path, speed: speed, warn: { _ in })
        let exits = Atomic(0)
        let driver = PresenceDriver(regions: [monitored(10)], clock: source) { event, _ in
            if case .action(.didExitRegion, _) = event { exits.add(1, ordering: .relaxed) }
        }
        _ = try source.run(driver)
        #expect(exits.load(ordering: .relaxed) == 1)
    }
}
