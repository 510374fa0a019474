import Plumbing
import SystemPackage

/// Writes files one after another as a ustar archive.
struct ArchiveWriter {
    let output: FileDescriptor
    /// The time of all files, in seconds since the Unix epoch.
    let modified: Int64
    private var written: Int64 = 0

    init(output: FileDescriptor, modified: Int64) {
        (self.output, self.modified) = (output, modified)
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

    /// Writes the end of the archive, and returns its size in bytes.
    mutating func end() throws(BackupFailure) -> Int64 {
        try write(TarHeader.end[...])
        return written
    }

    private mutating func write(_ bytes: ArraySlice<UInt8>) throws(BackupFailure) {
        do {
            try output.writeAll(bytes)
        } catch {
            throw BackupFailure(.io, "cannot write the backup: \(error as? Errno ?? .ioError); check the disk")
        }
        written += Int64(bytes.count)
    }
}
