import OkaeriPlumbing

/// The files in which other systems keep the key of a device.
enum KeyStore {
    /// Returns the keys in a text of a known form; `nil` for another text, which may be a key itself.
    ///
    /// - `/var/lib/bluetooth/ADAPTER/DEVICE/info` of BlueZ, or a part of it: `Key=` in the section `[IdentityResolvingKey]`. The
    ///   least significant byte comes first: BlueZ writes the bytes in the order in which the kernel passes them
    ///   (src/adapter.c, store_irk).
    /// - An export of the Windows registry, below `BTHPORT\\Parameters\\Keys`: `"IRK"=hex:…`, or the value alone. It is read in the
    ///   order in which it is written; an ``AddressResolver`` tries both.
    static func keys(in text: String) -> [IdentityResolvingKey]? {
        let lines = text.split(whereSeparator: \.isNewline).map { $0.trimming(while: \.isWhitespace) }
        if lines.contains(where: { $0.hasPrefix("[") || $0.hasPrefix(keyName) }), !lines.contains(where: isRegistry) {
            return blueZ(lines)
        }
        return lines.contains(where: isRegistry) ? registry(lines) : nil
    }

    private static let section = "[IdentityResolvingKey]"
    private static let keyName = "Key="

    private static func blueZ(_ lines: [Substring]) -> [IdentityResolvingKey] {
        // A line alone has no section.
        var isSection = !lines.contains { $0.hasPrefix("[") }
        var keys: [IdentityResolvingKey] = []
        for line in lines {
            if line.hasPrefix("[") {
                isSection = line == section
            } else if isSection, line.hasPrefix(keyName), let key = IdentityResolvingKey(line.dropFirst(keyName.count))
            {
                keys.append(key.reversed)
            }
        }
        return keys
    }

    private static let registryName = "\"IRK\"="
    private static let registryValue = "hex:"

    private static func isRegistry(_ line: Substring) -> Bool {
        line.hasPrefix(registryValue) || line.hasPrefix(registryName) || line.hasPrefix("Windows Registry Editor")
    }

    private static func registry(_ lines: [Substring]) -> [IdentityResolvingKey] {
        var keys: [IdentityResolvingKey] = []
        var rest = lines[...]
        while var line = rest.popFirst() {
            // A backslash continues the value on the next line.
            var value = ""
            while line.hasSuffix("\\"), let next = rest.popFirst() {
                value += line.dropLast()
                line = next
            }
            value += line
            let name = value.hasPrefix(registryName) ? registryName + registryValue : registryValue
            guard value.hasPrefix(name), let key = IdentityResolvingKey(value.dropFirst(name.count)) else { continue }
            keys.append(key)
        }
        return keys
    }

    /// Returns the text of a file: UTF-16, which Windows writes and marks by its first two bytes, or UTF-8.
    static func text(of bytes: UnsafeRawBufferPointer) -> String {
        guard unsafe bytes.starts(with: [0xFF, 0xFE]) else { return unsafe String(decoding: bytes, as: UTF8.self) }
        let units = stride(from: 2, to: bytes.count - 1, by: 2).map {
            unsafe UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8
        }
        return String(decoding: units, as: UTF16.self)
    }
}

extension Substring {
    fileprivate func trimming(while isLeftOut: (Character) -> Bool) -> Substring {
        var text = drop(while: isLeftOut)
        while let last = text.last, isLeftOut(last) { text.removeLast() }
        return text
    }
}
