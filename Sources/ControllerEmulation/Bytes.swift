import HCI

extension [UInt8] {
    /// Appends an integer, least significant byte first: the order of HCI.
    mutating func append<T: FixedWidthInteger>(littleEndian value: T) {
        var rest = value
        for _ in 0..<MemoryLayout<T>.size {
            append(UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        }
    }

    /// The least significant byte first.
    init<T: FixedWidthInteger>(littleEndian value: T) {
        self = []
        append(littleEndian: value)
    }

    /// An address as HCI sends it.
    init(_ address: BluetoothAddress) {
        self = [UInt8]([UInt8](littleEndian: address.rawValue).prefix(6))
    }

    /// `02011A`.
    var hexadecimal: String {
        map { ControllerEmulation.hexadecimal($0, prefix: "") }.joined()
    }
}

/// `0x0C` for 12: how the specification writes codes.
func hexadecimal(_ value: some FixedWidthInteger & UnsignedInteger, prefix: String = "0x") -> String {
    let digits = String(value, radix: 16, uppercase: true)
    return prefix + String(repeating: "0", count: max(0, value.bitWidth / 4 - digits.count)) + digits
}
