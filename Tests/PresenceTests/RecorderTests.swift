import FoundationEssentials
import OkaeriBluetooth
import OkaeriConfiguration
import OkaeriDaemonTestSupport
import OkaeriPresence
import OkaeriTestSupport
import Synchronization
import SystemPackage
import Testing

@Suite struct RecorderTests {
    private func open(_ path: String, _ mode: FileDescriptor.AccessMode) throws -> FileDescriptor {
        try FileDescriptor.open(FilePath(path), mode, options: [.create], permissions: [.ownerReadWrite])
    }

    @Test func `what is recorded can be replayed, with the same times`() throws {
        let folder = try TemporaryFolder()
        let bytes = capture([3, 4], until: 40)
        let source = try CaptureSource(file: try folder.file("in", bytes), speed: nil, warn: { _ in })
        let output = try open("\(folder.path)/out", .writeOnly)
        let updates = Mutex<[AdapterUpdate]>([])
        let recorder = Recorder(
            to: output, wallClock: source, updated: { update in updates.withLock { $0.append(update) } },
            failed: { Issue.record("the file can be written") })
        #expect(try source.run(recorder))
        recorder.flush()
        try output.close()
        #expect(recorder.result.count == 43)
        #expect(updates.withLock { $0.map(\.state) } == [.poweredOn])
        let recorded = try FileDescriptor.contents(of: "\(folder.path)/out", limit: 1 << 20)
        #expect(recorded == bytes)
    }

    @Test func `only advertisements are recorded`() throws {
        let folder = try TemporaryFolder()
        let cut = event().dropLast(3)
        // The answer to a command, the end of a connection, an advertisement that is cut, and one that is whole.
        let events: [[UInt8]] = [[0x0E, 4, 1, 3, 0x0C, 0], [0x05, 4, 0, 64, 0, 0x13], Array(cut), event()]
        let bytes = capture(of: events.enumerated().map { (Double($0.offset), $0.element) })
        let source = try CaptureSource(file: try folder.file("in", bytes), speed: nil, warn: { _ in })
        let output = try open("\(folder.path)/out", .writeOnly)
        let recorder = Recorder(to: output, wallClock: source, updated: { _ in }, failed: {})
        #expect(try source.run(recorder))
        recorder.flush()
        try output.close()
        #expect(recorder.result.count == 1)
        #expect(try FileDescriptor.contents(of: "\(folder.path)/out", limit: 1 << 20) == capture(of: [(3, event())]))
    }

    @Test func `a pipe whose reader stalls ends the recording`() throws {
        let source = try CaptureSource(file: "", speed: nil, warn: { _ in })
        let pipe = try FileDescriptor.pipe()
        let failures = Mutex(0)
        let recorder = Recorder(
            to: pipe.writeEnd, wallClock: source, patience: 50, updated: { _ in },
            failed: { failures.withLock { $0 += 1 } })
        // More than a pipe holds.
        for _ in 0..<4000 { _ = recorder.scannerDidReceive(event().span.bytes, at: evening) }
        recorder.flush()
        #expect(recorder.result.failure == .timedOut && failures.withLock { $0 } == 1)
        try pipe.readEnd.close()
        try pipe.writeEnd.close()
    }

    @Test func `a full disk is reported once`() throws {
        let source = try CaptureSource(file: "", speed: nil, warn: { _ in })
        let full = try FileDescriptor.open("/dev/full", .writeOnly)
        let failures = Mutex(0)
        let recorder = Recorder(
            to: full, wallClock: source, updated: { _ in }, failed: { failures.withLock { $0 += 1 } })
        for _ in 0..<3 {
            let isWellFormed = recorder.scannerDidReceive(event().span.bytes, at: evening)
            #expect(isWellFormed)
            recorder.flush()
        }
        try full.close()
        #expect(failures.withLock { $0 } == 1)
        #expect(recorder.result.failure == .noSpace)
        #expect(recorder.result.count == 3)
    }
}
