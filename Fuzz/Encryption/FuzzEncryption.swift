import OkaeriFuzzSupport

@testable import OkaeriEncryption

private let passphrase = Array("correct horse battery".utf8)

/// The input is the content of a file; or the file itself, which is decrypted unless its passphrase needs more work than a test has time for.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzEncryption(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = [UInt8](input(start, count))
    readBack(bytes)
    do throws(AgeFailure) {
        let header = try AgeHeader(of: bytes)
        require(bytes.starts(with: header.text), "a header is not written as it was read")
        require(header.text.count < AgeHeader.sizeLimit && header.logN <= AgeKey.mostLogN, "a header without a limit")
        if header.logN <= 4 { require((try? decrypted(bytes)) == nil, "an invented file is authentic") }
    } catch {
        requireWords(error)
    }
    return 0
}

/// Checks that a content is decrypted as it was encrypted.
private func readBack(_ content: [UInt8]) {
    guard var encryptor = try? AgeEncryptor(passphrase: passphrase, logN: 1) else { return }
    let file = encryptor.preamble + encryptor.encrypted(content[...]) + encryptor.end()
    require((try? decrypted(file)) == content, "another content")
}

private func decrypted(_ file: [UInt8]) throws(AgeFailure) -> [UInt8] {
    let decryptor = try AgeDecryptor(
        passphrase: passphrase, beginning: Array(file.prefix(AgeDecryptor.beginningSize)), fileSize: Int64(file.count))
    var content: [UInt8] = []
    repeat {
        let (offset, count) = decryptor.place(ofChunkAt: Int64(content.count))
        content += try decryptor.content(
            Array(file[Int(offset)..<Int(offset) + count]), ofChunkAt: Int64(content.count))
    } while content.count < decryptor.size
    return content
}
