import Glibc
import HCI
import OkaeriBluetooth
import OkaeriPlumbing
import Testing

@Suite struct HCISocketTests {
    private func pair() throws -> (FakeController, Int32) {
        var ends: [Int32] = [-1, -1]
        #expect(socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends) == 0)
        return (FakeController(owning: ends[1]), ends[0])
    }

    @Test func `a batch has a maximum number of packets`() throws {
        let (peer, end) = try pair()
        let socket = HCISocket(owning: OwnedDescriptor(owning: end))
        var batch = PacketBatch()
        try socket.receive(into: &batch)
        #expect(batch.count == 0)
        for index in 0...PacketBatch.capacity {
            try peer.send([0x04, 0xFF, 0x01, UInt8(index)])
        }
        try socket.receive(into: &batch)
        #expect(batch.count == PacketBatch.capacity)
        for index in 0..<batch.count {
            let packet = batch[index]
            #expect(packet.byteCount == 4)
            #expect(packet.unsafeLoad(fromByteOffset: 3, as: UInt8.self) == UInt8(index))
        }
        #expect(batch[batch.count].byteCount == 0)
        #expect(batch[-1].byteCount == 0)
        try socket.receive(into: &batch)
        #expect(batch.count == 1)
    }

    @Test func `a packet has the time at which the kernel received it`() throws {
        let (peer, end) = try pair()
        let socket = HCISocket(owning: OwnedDescriptor(owning: end))
        var batch = PacketBatch()
        #expect(batch.time(of: 0) == nil)
        for _ in 0..<3 {
            var spans: [ClosedRange<Int64>] = []
            for number in 0..<UInt8(PacketBatch.capacity) {
                let before = KernelClock.realtime
                try peer.send([0x04, 0xFF, 0x01, number])
                spans.append(before...max(before, KernelClock.realtime))
            }
            try socket.receive(into: &batch)
            try #require(batch.count == PacketBatch.capacity)
            for (index, span) in spans.enumerated() { #expect(batch.time(of: index).map(span.contains) == true) }
            #expect(batch.time(of: -1) == nil)
            #expect(batch.time(of: batch.count) == nil)
        }
    }

    @Test func `packets of every length are whole`() throws {
        let (peer, end) = try pair()
        let socket = HCISocket(owning: OwnedDescriptor(owning: end))
        var batch = PacketBatch()
        for length in 1...259 {
            try peer.send([UInt8](repeating: 0x04, count: length))
            try socket.receive(into: &batch)
            #expect(batch.count == 1)
            #expect(batch[0].byteCount == length)
        }
        // No HCI packet of a type that is asked for is longer than 259 bytes: the rest is cut, not written elsewhere.
        try peer.send([UInt8](repeating: 0x04, count: 2000))
        try socket.receive(into: &batch)
        #expect(batch[0].byteCount == 264)
    }

    @Test func `a peer that is gone is an error after what it sent`() throws {
        var batch = PacketBatch()
        let (peer, end) = try pair()
        let socket = HCISocket(owning: OwnedDescriptor(owning: end))
        try peer.send([0x04, 0xFF, 0x00])
        peer.hangUp()
        try socket.receive(into: &batch)
        #expect(batch.count == 1)
        var errors: [KernelError] = []
        do throws(KernelError) { try socket.receive(into: &batch) } catch { errors.append(error) }
        do throws(KernelError) { try socket.send(.disable) } catch { errors.append(error) }
        #expect(errors == [KernelError(.receive, code: EPIPE), KernelError(.send, code: EPIPE)])
        #expect(batch.count == 0)
    }

    @Test func `commands are sent whole`() throws {
        let (peer, end) = try pair()
        let socket = HCISocket(owning: OwnedDescriptor(owning: end))
        try socket.send(.parameters)
        try peer.expect(.parameters)
        #expect(socket.drops() == 0)
    }
}
