import Plumbing
import SystemPackage

/// Reads an open file by positions.
struct ArchiveReader {
    private static let pieceSize = 64 << 10

    private let file: FileDescriptor
    private let interruption: Interruption?

    init(_ file: FileDescriptor, _ interruption: Interruption? = nil) {
        (self.file, self.interruption) = (file, interruption)
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
        var buffer = [UInt8](repeating: 0, count: Self.pieceSize)
        var done: Int64 = 0
        while size.map({ done < $0 }) ?? true {
            try interruption?.check()
            let length = Int(min(Int64(Self.pieceSize), size.map { $0 - done } ?? .max))
            let count: Int
            do {
                count = try buffer.withUnsafeMutableBytes {
                    try file.read(
                        fromAbsoluteOffset: offset + done, into: UnsafeMutableRawBufferPointer(rebasing: $0[..<length]))
                }
            } catch {
                throw BackupFailure(.io, "it cannot be read: \(error as? Errno ?? .ioError); check the disk")
            }
            guard count > 0 else {
                if size == nil { return }
                throw BackupManifest.foreign
            }
            try body(buffer[..<count])
            done += Int64(count)
        }
    }
}
