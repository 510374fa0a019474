import Glibc
import OkaeriPlumbing
import Testing

@Suite struct OwnedDescriptorTests {
    private struct Refusal: Error, Equatable {
        var code: Int32
    }

    /// The other end shows it: the number itself may belong to another file at once.
    @Test func `the descriptor is closed with its owner`() throws {
        var ends: [Int32] = [-1, -1]
        #expect(
            socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0, &ends)
                == 0)
        let reader = OwnedDescriptor(owning: ends[0])
        var byte: UInt8 = 0
        do {
            let writer = OwnedDescriptor(owning: ends[1])
            #expect(write(writer.number, [7], 1) == 1)
            #expect(read(reader.number, &byte, 1) == 1)
            #expect(read(reader.number, &byte, 1) == -1 && errno == EAGAIN, "it is open still")
            withExtendedLifetime(writer.number) {}
        }
        #expect(read(reader.number, &byte, 1) == 0, "the end: no descriptor can write any more")
    }

    @Test func `what a signal interrupts is called again`() throws {
        var results = [-1, -1, 5][...]
        let result = try OwnedDescriptor.retrying({ Refusal(code: $0) }) {
            errno = EINTR
            return results.removeFirst()
        }
        #expect(result == 5)
        #expect(results.isEmpty)
    }

    @Test func `any other failure is reported`() {
        #expect(throws: Refusal(code: EBADF)) {
            try OwnedDescriptor.retrying({ Refusal(code: $0) }) { close(-1) }
        }
    }
}
