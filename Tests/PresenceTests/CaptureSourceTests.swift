import Glibc
import IBeacon
import OkaeriBluetooth
import OkaeriChecksum
import OkaeriDaemonTestSupport
import HCI
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

    @Test func `a source on a pipe without a writer stops, and reads what comes later`() async throws {
        let path = "\(folder.path)/pipe"
        #expect(mkfifo(path, 0o600) == 0)
        for isWritten in [false, true] {
            let source = try CaptureSource(file: path, speed: nil, warn: { _ in })
            let driver = PresenceDriver(regions: [monitored(10)], clock: source) { _, _ in }
            let isRunning = Watched(false)
            let result = Watched<Bool?>(nil)
            try BlockingThread.start {
                let isAtEnd = try? source.run(driver)
                result.change { $0 = isAtEnd ?? false }
            }
            source.perform { isRunning.change { $0 = true } }
            try await isRunning.wait(until: "the source waits for a writer") { $0 }
            if isWritten {
                let pipe = try FileDescriptor.open(FilePath(path), .writeOnly)
                try pipe.closeAfter { _ = try pipe.writeAll(capture([3], until: 100)) }
            } else {
                source.stop()
            }
            try await result.wait(until: "the source has ended") { $0 == isWritten }
            #expect(driver.snapshot(at: source.instant).counters.iBeacons == (isWritten ? 102 : 0))
        }
    }

    private func replayed(_ bytes: [UInt8]) throws -> (iBeacons: UInt64, error: CaptureFileError?) {
        let source = try CaptureSource(file: try folder.file("capture", bytes), speed: nil, warn: { _ in })
        let driver = PresenceDriver(regions: [monitored(10)], clock: source) { _, _ in }
        do throws(CaptureFileError) {
            try source.replay(driver)
            return (driver.snapshot(at: source.instant).counters.iBeacons, nil)
        } catch {
            return (driver.snapshot(at: source.instant).counters.iBeacons, error)
        }
    }

    /// Bytes as a stored block of a gzip file (RFC 1951, 3.2.4, and RFC 1952), which has no more than 65,535 of them.
    private func packed(_ bytes: [UInt8]) -> [UInt8] {
        let (length, complement) = (UInt16(bytes.count), ~UInt16(bytes.count))
        let checksum = CRC32(of: bytes[...]).description
        let trailer = [UInt8](hexadecimal: checksum)?.reversed() ?? []
        return [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 1] + [UInt8](littleEndian: length)
            + [UInt8](littleEndian: complement)
            + bytes + trailer + [UInt8](littleEndian: UInt32(bytes.count))
    }

    @Test func `a capture that gzip has packed is replayed, in several files, too`() throws {
        let bytes = capture([3], until: 100)
        #expect(try replayed(bytes).iBeacons == 102)
        let whole = try replayed(packed(bytes))
        #expect(whole.iBeacons == 102 && whole.error == nil)
        let several = try replayed(packed(Array(bytes[..<1000])) + packed(Array(bytes[1000...])))
        #expect(several.iBeacons == 102 && several.error == nil)
    }

    @Test func `a packed capture that is cut or damaged is replayed up to there`() throws {
        let bytes = capture([3], until: 100)
        let cut = try replayed(packed(bytes).dropLast(2000))
        #expect(0..<102 ~= cut.iBeacons && cut.error?.isCut == true)
        // All packets are there, and the end of the packed file is not.
        let last = try replayed(packed(bytes).dropLast(4))
        #expect(last.iBeacons == 102 && last.error?.isCut == true)
        var damaged = packed(bytes)
        damaged[damaged.count - 8] ^= 1
        let wrong = try replayed(damaged)
        #expect(wrong.error?.description.contains("the gzip data is damaged") == true && wrong.error?.isCut == false)
        #expect(wrong.iBeacons == 102, "what was unpacked before the fault")
    }

    @Test func `a packed capture that is cut before its first packet is cut, not empty`() throws {
        let packed = packed(capture([3], until: 100))
        for length in 2..<16 {
            let error = try replayed(Array(packed[..<length])).error
            #expect(error?.isCut == true, "\(length): \(String(describing: error))")
        }
    }

    @Test func `a sniffer's capture is replayed with its signals`() throws {
        let data = IBeaconFrame(identity: home, measuredPower: -59).advertisingData
        let pdu = [0x42, UInt8(6 + data.count), 6, 5, 4, 3, 2, 1] + data
        // Signal and checksum are valid.
        let header: [UInt8] = [0, UInt8(bitPattern: -47), 0, 0, 0xD6, 0xBE, 0x89, 0x8E, 0x02, 0x0C]
        let record = header + [0xD6, 0xBE, 0x89, 0x8E] + pdu + [1, 2, 3]
        var bytes: [UInt8] = [0xD4, 0xC3, 0xB2, 0xA1, 2, 0, 4, 0] + [UInt8](repeating: 0, count: 8)
        bytes += [UInt8](littleEndian: UInt32(262_144)) + [UInt8](littleEndian: UInt32(256))
        for second in 0..<3 as Range<UInt32> {
            bytes += [UInt8](littleEndian: UInt32(evening / 1_000_000_000) + second) + [0, 0, 0, 0]
            bytes += [UInt8](littleEndian: UInt32(record.count)) + [UInt8](littleEndian: UInt32(record.count)) + record
        }
        let source = try CaptureSource(file: try folder.file("capture", bytes), speed: nil, warn: { _ in })
        let driver = PresenceDriver(regions: [monitored(10)], clock: source) { _, _ in }
        try source.replay(driver)
        let beacon = try #require(driver.beacons(since: Instant(nanoseconds: evening)).first)
        #expect(beacon.identity == home && beacon.rssi == -47 && beacon.count == 3)
        #expect(beacon.lastHeard == Instant(nanoseconds: evening + 2_000_000_000))
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

    @Test func `the clock for others does not go back, for a turn that was due before either`() throws {
        let source = try CaptureSource(
            file: try folder.file("capture", capture([3], until: 20)), speed: nil, warn: { _ in })
        let delegate = LateDelegate { source.instant }
        #expect(try source.run(delegate))
        let instants = delegate.instants
        #expect(instants.count > 20)
        #expect(instants == instants.sorted())
    }
}

/// Asks for turns in the past, and reads the clock at each call.
private final class LateDelegate: ScannerDelegate {
    private let clock: @Sendable () -> Instant
    private let state = Mutex<(read: [Instant], deadline: Int64?)>(([], nil))

    init(clock: @escaping @Sendable () -> Instant) { self.clock = clock }

    var instants: [Instant] { state.withLock(\.read) }
    var nextDeadline: Int64? { state.withLock(\.deadline) }

    func scannerDidReceive(_ event: RawSpan, at time: Int64) -> Bool {
        state.withLock {
            $0.read.append(clock())
            $0.deadline = time - 5_000_000_000
        }
        return true
    }

    func scannerDidFinishTurn(at time: Int64) -> Int64? {
        state.withLock {
            $0.read.append(clock())
            $0.deadline = nil
        }
        return nil
    }

    func scannerDidUpdate(_ update: AdapterUpdate, at time: Int64) {}
    func scannerDidChangeListening(_ timing: ScanTiming?, at time: Int64) {}
}
