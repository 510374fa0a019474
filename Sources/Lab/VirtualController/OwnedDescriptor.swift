import Glibc
import Plumbing

extension OwnedDescriptor {
    /// Opens a file.
    init(opening path: String, _ flags: Int32) throws(SystemError) {
        self.init(owning: try Self.retrying("opening \(path)") { open(path, flags | O_CLOEXEC) })
    }

    /// Returns the next bytes, at most `limit`; empty at the end.
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
        try retrying({ SystemError(operation: operation(), code: $0) }, call)
    }
}
