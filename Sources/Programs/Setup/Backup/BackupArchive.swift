import Glibc
import OkaeriConfiguration
import Plumbing
import SystemPackage

/// A backup that was read once, with all checksums. It stays open, because the history is too large to keep.
final class BackupArchive: Sendable {
    let path: String
    let manifest: BackupManifest
    /// The contents of all files but the history.
    let contents: [BackupFileName: [UInt8]]
    private let file: OwnedDescriptor
    private let historyOffset: Int64

    /// Opens the file and reads it. Blocking.
    init(_ path: String) throws(BackupFailure) {
        self.path = path
        do throws(BackupFailure) {
            file = try Self.opened(path)
            (manifest, contents, historyOffset) = try Self.read(file)
        } catch {
            var failure = error
            failure.description = "cannot restore \(path): \(error.description)"
            throw failure
        }
    }

    /// Root restores the files that root or the user of `sudo` has written, and that no other user can change.
    private static func opened(_ path: String) throws(BackupFailure) -> OwnedDescriptor {
        // A pipe does not block.
        let number = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard number >= 0 else {
            throw BackupFailure(
                "it cannot be opened", Errno(rawValue: errno), command: "restore FILE",
                remedy: "name the file of a backup")
        }
        let file = OwnedDescriptor(owning: number)
        var status = stat()
        guard fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw BackupFailure(.io, "it is no regular file; name the file of a backup")
        }
        let caller = getenv("SUDO_UID").flatMap { UInt32(String(cString: $0)) }
        guard [0, geteuid(), caller].contains(status.st_uid) else {
            throw BackupFailure(
                .permission, "it belongs to user \(status.st_uid), who can change it; copy it, and restore the copy")
        }
        guard status.st_mode & 0o022 == 0 else {
            throw BackupFailure(
                .permission, "other users can change it; run `chmod go= \(path)`, if you trust its content")
        }
        return file
    }

    private static func read(
        _ file: borrowing OwnedDescriptor
    ) throws(BackupFailure) -> (BackupManifest, [BackupFileName: [UInt8]], Int64) {
        var status = stat()
        fstat(file.number, &status)
        var walk = ArchiveWalk(
            reader: ArchiveReader(FileDescriptor(rawValue: file.number)), length: Int64(status.st_size))
        let manifest = try BackupManifest(
            text: try walk.content { $0.name == BackupManifest.fileName && $0.size <= BackupManifest.sizeLimit })
        var (contents, historyOffset): ([BackupFileName: [UInt8]], Int64) = ([:], 0)
        for entry in manifest.files {
            var checksum = CRC32()
            if entry.name == .state(.history) {
                historyOffset = try walk.skip(entry) { checksum.append($0) }
            } else {
                let content = try walk.content { $0.name == entry.name.rawValue && $0.size == entry.size }
                checksum.append(content[...])
                contents[entry.name] = content
            }
            guard checksum.description == entry.checksum else {
                throw BackupFailure(
                    .data, "\(entry.name.rawValue) in it is damaged: its checksum is wrong; use another backup")
            }
        }
        try walk.end()
        return (manifest, contents, historyOffset)
    }

    var hasHistory: Bool { manifest.files.contains { $0.name == .state(.history) } }

    /// Writes the history to an open file.
    func copyHistory(to output: FileDescriptor, _ interruption: Interruption) throws(BackupFailure) {
        guard let entry = manifest.files.first(where: { $0.name == .state(.history) }) else { return }
        var checksum = CRC32()
        let reader = ArchiveReader(FileDescriptor(rawValue: file.number), interruption)
        try reader.forEachPiece(from: historyOffset, size: entry.size) { piece throws(BackupFailure) in
            checksum.append(piece)
            do {
                try output.writeAll(piece)
            } catch {
                throw BackupFailure(
                    "cannot write the history", error as? Errno ?? .ioError, command: "restore FILE",
                    remedy: "make room on the disk")
            }
        }
        guard checksum.description == entry.checksum else {
            throw BackupFailure(.data, "\(path) was changed meanwhile; begin again")
        }
    }
}

/// The way through an archive from the beginning to the end.
private struct ArchiveWalk {
    let reader: ArchiveReader
    let length: Int64
    private var offset: Int64 = 0

    init(reader: ArchiveReader, length: Int64) {
        (self.reader, self.length) = (reader, length)
    }

    /// Returns the content of the next file, which `isExpected` must accept.
    mutating func content(_ isExpected: (TarHeader) -> Bool) throws(BackupFailure) -> [UInt8] {
        let header = try header(isExpected)
        let content = try reader.bytes(at: offset, count: Int(header.size))
        try pass(header)
        return content
    }

    /// Passes the content of the next file piece by piece, and returns its position.
    mutating func skip(
        _ entry: BackupManifest.Entry, _ body: (ArraySlice<UInt8>) -> Void
    ) throws(BackupFailure) -> Int64 {
        let header = try header { $0.name == entry.name.rawValue && $0.size == entry.size }
        let begin = offset
        try reader.forEachPiece(from: begin, size: header.size) { piece throws(BackupFailure) in body(piece) }
        try pass(header)
        return begin
    }

    /// Throws unless the archive ends here.
    func end() throws(BackupFailure) {
        guard length - offset == TarHeader.end.count,
            try reader.bytes(at: offset, count: TarHeader.end.count) == TarHeader.end
        else { throw BackupManifest.foreign }
    }

    private mutating func header(_ isExpected: (TarHeader) -> Bool) throws(BackupFailure) -> TarHeader {
        let block = try reader.bytes(at: offset, count: TarHeader.blockSize)
        offset += Int64(TarHeader.blockSize)
        // The sizes of the file and of a header bound each other: neither sum overflows.
        guard let header = TarHeader(block: block), isExpected(header), header.size <= length - offset else {
            throw BackupManifest.foreign
        }
        return header
    }

    private mutating func pass(_ header: TarHeader) throws(BackupFailure) {
        offset += header.size
        guard try reader.bytes(at: offset, count: header.padding).allSatisfy({ $0 == 0 }) else {
            throw BackupManifest.foreign
        }
        offset += Int64(header.padding)
    }
}
