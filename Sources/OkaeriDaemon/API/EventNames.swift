/// Takes the names out of a stream of server-sent events, however it is cut on its way.
struct EventNames {
    private static let field = Array("event: ".utf8)

    /// Longer than any name; what stands beyond belongs to other fields.
    private static let longest = 64

    private var line: [UInt8] = []

    mutating func received(_ bytes: some Sequence<UInt8>) -> [String] {
        var names: [String] = []
        for byte in bytes {
            guard byte == 0x0A else {
                if line.count < Self.longest { line.append(byte) }
                continue
            }
            if line.starts(with: Self.field) {
                names.append(String(decoding: line.dropFirst(Self.field.count), as: UTF8.self))
            }
            line.removeAll(keepingCapacity: true)
        }
        return names
    }
}
