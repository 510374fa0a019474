import DaemonTestSupport
import Glibc
import Plumbing
import Presence
import Synchronization
import SystemPackage
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct CaptureSourceTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A source on a pipe that nothing more is written to.
    @Test func `A source that waits for its capture does what is asked, and stops`() async throws {
        let path = "\(folder.path)/pipe"
        #expect(mkfifo(path, 0o600) == 0)
        let pipe = try FileDescriptor.open(FilePath(path), .readWrite)
        defer { try? pipe.close() }
        let bytes = capture([3], until: 5)
        try pipe.writeAll(bytes)
        let read = Mutex<UInt64>(0)
        let work = Mutex(false)
        let result = Mutex<Bool?>(nil)
        let output = try FileDescriptor.open("/dev/null", .writeOnly)
        let source = try CaptureSource(
            file: path, speed: nil, warn: { _ in }, progress: { count, _ in read.withLock { $0 = count } })
        try BlockingThread.start {
            let recorder = Recorder(to: output, wallClock: source, updated: { _ in }, failed: {})
            let isAtEnd = try? source.run(recorder)
            result.withLock { $0 = isAtEnd }
        }
        try await become { read.withLock { $0 } == UInt64(bytes.count) }
        source.perform { work.withLock { $0 = true } }
        try await become { work.withLock { $0 } }
        #expect(result.withLock { $0 } == nil)
        source.stop()
        try await become { result.withLock { $0 } == false }
        try output.close()
    }

    private func become(_ condition: () -> Bool) async throws {
        while !condition() {
            try Task.checkCancellation()
            await Task.yield()
        }
    }
}
