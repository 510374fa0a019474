import HCI
import OkaeriPlumbing

extension DecodedAdvertisement {
    /// The forms in which people have an advertisement.
    package enum Form: CaseIterable, Sendable, CustomStringConvertible {
        /// `04 3E …`
        case packet
        /// `3E …`
        case event
        /// `01 08 20 20 …`, the command LE Set Advertising Data, as `hcidump -R` shows it and, without its first byte, `hcitool cmd`
        /// takes it.
        case command
        /// `02 01 06 1A FF 4C 00 …`
        case advertisingData
        /// `1E 02 01 06 1A FF 4C 00 …`
        case parameters
        /// `4C 00 02 15 …`
        case manufacturerData
        /// `02 15 …`
        case appleData

        package var description: String {
            switch self {
            case .packet: "an HCI event packet"
            case .event: "an HCI event without its packet type"
            case .command: "the HCI command LE Set Advertising Data"
            case .advertisingData: "advertising data"
            case .parameters: "advertising data with its length in front, as hcitool takes it"
            case .manufacturerData: "manufacturer specific data"
            case .appleData: "Apple's manufacturer specific data without the company"
            }
        }
    }
}

extension DecodedAdvertisement.Form {
    /// The part of the bytes that has the advertisement.
    enum Content {
        case event(ArraySlice<UInt8>)
        case advertisingData(ArraySlice<UInt8>)
        case manufacturerData([UInt8])
    }

    /// LE Set Advertising Data: OGF 0x08, OCF 0x0008 (Core Specification 5.4, Vol 4, Part E, 7.8.7), as a packet, and as two
    /// arguments of hcitool.
    private static let commandPrefixes: [[UInt8]] = [[0x01, 0x08, 0x20, 0x20], [0x08, 0x00, 0x08]]

    /// Apple's company identifier, as it is sent.
    private static let apple: [UInt8] = [0x4C, 0x00]

    /// - Returns: nil if the bytes do not begin as those of the form do.
    func content(of bytes: [UInt8]) -> Content? {
        switch self {
        case .packet: bytes.first == HCIPacketType.event.rawValue && bytes.count > 1 ? .event(bytes[1...]) : nil
        case .event: bytes.first == HCIEventCode.leMeta.rawValue ? .event(bytes[...]) : nil
        case .command:
            Self.commandPrefixes.first(where: bytes.starts).flatMap { Self.counted(bytes.dropFirst($0.count)) }
        case .advertisingData: .advertisingData(bytes[...])
        case .parameters: Self.counted(bytes[...])
        case .manufacturerData: bytes.starts(with: Self.apple) ? .manufacturerData(bytes) : nil
        case .appleData: bytes.starts(with: [0x02, 0x15]) ? .manufacturerData(Self.apple + bytes) : nil
        }
    }

    /// Advertising data behind its length, and perhaps zeros up to the 31 bytes of the command.
    private static func counted(_ bytes: ArraySlice<UInt8>) -> Content? {
        guard let length = bytes.first, length > 0, bytes.count > Int(length) else { return nil }
        let data = bytes.dropFirst()
        return data.dropFirst(Int(length)).allSatisfy { $0 == 0 } ? .advertisingData(data.prefix(Int(length))) : nil
    }
}

extension DecodedAdvertisement {
    /// Reads bytes as people paste them: hexadecimal digits with spaces, colons, hyphens, commas or brackets, `0x` or `\\x` in front
    /// of a byte, the direction that `hcidump -R` shows, or Python's `b'…'`.
    ///
    /// - Returns: nil for anything else, and for half a byte.
    package static func bytes(_ text: String) -> [UInt8]? {
        if let literal = pythonLiteral(in: text) { return literal.isEmpty ? nil : literal }
        guard !text.contains(mark) else { return nil }
        let marked = ["0x", "0X", "\\x"].reduce(text) { $0.replacing($1, with: " \(mark)") }
        let words = marked.split { $0.isWhitespace || separators.contains($0) }.map { word in
            // A byte with a prefix may have one digit.
            word.first == mark ? (word.count.isMultiple(of: 2) ? "0" : "") + word.dropFirst() : String(word)
        }
        let digits = words.joined()
        return digits.isEmpty ? nil : [UInt8](hexadecimal: digits)
    }

    private static let separators: Set<Character> = [":", "-", ",", ";", ">", "<", "[", "]", "{", "}", "(", ")"]

    /// In place of a prefix.
    private static let mark: Character = "#"

    /// The bytes of `b'…'` or `b"…"`, with Python's escapes; `nil` if the text has no such literal.
    private static func pythonLiteral(in text: String) -> [UInt8]? {
        for quote in ["'", "\""] as [Character] {
            guard let start = text.firstRange(of: "b\(quote)")?.upperBound,
                let end = text.lastIndex(of: quote), start <= end
            else { continue }
            return unescaped(text[start..<end])
        }
        return nil
    }

    private static func unescaped(_ text: Substring) -> [UInt8]? {
        var (bytes, rest) = ([UInt8](), text[...])
        while let character = rest.popFirst() {
            guard character == "\\" else {
                guard let ascii = character.asciiValue else { return nil }
                bytes.append(ascii)
                continue
            }
            guard let escape = rest.popFirst() else { return nil }
            switch escape {
            case "x":
                guard rest.count >= 2, let byte = UInt8(hexadecimal: rest.prefix(2)) else { return nil }
                bytes.append(byte)
                rest = rest.dropFirst(2)
            case "n": bytes.append(0x0A)
            case "r": bytes.append(0x0D)
            case "t": bytes.append(0x09)
            case "\\", "'", "\"": bytes += Array(escape.utf8)
            default: return nil
            }
        }
        return bytes
    }
}
