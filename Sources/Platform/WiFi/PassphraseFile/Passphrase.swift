import Glibc

/// A passphrase on its way to NetworkManager. It cannot be copied or printed, and its bytes are wiped with it.
package struct Passphrase: ~Copyable {
    /// 64 hexadecimal digits are the key itself, which SAE cannot use.
    package let isRawKey: Bool

    private let bytes: UnsafeMutablePointer<CChar>
    private let capacity: Int

    /// Takes printable ASCII; the caller has checked it.
    init(_ text: UnsafeRawBufferPointer, isRawKey: Bool) {
        capacity = text.count + 1
        bytes = .allocate(capacity: capacity)
        bytes.initialize(repeating: 0, count: capacity)
        for (index, byte) in text.enumerated() { bytes[index] = CChar(bitPattern: byte) }
        self.isRawKey = isRawKey
    }

    /// Lends the passphrase as a C string. A function that copies it wipes the copy.
    package borrowing func withCString<T>(_ body: (UnsafePointer<CChar>) -> T) -> T {
        body(UnsafePointer(bytes))
    }

    deinit {
        explicit_bzero(bytes, capacity)
        bytes.deallocate()
    }
}
