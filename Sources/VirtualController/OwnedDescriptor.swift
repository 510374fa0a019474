import Glibc

/// The one owner of a file descriptor: it is closed when the owner goes.
struct OwnedDescriptor: ~Copyable {
    /// The number, for calls which do not outlive the owner.
    let number: Int32

    /// Takes over an open descriptor.
    init(owning number: Int32) {
        self.number = number
    }

    /// Opens a file.
    init(opening path: String, _ flags: Int32) throws(SystemError) {
        number = try Self.retrying("opening \(path)") { open(path, flags | O_CLOEXEC) }
    }

    deinit {
        close(number)
    }

    /// What comes next, at most `limit` bytes; empty at the end.
    borrowing func read(limit: Int, _ operation: String) throws(SystemError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = try Self.retrying(operation) { Glibc.read(number, &bytes, limit) }
        return Array(bytes.prefix(count))
    }

    /// Writes bytes with one call, as a device takes packets.
    borrowing func write(_ bytes: [UInt8], _ operation: String) throws(SystemError) {
        _ = try Self.retrying(operation) { Glibc.write(number, bytes, bytes.count) }
    }

    /// Makes a call again for as long as signals interrupt it.
    static func retrying<Result: SignedInteger>(
        _ operation: @autoclosure () -> String, _ call: () -> Result
    ) throws(SystemError) -> Result {
        while true {
            let result = call()
            if result >= 0 { return result }
            let code = errno
            if code != EINTR { throw SystemError(operation: operation(), code: code) }
        }
    }
}
