import Glibc
import HCI
import OkaeriPlumbing
import OkaeriTestSupport
import Synchronization
import Testing

@testable import OkaeriBluetooth

@Suite struct ManagementSocketTests {
    private func pair() throws -> (FakeController, Int32) {
        var ends: [Int32] = [-1, -1]
        #expect(socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends) == 0)
        return (FakeController(owning: ends[1]), ends[0])
    }

    /// New IRK.
    private func key(adapter index: UInt8, last byte: UInt8 = 1) -> [UInt8] {
        [0x18, 0, index, 0, 30, 0, 1] + [UInt8](repeating: 0, count: 6) + [3, 2, 1, 0x32, 0xA6, 0xDC, 1]
            + [UInt8](repeating: 0, count: 15) + [byte]
    }

    @Test func `the answer is found among other messages`() throws {
        let (kernel, end) = try pair()
        let socket = ManagementSocket(owning: OwnedDescriptor(owning: end))
        try kernel.send(key(adapter: 0))
        try kernel.send([9])
        try kernel.send([UInt8](repeating: 1, count: 3000))
        try kernel.send([1, 0, 1, 0, 4, 0, 0x3F, 0, 0, 7])
        try kernel.send([1, 0, 0, 0, 4, 0, 0x3E, 0, 0, 7])
        try kernel.send([1, 0, 0, 0, 4, 0, 0x3F, 0, 0, 2])
        #expect(try socket.perform(.removeAdvertising(2, from: 0)) == [2])
    }

    @Test func `a refusal, a silence and a peer that is gone are different errors`() throws {
        let (kernel, end) = try pair()
        let socket = ManagementSocket(owning: OwnedDescriptor(owning: end))
        func error() -> ManagementError? {
            do throws(ManagementError) {
                _ = try socket.perform(.readAdvertisingFeatures(of: 0), within: .milliseconds(20))
                return nil
            } catch {
                return error
            }
        }
        #expect(error() == .noAnswer)
        try kernel.send([2, 0, 0, 0, 3, 0, 0x3D, 0, 0x14])
        #expect(error() == .refused(.permissionDenied))
        try kernel.send([1, 0, 0, 0, 3, 0, 0x3D, 0, 0x0D])
        #expect(error() == .refused(.invalidParameters))
        kernel.hangUp()
        #expect(error() == .kernel(KernelError(.manage, code: EPIPE)))
    }

    @Test func `the refusal of an impossible command shows whether the kernel discovers devices`() throws {
        let (kernel, end) = try pair()
        let socket = ManagementSocket(owning: OwnedDescriptor(owning: end))
        try kernel.send([1, 0, 1, 0, 4, 0, 0x24, 0, 0x0D, 0xFF])
        #expect(try socket.isDiscovering(adapter: 1))
        try kernel.send([1, 0, 1, 0, 4, 0, 0x24, 0, 0x0B, 0xFF])
        #expect(try !socket.isDiscovering(adapter: 1))
        // Without the right to it, and for an adapter that has gone.
        for status: ManagementStatus in [.permissionDenied, ManagementStatus(rawValue: 0x11)] {
            try kernel.send([2, 0, 1, 0, 3, 0, 0x24, 0, status.rawValue])
            #expect(throws: ManagementError.refused(status)) { try socket.isDiscovering(adapter: 1) }
        }
    }

    @Test func `the keys of the adapter arrive, and those of another one do not`() async throws {
        let (kernel, end) = try pair()
        let socket = ManagementSocket(owning: OwnedDescriptor(owning: end))
        let watch = try KeyWatch(socket: socket, adapter: 0)
        try kernel.send(key(adapter: 1, last: 2))
        try kernel.send(key(adapter: 0, last: 3))
        var identities = watch.identities.makeAsyncIterator()
        let identity = try #require(await identities.next())
        #expect(identity.address == BluetoothAddress("DC:A6:32:01:02:03"))
        #expect(identity.key.secretText.hasPrefix("03"))
        watch.stop()
        #expect(await identities.next() == nil)
    }

    @Test func `the watch ends with the socket`() async throws {
        let (kernel, end) = try pair()
        let socket = ManagementSocket(owning: OwnedDescriptor(owning: end))
        let watch = try KeyWatch(socket: socket, adapter: 0)
        kernel.hangUp()
        for await _ in watch.identities { Issue.record("there is a key") }
    }
}

/// The kernel's answers to advertising commands.
private final class AdvertisingKernel: Sendable {
    let commands = Watched<[[UInt8]]>([])
    private let refusal: ManagementStatus?

    init(refusal: ManagementStatus? = nil) { self.refusal = refusal }

    /// A socket that answers one command.
    func open() throws(KernelError) -> ManagementSocket {
        var ends: [Int32] = [-1, -1]
        socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends)
        let peer = ends[1]
        try BlockingThread.start({ KernelError(.startThread, code: $0) }) { [self] in
            var bytes = [UInt8](repeating: 0, count: 300)
            let count = recv(peer, &bytes, bytes.count, 0)
            if count > 0 { answer(Array(bytes[..<count]), on: peer) }
            close(peer)
        }
        return ManagementSocket(owning: OwnedDescriptor(owning: ends[0]))
    }

    private func answer(_ command: [UInt8], on peer: Int32) {
        commands.change { $0.append(command) }
        let isQuestion = command[0] == 0x3D
        let status = isQuestion ? 0 : refusal?.rawValue ?? 0
        let result: [UInt8] = isQuestion ? [0, 0, 0, 0, 31, 31, 5, 1, 1] : [command[6]]
        let answer = [1, 0, command[2], 0, UInt8(3 + result.count), 0, command[0], 0, status] + result
        send(peer, answer, answer.count, Int32(MSG_NOSIGNAL))
    }
}

@Suite struct ManagementAdvertisingTests {
    private let content = AdvertisingInstance(number: 0, isConnectable: true, timeout: 0, data: [2, 1, 1])

    @Test func `an advertisement gets a free number and a time limit, and is removed`() async throws {
        let kernel = AdvertisingKernel()
        let advertising = ManagementAdvertising(open: kernel.open)
        try await advertising.start(content, on: 1)
        await advertising.stop()
        await advertising.stop()
        let commands = kernel.commands.value
        #expect(commands.map { $0[0] } == [0x3D, 0x3E, 0x3F])
        #expect(commands.allSatisfy { $0[2] == 1 })
        #expect(commands[1][6] == 5 && Array(commands[1][13...14]) == [0x58, 0x02])
        #expect(commands[2][6] == 5)
    }

    @Test func `an advertisement is renewed until it is stopped`() async throws {
        let kernel = AdvertisingKernel()
        let advertising = ManagementAdvertising(renewedEvery: .milliseconds(5), open: kernel.open)
        try await advertising.start(content, on: 0)
        try await kernel.commands.wait(until: "it is renewed twice") { $0.count { $0[0] == 0x3E } >= 3 }
        await advertising.stop()
        #expect(kernel.commands.value.last?[0] == 0x3F)
    }

    @Test func `another advertisement takes the place of the first one`() async throws {
        let kernel = AdvertisingKernel()
        let advertising = ManagementAdvertising(open: kernel.open)
        try await advertising.start(content, on: 0)
        try await advertising.start(content, on: 0)
        #expect(kernel.commands.value.map { $0[0] } == [0x3D, 0x3E, 0x3F, 0x3D, 0x3E])
        await advertising.stop()
    }

    @Test func `a refusal leaves nothing to remove`() async throws {
        let kernel = AdvertisingKernel(refusal: .invalidParameters)
        let advertising = ManagementAdvertising(open: kernel.open)
        await #expect(throws: ManagementError.refused(.invalidParameters)) {
            try await advertising.start(content, on: 0)
        }
        await advertising.stop()
        #expect(kernel.commands.value.count == 2)
    }
}
