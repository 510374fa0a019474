import HCI
import OkaeriBluetooth
import SystemPackage

/// The events in the air, one after another and round again.
struct Traffic {
    private var bytes: [UInt8] = []
    private var ranges: [Range<Int>] = []
    /// The number of each event's sender.
    private var senders: [Int] = []

    /// Reads packets, each behind its length in one byte.
    init(file: String) throws {
        let descriptor = try FileDescriptor.open(FilePath(file), .readOnly)
        try descriptor.closeAfter {
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while case let count = try buffer.withUnsafeMutableBytes({ try descriptor.read(into: $0) }), count > 0 {
                bytes += buffer[..<count]
            }
        }
        var start = 0
        while start < bytes.count {
            let end = start + 1 + Int(bytes[start])
            // Behind the length and the H4 packet type.
            ranges.append(start + 2..<end)
            start = end
        }
    }

    var count: Int { ranges.count }

    /// Gives each sender another resolvable private address, as after a quarter of an hour. The last senders are phones.
    ///
    /// - Parameters:
    ///   - generation: Other addresses for each.
    ///   - phones: The keys of the phones.
    mutating func rotateAddresses(generation: UInt32, phones: [IdentityResolvingKey]) {
        if senders.isEmpty {
            senders = ranges.map { range in
                let start = range.lowerBound + Self.address
                return Int(bytes[start]) | Int(bytes[start + 1]) << 8
            }
        }
        let count = (senders.max() ?? 0) + 1
        let ciphers = phones.map { AES128($0) }
        let addresses = (0..<count).map { sender -> UInt64 in
            let random = 0x40_0000 | ((generation &* 1_000 &+ UInt32(sender)) &* 2_654_435_761) >> 10
            let phone = sender - (count - ciphers.count)
            // The hash of another device is as good as any number.
            let hash = phone < 0 ? (random &* 2_246_822_519) >> 8 : ciphers[phone].hash(random)
            return UInt64(random) << 24 | UInt64(hash)
        }
        for (range, sender) in zip(ranges, senders) {
            for byte in 0..<6 {
                bytes[range.lowerBound + Self.address + byte] = UInt8(
                    truncatingIfNeeded: addresses[sender] >> UInt64(8 * byte))
            }
        }
    }

    /// The offset of the address in an event with one LE Advertising Report.
    private static let address = 6

    /// An event from its event code on.
    subscript(index: Int) -> RawSpan {
        @_lifetime(borrow self) get { bytes.span.bytes.extracting(ranges[index]) }
    }
}
