import OkaeriChecksum
import SystemPackage

/// The bytes of a capture, which gzip may have packed: the first two tell.
struct CaptureInput {
    private enum State {
        /// Nothing was read:
        /// - the first bytes are those of gzip → packed
        /// - others, or the end of the file → plain
        case start
        case plain
        case packed(Gunzip)
    }

    private let file: FileDescriptor

    /// Waits until the file can be read. Returns whether to go on.
    private let wait: (FileDescriptor) -> Bool
    private var state = State.start

    /// Packed bytes that are not unpacked yet.
    private var packed: ArraySlice<UInt8> = []

    private static let chunk = 1 << 16

    init(_ file: FileDescriptor, wait: @escaping (FileDescriptor) -> Bool) {
        (self.file, self.wait) = (file, wait)
    }

    var isPacked: Bool {
        if case .packed = state { true } else { false }
    }

    /// Whether a packed file has ended before its end.
    var isCut: Bool {
        if case .packed(let gunzip) = state { !gunzip.isComplete } else { false }
    }

    /// Reads the next bytes.
    ///
    /// - Returns: Their number, 0 at the end; `nil` if the reading is to stop.
    /// - Throws: `Errno`, or ``Gunzip/Failure``.
    mutating func read(into output: UnsafeMutableRawBufferPointer) throws -> Int? {
        switch state {
        case .start: return try readFirst(into: output)
        case .plain: return try readFile(into: output)
        case .packed(let gunzip): return try unpack(with: gunzip, into: output)
        }
    }

    /// The same of the file as it is. What made it readable may be gone again when it is read: another process reads the pipe, too.
    private func readFile(into output: UnsafeMutableRawBufferPointer) throws -> Int? {
        while wait(file) {
            do {
                return try file.read(into: output)
            } catch Errno.wouldBlock {
                continue
            }
        }
        return nil
    }

    private mutating func readFirst(into output: UnsafeMutableRawBufferPointer) throws -> Int? {
        var count = 0
        while count < Gunzip.magic.count {
            let piece = UnsafeMutableRawBufferPointer(rebasing: output[count...])
            guard let read = try readFile(into: piece) else { return nil }
            if read == 0 { break }
            count += read
        }
        guard output[..<count].starts(with: Gunzip.magic) else {
            state = .plain
            return count
        }
        let gunzip = try Gunzip()
        state = .packed(gunzip)
        packed = Array(output[..<count])[...]
        return try unpack(with: gunzip, into: output)
    }

    private mutating func unpack(with gunzip: Gunzip, into output: UnsafeMutableRawBufferPointer) throws -> Int? {
        while true {
            let (read, written) = try packed.withUnsafeBytes { try gunzip.unpack($0, into: output) }
            packed = packed.dropFirst(read)
            if written > 0 { return written }
            var chunk = Array(packed)
            let kept = chunk.count
            chunk += [UInt8](repeating: 0, count: Self.chunk)
            let count = try chunk.withUnsafeMutableBytes {
                try readFile(into: UnsafeMutableRawBufferPointer(rebasing: $0[kept...]))
            }
            guard let count, count > 0 else { return count }
            packed = chunk[..<(kept + count)]
        }
    }
}
