import OkaeriControllerEmulation
@testable import VirtualController
import Foundation
import Glibc
import HCI
import OkaeriPlumbing
import Synchronization
import Testing

/// The kernel's end of /dev/vhci, the writer's end of the FIFO, and the reader's end of the log.
final class Host: Sendable {
    /// Nothing came for too long, or the program has closed its end.
    struct Gone: Error {}

    /// Socket pairs that keep packets apart, one for each time the device is opened: the host's ends.
    private let ends: [Int32]

    /// The device's ends that were not opened yet.
    private let devices: Mutex<[Int32]>
    private let control: (reading: Int32, writing: Int32)
    private let logging: (reading: Int32, writing: Int32)

    init(devices count: Int = 1) throws {
        var ends: [Int32] = []
        var devices: [Int32] = []
        for _ in 0..<count {
            var pair: [Int32] = [0, 0]
            try #require(socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &pair) == 0)
            var limit = timeval(tv_sec: 20, tv_usec: 0)
            setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
            ends.append(pair[0])
            devices.append(pair[1])
        }
        self.ends = ends
        self.devices = Mutex(devices)
        control = try Self.makePipe()
        logging = try Self.makePipe()
    }

    deinit {
        for end in ends { close(end) }
        close(control.writing)
        close(logging.reading)
        close(logging.writing)
    }

    /// Runs the program on a thread of its own; how it ends comes out of the stream.
    func run(
        _ kind: ControllerKind = .legacy, script: String
    ) throws -> AsyncStream<Result<Int32, SystemError>> {
        let parsed = try Script.parse(script, source: "test").get()
        let address = try #require(BluetoothAddress("02:00:00:00:00:01"))
        let (stream, continuation) = AsyncStream.makeStream(of: Result<Int32, SystemError>.self)
        let control = control.reading
        Thread.detachNewThread {
            var loop = ControllerLoop(
                Emulation(kind: kind, address: address), log: Log(descriptor: self.logging.writing),
                control: LiveSource(name: "control", owning: OwnedDescriptor(owning: control)),
                openDevice: self.open)
            do throws(SystemError) {
                continuation.yield(.success(try loop.run(parsed)))
            } catch {
                continuation.yield(.failure(error))
            }
            continuation.finish()
        }
        return stream
    }

    private func open() throws(SystemError) -> OwnedDescriptor {
        guard let next = devices.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else {
            throw SystemError(operation: "opening", code: ENOENT)
        }
        return OwnedDescriptor(owning: next)
    }

    /// The next packet of the controller; waits for it.
    func receive(_ device: Int = 0) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 1024)
        let count = recv(ends[device], &bytes, bytes.count, 0)
        guard count > 0 else { throw Gone() }
        return Array(bytes.prefix(count))
    }

    func send(_ packet: [UInt8], _ device: Int = 0) throws {
        guard Glibc.send(ends[device], packet, packet.count, Int32(MSG_NOSIGNAL)) == packet.count else { throw Gone() }
    }

    /// Sends and receives nothing more.
    func hangUp(_ device: Int = 0) {
        shutdown(ends[device], Int32(SHUT_RDWR))
    }

    /// Sends a command, and receives until it is answered; returns how many other packets came before.
    @discardableResult
    func obey(_ command: HCICommand, _ device: Int = 0) throws -> Int {
        try send(command.packet, device)
        let answer = try HCIEvent.commandComplete(CommandComplete(opcode: command.opcode, status: .success)).packet()
        var others = 0
        while try receive(device) != answer { others += 1 }
        return others
    }

    /// Writes into the FIFO.
    func writeControl(_ text: String) throws {
        let bytes = Array(text.utf8)
        try #require(write(control.writing, bytes, bytes.count) == bytes.count)
    }

    /// The log so far; at least one line.
    func log() throws -> [String] {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = read(logging.reading, &bytes, bytes.count)
        guard count > 0 else { throw Gone() }
        return String(decoding: bytes.prefix(count), as: UTF8.self).split(separator: "\n").map(String.init)
    }

    private static func makePipe() throws -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        return (ends[0], ends[1])
    }
}
