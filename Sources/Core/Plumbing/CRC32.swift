/// The checksum of gzip and Ethernet (ISO 3309, RFC 1952 section 8), as eight hexadecimal digits.
package struct CRC32: CustomStringConvertible {
    /// The number of digits.
    package static let length = 8

    private var register: UInt32 = .max

    package init() {}

    package init(of bytes: ArraySlice<UInt8>) {
        append(bytes)
    }

    package mutating func append(_ bytes: ArraySlice<UInt8>) {
        for byte in bytes {
            register ^= UInt32(byte)
            for _ in 0..<8 { register = register >> 1 ^ (register & 1 == 1 ? 0xEDB8_8320 : 0) }
        }
    }

    package var description: String { hexadecimal(~register, prefix: "", digits: Self.length) }
}
