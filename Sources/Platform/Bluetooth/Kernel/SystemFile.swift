import Glibc
import Plumbing

/// Small files of /proc and /sys, read whole.
enum SystemFile {
    /// The file's text, at most 4096 bytes of it; nil when it cannot be read.
    static func text(_ path: String) -> String? {
        guard let number = try? OwnedDescriptor.retrying(.readAdapter, { unsafe open(path, O_RDONLY | O_CLOEXEC) })
        else {
            return nil
        }
        let file = OwnedDescriptor(owning: number)
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
            // Safe: read writes at most the buffer's size, and the count is what it wrote.
            count = unsafe max(0, read(file.number, buffer.baseAddress, buffer.count))
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The names in a folder, sorted; empty when it cannot be read.
    static func names(_ path: String) -> [String] {
        guard let folder = unsafe opendir(path) else { return [] }
        defer { unsafe closedir(folder) }
        var names: [String] = []
        while let entry = unsafe readdir(folder) {
            // Safe: the kernel ends the name with a zero, and the entry lives until the next call.
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }
}
