import SystemPackage

/// The events in the air, one after another and round again.
struct Traffic {
    private var bytes: [UInt8] = []
    private var ranges: [Range<Int>] = []

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

    /// An event from its event code on.
    subscript(index: Int) -> RawSpan {
        @_lifetime(borrow self) get { bytes.span.bytes.extracting(ranges[index]) }
    }
}
