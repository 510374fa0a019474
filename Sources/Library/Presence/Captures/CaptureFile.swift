package import HCI
package import OkaeriChecksum
package import SystemPackage

/// The reason why a capture could not be replayed to its end.
package enum CaptureFileError: Error, CustomStringConvertible {
    case unreadable(file: String, Errno)
    /// The file is not a capture, contains no Bluetooth packets, or is damaged. The packets before the damage were
    /// replayed.
    case damaged(file: String, CaptureError)
    /// The file is packed, and cannot be unpacked from this position in the unpacked capture on. The packets before it were
    /// replayed.
    case packed(file: String, offset: UInt64, Gunzip.Failure)

    /// Whether the file only ends too early, as a file of an interrupted recording does.
    package var isCut: Bool {
        guard case .damaged(_, let error) = self, case .cut = error.reason else { return false }
        return true
    }

    package var description: String {
        switch self {
        case .unreadable(let file, let errno):
            "\(file) cannot be read: \(errno.description); check the name and the permissions"
        case .damaged(let file, let error): "\(file): \(error)"
        case .packed(let file, let offset, .damaged):
            "\(file): the gzip data is damaged after \(offset) bytes of the capture, which have been read; copy the file again"
        case .packed(let file, _, let failure): "\(file): \(failure)"
        }
    }
}

/// A capture on disk, in a pipe or, named `-`, on standard input. It may be packed by gzip.
struct CaptureFile {
    let name: String

    /// Hands out the whole packets in the bytes from a position, which moves behind them. Returns whether to go on.
    typealias Reading = (_ bytes: RawSpan, _ reader: inout CaptureReader, _ position: inout Int) throws(CaptureError) ->
        Bool

    /// Reads the file from its beginning, in pieces.
    ///
    /// - Parameters:
    ///   - wait: waits until the file can be read. Returns whether to go on.
    ///   - progress: Receives at intervals the number of bytes read, and the number of all if it is known.
    func forEachPiece(
        wait: (FileDescriptor) -> Bool, _ take: Reading, progress: (_ read: UInt64, _ size: UInt64?) -> Void
    ) throws(CaptureFileError) {
        var reader = CaptureReader()
        do {
            guard name != "-" else {
                return try read(FileDescriptor.standardInput, wait, &reader, take, progress)
            }
            // A pipe may have no writer yet: `wait` waits for one, and not the opening.
            let file = try FileDescriptor.open(FilePath(name), .readOnly, options: [.closeOnExec, .nonBlocking])
            try file.closeAfter { try read(file, wait, &reader, take, progress) }
        } catch let error as CaptureError {
            throw .damaged(file: name, error)
        } catch let failure as Gunzip.Failure {
            throw .packed(file: name, offset: reader.offset, failure)
        } catch let errno as Errno {
            throw .unreadable(file: name, errno)
        } catch {
            throw .unreadable(file: name, .ioError)
        }
    }

    private func read(
        _ file: FileDescriptor, _ wait: (FileDescriptor) -> Bool, _ reader: inout CaptureReader, _ take: Reading,
        _ progress: (UInt64, UInt64?) -> Void
    ) throws {
        try withoutActuallyEscaping(wait) { wait in
            try read(file, CaptureInput(file, wait: wait), &reader, take, progress)
        }
    }

    private func read(
        _ file: FileDescriptor, _ input: consuming CaptureInput, _ reader: inout CaptureReader, _ take: Reading,
        _ progress: (UInt64, UInt64?) -> Void
    ) throws {
        let size = (try? file.seek(offset: 0, from: .end)).flatMap { UInt64(exactly: $0) }
        if size != nil { try file.seek(offset: 0, from: .start) }
        var buffer = [UInt8](repeating: 0, count: CaptureReader.largestNeed)
        var filled = 0
        while true {
            let count = try buffer.withUnsafeMutableBytes { bytes in
                try input.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[filled...]))
            }
            guard let count else { return }
            filled += count
            if count == 0 { reader.inputEnded() }
            var position = 0
            guard try take(buffer.span.bytes.extracting(0..<filled), &reader, &position) else { return }
            progress(reader.offset, input.isPacked ? nil : size)
            if count == 0 {
                // The unpacked part may end with a whole record, or before the first one.
                if input.isCut { throw CaptureError(offset: reader.offset, reason: .cut(missing: 1)) }
                return try reader.finish(remaining: filled - position)
            }
            buffer.withUnsafeMutableBytes { bytes in
                bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[position..<filled]))
            }
            filled -= position
        }
    }
}
