import COkaeriSodium

/// The functions of libsodium that the format of age needs.
enum Sodium {
    static let keySize = Int(crypto_aead_chacha20poly1305_ietf_KEYBYTES)
    static let nonceSize = Int(crypto_aead_chacha20poly1305_ietf_NPUBBYTES)
    /// The number of bytes by which a sealed text is longer than the text.
    static let tagSize = Int(crypto_aead_chacha20poly1305_ietf_ABYTES)
    static let digestSize = Int(crypto_auth_hmacsha256_BYTES)

    /// Whether libsodium has chosen its functions for this processor, which it must do before the first use.
    private static let isReady = sodium_init() >= 0

    private static func demandReady() { precondition(isReady, "libsodium cannot be used") }

    static func random(_ count: Int) -> [UInt8] {
        demandReady()
        var bytes = [UInt8](repeating: 0, count: count)
        randombytes_buf(&bytes, count)
        return bytes
    }

    /// Returns HMAC-SHA-256 (RFC 2104).
    static func authenticator(of text: [UInt8], key: [UInt8]) -> [UInt8] {
        demandReady()
        var state = crypto_auth_hmacsha256_state()
        crypto_auth_hmacsha256_init(&state, key, key.count)
        crypto_auth_hmacsha256_update(&state, text, UInt64(text.count))
        var digest = [UInt8](repeating: 0, count: digestSize)
        crypto_auth_hmacsha256_final(&state, &digest)
        return digest
    }

    /// Returns a key by HKDF-SHA-256 (RFC 5869).
    static func derivedKey(from key: [UInt8], salt: [UInt8], purpose: String) -> [UInt8] {
        // One block of the expansion is as long as a key.
        authenticator(of: Array(purpose.utf8) + [1], key: authenticator(of: key, key: salt))
    }

    /// Returns a key by scrypt (RFC 7914) with r = 8 and p = 1; `nil` if there is not enough memory.
    static func stretchedKey(from passphrase: [UInt8], salt: [UInt8], logN: Int) -> [UInt8]? {
        demandReady()
        var key = [UInt8](repeating: 0, count: keySize)
        let status = crypto_pwhash_scryptsalsa208sha256_ll(
            passphrase, passphrase.count, salt, salt.count, UInt64(1) << UInt64(logN), UInt32(blockFactor), 1, &key,
            key.count)
        return status == 0 ? key : nil
    }

    /// The parameter r of scrypt, which with N fixes the memory.
    private static let blockFactor = 8

    /// Returns the memory of ``stretchedKey(from:salt:logN:)`` in bytes.
    static func stretchingMemory(logN: Int) -> Int { 128 * blockFactor << logN }

    /// Returns the text, encrypted with ChaCha20-Poly1305 (RFC 8439), and its tag.
    static func sealed(_ text: ArraySlice<UInt8>, nonce: [UInt8], key: [UInt8]) -> [UInt8] {
        demandReady()
        var sealed = [UInt8](repeating: 0, count: text.count + tagSize)
        text.withUnsafeBufferPointer { text in
            _ = crypto_aead_chacha20poly1305_ietf_encrypt(
                &sealed, nil, text.baseAddress, UInt64(text.count), nil, 0, nil, nonce, key)
        }
        return sealed
    }

    /// Returns the text of a sealed one; `nil` if the key or the nonce is another one, or a byte has changed.
    static func opened(_ sealed: [UInt8], nonce: [UInt8], key: [UInt8]) -> [UInt8]? {
        demandReady()
        guard sealed.count >= tagSize else { return nil }
        var text = [UInt8](repeating: 0, count: sealed.count - tagSize)
        let status = crypto_aead_chacha20poly1305_ietf_decrypt(
            &text, nil, nil, sealed, UInt64(sealed.count), nil, 0, nonce, key)
        return status == 0 ? text : nil
    }

    /// Returns whether two digests are equal, in a time that does not depend on their bytes.
    static func isEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        one.count == other.count && sodium_memcmp(one, other, one.count) == 0
    }
}
