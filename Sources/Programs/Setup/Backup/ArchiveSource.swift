import Glibc
import OkaeriEncryption
import OkaeriPlumbing
import Synchronization
import SystemPackage

/// An open file that is read by positions: as it is, or decrypted part by part, so that nothing of it is on a disk in the clear.
final class ArchiveSource: Sendable {
    /// The size of the content in bytes. That of an encrypted file is true once its end is read.
    let size: Int64
    private let file: OwnedDescriptor
    /// `nil`: the file is not encrypted.
    private let decryptor: AgeDecryptor?
    /// The chunk that was decrypted last.
    private let chunk = Mutex((position: -1 as Int64, content: [] as [UInt8]))

    /// - Parameter passphrase: That of an encrypted file; `nil`: the file is read as it is.
    init(_ file: consuming OwnedDescriptor, passphrase: [UInt8]? = nil) throws(BackupFailure) {
        var status = stat()
        guard fstat(file.number, &status) == 0 else { throw Self.unreadable(Errno(rawValue: errno)) }
        guard let passphrase else {
            (decryptor, size) = (nil, Int64(status.st_size))
            self.file = file
            return
        }
        do throws(AgeFailure) {
            let decryptor = try AgeDecryptor(
                passphrase: passphrase, beginning: (try? Self.beginning(of: file)) ?? [],
                fileSize: Int64(status.st_size))
            (self.decryptor, size) = (decryptor, decryptor.size)
        } catch {
            throw Self.failure(error)
        }
        self.file = file
    }

    /// Returns whether a file begins as an encrypted one.
    static func isEncrypted(_ file: borrowing OwnedDescriptor) throws(BackupFailure) -> Bool {
        AgeDecryptor.isEncrypted(try beginning(of: file))
    }

    /// Returns the bytes at a position, one at least and at most `count`; none at the end.
    func bytes(at offset: Int64, upTo count: Int) throws(BackupFailure) -> ArraySlice<UInt8> {
        guard let decryptor else { return try Self.read(file, at: offset, count)[...] }
        guard offset < decryptor.size else { return [] }
        let position = offset - offset % Int64(AgeDecryptor.chunkSize)
        return try chunk.withLock { chunk throws(BackupFailure) in
            if chunk.position != position {
                chunk = (position, try Self.content(decryptor, at: position, of: file))
            }
            return chunk.content.dropFirst(Int(offset - position)).prefix(count)
        }
    }

    private static func content(
        _ decryptor: AgeDecryptor, at position: Int64, of file: borrowing OwnedDescriptor
    ) throws(BackupFailure) -> [UInt8] {
        let (offset, count) = decryptor.place(ofChunkAt: position)
        let sealed = try whole(file, at: offset, count)
        do throws(AgeFailure) {
            return try decryptor.content(sealed, ofChunkAt: position)
        } catch {
            throw failure(error)
        }
    }

    private static func failure(_ failure: AgeFailure) -> BackupFailure { BackupFailure(.data, failure.description) }

    private static func beginning(of file: borrowing OwnedDescriptor) throws(BackupFailure) -> [UInt8] {
        try whole(file, at: 0, AgeDecryptor.beginningSize)
    }

    /// Returns `count` bytes, or those up to the end.
    private static func whole(
        _ file: borrowing OwnedDescriptor, at offset: Int64, _ count: Int
    ) throws(BackupFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let part = try read(file, at: offset + Int64(bytes.count), count - bytes.count)
            guard !part.isEmpty else { break }
            bytes += part
        }
        return bytes
    }

    private static func read(
        _ file: borrowing OwnedDescriptor, at offset: Int64, _ count: Int
    ) throws(BackupFailure) -> [UInt8] {
        let descriptor = FileDescriptor(rawValue: file.number)
        do {
            return try [UInt8](unsafeUninitializedCapacity: count) { buffer, length in
                length = try descriptor.read(fromAbsoluteOffset: offset, into: UnsafeMutableRawBufferPointer(buffer))
            }
        } catch {
            throw unreadable(error as? Errno ?? .ioError)
        }
    }

    private static func unreadable(_ errno: Errno) -> BackupFailure {
        BackupFailure(.io, "it cannot be read: \(errno); check the disk")
    }
}
