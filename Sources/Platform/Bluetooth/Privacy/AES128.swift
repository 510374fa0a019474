import COkaeriBluetooth
package import HCI

/// AES with a key of 128 bits (FIPS 197), by libnettle.
///
/// Where a processor has no instructions for AES, libnettle looks up tables, and its time depends on the data. That is not a leak here:
/// the data is the address of an advertisement, and no sender learns the time of its decoding.
package struct AES128: Sendable {
    private let schedule: aes128_ctx

    package init(_ key: IdentityResolvingKey) {
        let bytes = (key.high.bigEndian, key.low.bigEndian)
        var schedule = aes128_ctx()
        // Safe: both lie on the stack during the call, and a key has 16 bytes.
        unsafe withUnsafeBytes(of: bytes) { bytes in
            guard let start = unsafe bytes.bindMemory(to: UInt8.self).baseAddress else { return }
            unsafe nettle_aes128_set_encrypt_key(&schedule, start)
        }
        self.schedule = schedule
    }

    /// Returns an encrypted block; the most significant bytes first.
    package func encrypted(_ high: UInt64, _ low: UInt64) -> (high: UInt64, low: UInt64) {
        var block = (high.bigEndian, low.bigEndian)
        // Safe: both lie on the stack during the call, and a block has 16 bytes.
        unsafe withUnsafeMutableBytes(of: &block) { bytes in
            guard let start = unsafe bytes.bindMemory(to: UInt8.self).baseAddress else { return }
            unsafe withUnsafePointer(to: schedule) { unsafe nettle_aes128_encrypt($0, bytes.count, start, start) }
        }
        return (UInt64(bigEndian: block.0), UInt64(bigEndian: block.1))
    }
}

extension AES128: AddressHash {
    /// Returns the low 24 bits of the encrypted random bits.
    package func hash(_ random: UInt32) -> UInt32 {
        UInt32(truncatingIfNeeded: encrypted(0, UInt64(random)).low) & 0xFF_FFFF
    }
}

extension AddressResolver {
    /// A resolver of devices; its results are their positions. `nil` is never found.
    package init(_ identities: [DeviceIdentity?]) {
        self.init(identities, cipher: { AES128($0) })
    }
}

extension AddressRedaction {
    /// A redaction by a random key.
    package static func random() -> AddressRedaction { AddressRedaction(cipher: AES128(.random())) }
}
