import Glibc
import OkaeriChecksum
import OkaeriConfiguration
import OkaeriEncryption
import OkaeriPlumbing
import SystemPackage

/// A backup that was read once, with all checksums. It stays open, because the history is too large to keep.
final class BackupArchive: Sendable {
    let path: String
    let manifest: BackupManifest
    /// The contents of all files but the history.
    let contents: [BackupFileName: [UInt8]]
    let isEncrypted: Bool
    private let source: ArchiveSource
    private let historyOffset: Int64

    /// Opens the file and reads it. Blocking.
    ///
    /// - Parameter passphrase: That of an encrypted backup; `nil`: the backup is not encrypted.
    init(_ path: String, passphrase: [UInt8]? = nil) throws(BackupFailure) {
        self.path = path
        isEncrypted = passphrase != nil
        (source, manifest, contents, historyOffset) = try Self.naming(path) { () throws(BackupFailure) in
            let file = try Self.opened(path)
            guard try ArchiveSource.isEncrypted(file) == (passphrase != nil) else {
                throw BackupFailure(
                    .data,
                    passphrase == nil
                        ? "it is encrypted; give its passphrase"
                        : "it is not encrypted, although it has to be; if you trust it, leave the passphrase out")
            }
            let source = try ArchiveSource(file, passphrase: passphrase)
            let (manifest, contents, historyOffset) = try Self.read(source)
            return (source, manifest, contents, historyOffset)
        }
    }

    /// Returns whether the file is an encrypted one. Blocking.
    static func isEncrypted(_ path: String) throws(BackupFailure) -> Bool {
        try naming(path) { () throws(BackupFailure) in try ArchiveSource.isEncrypted(opened(path)) }
    }

    private static func naming<Value>(
        _ path: String, _ body: () throws(BackupFailure) -> Value
    ) throws(BackupFailure) -> Value {
        do throws(BackupFailure) {
            return try body()
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
            throw BackupFailure(.io, "it is not a regular file; name the file of a backup")
        }
        guard [0, geteuid(), ServiceAccount.sudoCaller].contains(status.st_uid) else {
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
        _ source: ArchiveSource
    ) throws(BackupFailure) -> (BackupManifest, [BackupFileName: [UInt8]], Int64) {
        var walk = ArchiveWalk(reader: ArchiveReader(source), length: source.size)
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
        let reader = ArchiveReader(source, interruption)
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

/// Reads an open file piece by piece.
struct ArchiveReader {
    private static let pieceSize = 64 << 10

    private let source: ArchiveSource
    private let interruption: Interruption?

    init(_ source: ArchiveSource, _ interruption: Interruption? = nil) {
        (self.source, self.interruption) = (source, interruption)
    }

    /// Returns exactly `count` bytes.
    func bytes(at offset: Int64, count: Int) throws(BackupFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        try forEachPiece(from: offset, size: Int64(count)) { bytes += $0 }
        return bytes
    }

    /// Passes the bytes from a position on, piece by piece.
    ///
    /// - Parameter size: The number of bytes, all of which must be there; `nil`: those up to the end.
    func forEachPiece(
        from offset: Int64, size: Int64?, _ body: (ArraySlice<UInt8>) throws(BackupFailure) -> Void
    ) throws(BackupFailure) {
        var done: Int64 = 0
        while size.map({ done < $0 }) ?? true {
            try interruption?.check()
            let length = Int(min(Int64(Self.pieceSize), size.map { $0 - done } ?? .max))
            let piece = try source.bytes(at: offset + done, upTo: length)
            guard !piece.isEmpty else {
                if size == nil { return }
                throw BackupManifest.foreign
            }
            try body(piece)
            done += Int64(piece.count)
        }
    }
}

/// Writes files one after another as a ustar archive, as it is or encrypted.
struct ArchiveWriter {
    let output: FileDescriptor
    /// The time of all files, in seconds since the Unix epoch.
    let modified: Int64
    /// `nil`: the archive is written as it is.
    private var encryptor: AgeEncryptor?
    /// The sizes of the archive, and of the file, in bytes.
    private var written: Int64 = 0
    private var stored: Int64 = 0

    init(output: FileDescriptor, modified: Int64) {
        (self.output, self.modified) = (output, modified)
    }

    /// Begins an encrypted archive; `nil`: one as it is.
    init(output: FileDescriptor, modified: Int64, _ encryptor: AgeEncryptor?) throws(BackupFailure) {
        self.init(output: output, modified: modified)
        self.encryptor = encryptor
        if let encryptor { try store(encryptor.preamble[...]) }
    }

    mutating func add(_ name: String, _ content: [UInt8]) throws(BackupFailure) {
        try add(name, size: Int64(content.count)) { write throws(BackupFailure) in try write(content[...]) }
    }

    /// - Parameter content: Passes the pieces of the content, in their order.
    mutating func add(
        _ name: String, size: Int64,
        content: ((ArraySlice<UInt8>) throws(BackupFailure) -> Void) throws(BackupFailure) -> Void
    ) throws(BackupFailure) {
        guard let header = TarHeader(name: name, size: size, modified: modified) else {
            throw .tooLarge(name)
        }
        try write(header.block[...])
        let begin = written
        try content { piece throws(BackupFailure) in try write(piece) }
        guard written - begin == size else {
            throw BackupFailure(.io, "\(name) was changed meanwhile; begin again")
        }
        try write([UInt8](repeating: 0, count: header.padding)[...])
    }

    /// Writes the end of the archive, and returns the size of the file in bytes.
    mutating func end() throws(BackupFailure) -> Int64 {
        try write(TarHeader.end[...])
        if let last = encryptor?.end() { try store(last[...]) }
        return stored
    }

    private mutating func write(_ bytes: ArraySlice<UInt8>) throws(BackupFailure) {
        try store(encryptor?.encrypted(bytes)[...] ?? bytes)
        written += Int64(bytes.count)
    }

    private mutating func store(_ bytes: ArraySlice<UInt8>) throws(BackupFailure) {
        do {
            try output.writeAll(bytes)
        } catch {
            throw BackupFailure(.io, "cannot write the backup: \(error as? Errno ?? .ioError); check the disk")
        }
        stored += Int64(bytes.count)
    }
}

/// The header of a regular file in a ustar archive (POSIX.1-2017, pax, "ustar Interchange Format").
///
/// Only the headers that this type writes are read: names without a folder, no links, no devices, no owner.
struct TarHeader: Equatable {
    static let blockSize = 512
    static let end = [UInt8](repeating: 0, count: 2 * blockSize)

    /// The largest size of twelve octal digits with their terminator.
    private static let mostBytes: Int64 = 0o777_7777_7777
    private static let longestName = 99

    /// ASCII without a slash.
    var name: String
    /// In bytes.
    var size: Int64
    /// In seconds since the Unix epoch.
    var modified: Int64

    /// Returns `nil` if the name or a number does not fit.
    init?(name: String, size: Int64, modified: Int64) {
        let isPlain = name.utf8.allSatisfy { (0x21..<0x7F).contains($0) && $0 != UInt8(ascii: "/") }
        guard isPlain, (1...Self.longestName).contains(name.utf8.count), (0...Self.mostBytes).contains(size),
            (0...Self.mostBytes).contains(modified)
        else { return nil }
        (self.name, self.size, self.modified) = (name, size, modified)
    }

    /// Returns `nil` for any other block than one of ``block``: its checksum counts too.
    init?(block: [UInt8]) {
        guard block.count == Self.blockSize,
            let name = String(validating: block[..<100].prefix { $0 != 0 }, as: UTF8.self),
            let size = Self.number(block[124..<136]), let modified = Self.number(block[136..<148]),
            let header = TarHeader(name: name, size: size, modified: modified), header.block == block
        else { return nil }
        self = header
    }

    /// The number of zero bytes after the content.
    var padding: Int { (Self.blockSize - Int(size % Int64(Self.blockSize))) % Self.blockSize }

    var block: [UInt8] {
        // One sum of all fields is more than the compiler resolves on a slow machine.
        var before = Self.field(name, 100)
        for number in ["0000600", "0000000", "0000000"] { before += Self.field(number, 8) }
        before += Self.octal(size)
        before += Self.octal(modified)
        var after = [UInt8(ascii: "0")]
        after += Self.field("", 100)
        after += Self.field("ustar", 6)
        after += Array("00".utf8)
        for (text, length) in [("root", 32), ("root", 32), ("", 8 + 8 + 155 + 12)] { after += Self.field(text, length) }
        // The field of the checksum counts as spaces.
        let sum = (before + after).reduce(8 * 0x20) { $0 + Int($1) }
        return before + Self.field(Self.digits(Int64(sum), 6), 7) + [0x20] + after
    }

    private static func field(_ text: String, _ length: Int) -> [UInt8] {
        Array(text.utf8) + [UInt8](repeating: 0, count: length - text.utf8.count)
    }

    private static func octal(_ number: Int64) -> [UInt8] { field(digits(number, 11), 12) }

    private static func digits(_ number: Int64, _ count: Int) -> String {
        let text = String(number, radix: 8)
        return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }

    private static func number(_ field: ArraySlice<UInt8>) -> Int64? {
        Int64(String(decoding: field.prefix { $0 != 0 }, as: UTF8.self), radix: 8)
    }
}
