import COkaeriBluetooth
package import HCI

/// AES with a key of 128 bits (FIPS 197), by libnettle.
///
/// Where a processor has no instructions for AES, libnettle looks up tables, and its time depends on the data. That is not a leak here:
/// the data is the address of an advertisement, and no sender learns the time of its decoding.
package struct AES128: Sendable {
    fileprivate let schedule: aes128_ctx

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

/// The ciphers of several keys, those that are tried one behind the other: without a copy of a schedule for each block.
private struct AES128Search: AddressSearch {
    private let all: [aes128_ctx]
    /// The schedules of the tried keys, and the position of each key.
    private var tried: [aes128_ctx]
    private var positions: [Int]

    init(_ keys: [IdentityResolvingKey]) {
        all = keys.map { AES128($0).schedule }
        (tried, positions) = (all, Array(all.indices))
    }

    mutating func select(_ positions: [Int]) {
        self.positions = positions.filter(all.indices.contains)
        tried = self.positions.map { all[$0] }
    }

    func first(with hash: UInt32, of random: UInt32) -> Int? {
        let size = IdentityResolvingKey.byteCount
        let bits = (0 as UInt64, UInt64(random).bigEndian)
        let (wanted, mask) = (hash.bigEndian, UInt32(0xFF_FFFF).bigEndian)
        var block = bits
        // Safe: the schedules and both blocks of 16 bytes stay where they are during the calls, and all places are the array's.
        let place: Int? = unsafe tried.withUnsafeBufferPointer { schedules in
            unsafe withUnsafeBytes(of: bits) { bits in
                unsafe withUnsafeMutableBytes(of: &block) { block in
                    guard var schedule = schedules.baseAddress,
                        let source = unsafe bits.bindMemory(to: UInt8.self).baseAddress,
                        let target = unsafe block.bindMemory(to: UInt8.self).baseAddress
                    else { return nil }
                    for place in 0..<schedules.count {
                        unsafe nettle_aes128_encrypt(schedule, size, target, source)
                        let encrypted = unsafe block.loadUnaligned(fromByteOffset: size - 4, as: UInt32.self)
                        if encrypted & mask == wanted { return place }
                        unsafe schedule += 1
                    }
                    return nil
                }
            }
        }
        return place.map { positions[$0] }
    }
}

extension AddressResolver {
    /// A resolver of devices; its results are their positions. `nil` is never found.
    package init(_ identities: [DeviceIdentity?]) {
        self.init(identities, search: { AES128Search($0) })
    }
}

extension AddressRedaction {
    /// A redaction by a random key.
    package static func random() -> AddressRedaction { AddressRedaction(cipher: AES128(.random())) }
}
