import Plumbing

/// The header of a regular file in a ustar archive (POSIX.1-2017, pax, "ustar Interchange Format").
///
/// Only the headers that this type writes are read: names without a folder, no links, no devices, no owner.
struct TarHeader: Equatable {
    static let blockSize = 512
    static let end = [UInt8](repeating: 0, count: 2 * blockSize)

    /// The largest size of twelve octal digits with their terminator.
    private static let mostBytes: Int64 = 0o777_7777_7777
    private static let longestName = 99

    /// ASCII without a slash.
    var name: String
    /// In bytes.
    var size: Int64
    /// In seconds since the Unix epoch.
    var modified: Int64

    /// Returns `nil` if the name or a number does not fit.
    init?(name: String, size: Int64, modified: Int64) {
        let isPlain = name.utf8.allSatisfy { (0x21..<0x7F).contains($0) && $0 != UInt8(ascii: "/") }
        guard isPlain, (1...Self.longestName).contains(name.utf8.count), (0...Self.mostBytes).contains(size),
            (0...Self.mostBytes).contains(modified)
        else { return nil }
        (self.name, self.size, self.modified) = (name, size, modified)
    }

    /// Returns `nil` for any other block than one of ``block``: its checksum counts too.
    init?(block: [UInt8]) {
        guard block.count == Self.blockSize,
            let name = String(validating: block[..<100].prefix { $0 != 0 }, as: UTF8.self),
            let size = Self.number(block[124..<136]), let modified = Self.number(block[136..<148]),
            let header = TarHeader(name: name, size: size, modified: modified), header.block == block
        else { return nil }
        self = header
    }

    /// The number of zero bytes after the content.
    var padding: Int { (Self.blockSize - Int(size % Int64(Self.blockSize))) % Self.blockSize }

    var block: [UInt8] {
        // One sum of all fields is more than the compiler resolves on a slow machine.
        var before = Self.field(name, 100)
        for number in ["0000600", "0000000", "0000000"] { before += Self.field(number, 8) }
        before += Self.octal(size)
        before += Self.octal(modified)
        var after = [UInt8(ascii: "0")]
        after += Self.field("", 100)
        after += Self.field("ustar", 6)
        after += Array("00".utf8)
        for (text, length) in [("root", 32), ("root", 32), ("", 8 + 8 + 155 + 12)] { after += Self.field(text, length) }
        // The field of the checksum counts as spaces.
        let sum = (before + after).reduce(8 * 0x20) { $0 + Int($1) }
        return before + Self.field(Self.digits(Int64(sum), 6), 7) + [0x20] + after
    }

    private static func field(_ text: String, _ length: Int) -> [UInt8] {
        Array(text.utf8) + [UInt8](repeating: 0, count: length - text.utf8.count)
    }

    private static func octal(_ number: Int64) -> [UInt8] { field(digits(number, 11), 12) }

    private static func digits(_ number: Int64, _ count: Int) -> String {
        let text = String(number, radix: 8)
        return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }

    private static func number(_ field: ArraySlice<UInt8>) -> Int64? {
        Int64(String(decoding: field.prefix { $0 != 0 }, as: UTF8.self), radix: 8)
    }
}
