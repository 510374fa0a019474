import COkaeriZlib
import OkaeriPlumbing

/// The checksum of gzip and Ethernet (ISO 3309, RFC 1952 section 8), as eight hexadecimal digits.
package struct CRC32: CustomStringConvertible {
    /// The number of digits.
    package static let length = 8

    private var value: uLong = 0

    package init() {}

    package init(of bytes: ArraySlice<UInt8>) {
        append(bytes)
    }

    package mutating func append(_ bytes: ArraySlice<UInt8>) {
        // Without bytes, zlib begins anew.
        guard !bytes.isEmpty else { return }
        value = bytes.withUnsafeBufferPointer { crc32_z(value, $0.baseAddress, $0.count) }
    }

    package var description: String { hexadecimal(UInt32(truncatingIfNeeded: value), prefix: "", digits: Self.length) }
}
