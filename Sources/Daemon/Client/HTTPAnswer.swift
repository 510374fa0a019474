/// An answer of the daemon (RFC 9112).
struct HTTPAnswer: Equatable {
    var status: UInt
    /// The reason of the status line, such as `Not Found`; it may be empty.
    var reason: String
    var body: [UInt8]
}

/// Reads one answer out of the bytes of a connection, however they are cut on their way.
struct HTTPAnswerReader {
    /// The bytes are not an answer, or it is too long. The description is a sentence without an end.
    enum Problem: Error, Equatable, CustomStringConvertible {
        case malformed
        case tooLong

        var description: String {
            switch self {
            case .malformed: "its answer is not one of HTTP"
            case .tooLong: "its answer has more than \(HTTPAnswerReader.longestBody / 1_048_576) MiB"
            }
        }
    }

    /// The longest line, all lines of the head together, and the longest body, in bytes.
    static let longestLine = 8192
    static let longestHead = 65_536
    static let longestBody = 256 * 1_048_576

    private enum Part {
        case statusLine, fields
        /// The rest of a body of known length.
        case body(Int)
        case chunkSize
        /// The rest of a chunk.
        case chunk(Int)
        case chunkEnd, trailer
        /// A body that ends with the connection.
        case untilEnd
        case complete
    }

    private var part = Part.statusLine
    private var waiting: [UInt8] = []
    private var headLength = 0
    private var length: Int?
    private var isChunked = false
    private var received = HTTPAnswer(status: 0, reason: "", body: [])

    /// Takes the next bytes.
    ///
    /// - Returns: the answer, if it is complete.
    mutating func received(_ bytes: some Collection<UInt8>) throws(Problem) -> HTTPAnswer? {
        waiting.append(contentsOf: bytes)
        var position = 0
        defer { waiting.removeFirst(position) }
        while true {
            switch part {
            case .complete: return received
            case .untilEnd:
                try take(waiting.count - position, at: &position)
                return nil
            case .body(let rest):
                let count = try take(rest, at: &position)
                guard count == rest else {
                    part = .body(rest - count)
                    return nil
                }
                part = .complete
            case .chunk(let rest):
                let count = try take(rest, at: &position)
                guard count == rest else {
                    part = .chunk(rest - count)
                    return nil
                }
                part = .chunkEnd
            case .statusLine, .fields, .chunkSize, .chunkEnd, .trailer:
                guard let line = try nextLine(at: &position) else { return nil }
                try read(line)
            }
        }
    }

    /// The connection has ended.
    ///
    /// - Returns: the answer, if it has ended too.
    func ended() -> HTTPAnswer? {
        switch part {
        case .complete, .untilEnd: received
        default: nil
        }
    }

    /// Moves at most `count` bytes to the body, and returns their number.
    @discardableResult
    private mutating func take(_ count: Int, at position: inout Int) throws(Problem) -> Int {
        let piece = waiting[position...].prefix(count)
        guard received.body.count + piece.count <= Self.longestBody else { throw .tooLong }
        received.body += piece
        position += piece.count
        return piece.count
    }

    /// The next line without its end; `nil` if it has not ended.
    private mutating func nextLine(at position: inout Int) throws(Problem) -> [UInt8]? {
        let rest = waiting[position...]
        guard let end = rest.prefix(Self.longestLine).firstIndex(of: UInt8(ascii: "\n")) else {
            if rest.count >= Self.longestLine { throw .malformed }
            return nil
        }
        position = end + 1
        let line = rest[..<end]
        return Array(line.last == UInt8(ascii: "\r") ? line.dropLast() : line)
    }

    private mutating func read(_ line: [UInt8]) throws(Problem) {
        switch part {
        case .statusLine: try readStatus(line)
        case .fields:
            headLength += line.count + 2
            guard headLength <= Self.longestHead else { throw .malformed }
            try line.isEmpty ? endHead() : readField(line)
        case .chunkSize:
            let digits = line.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: " ") }
            guard let first = digits.first, first != UInt8(ascii: "-"), first != UInt8(ascii: "+"),
                let size = Int(String(decoding: digits, as: UTF8.self), radix: 16)
            else { throw .malformed }
            part = size == 0 ? .trailer : .chunk(size)
        case .chunkEnd:
            guard line.isEmpty else { throw .malformed }
            part = .chunkSize
        case .trailer:
            headLength += line.count + 2
            guard headLength <= Self.longestHead else { throw .malformed }
            if line.isEmpty { part = .complete }
        case .body, .chunk, .untilEnd, .complete: break
        }
    }

    private mutating func readStatus(_ line: [UInt8]) throws(Problem) {
        let words = line.split(separator: UInt8(ascii: " "), maxSplits: 2, omittingEmptySubsequences: false)
        guard words.count >= 2, words[0].starts(with: "HTTP/1.".utf8), words[1].count == 3,
            words[1].allSatisfy({ (0x30...0x39).contains($0) }),
            let status = UInt(String(decoding: words[1], as: UTF8.self))
        else { throw .malformed }
        (received.status, part) = (status, .fields)
        received.reason = words.count > 2 ? String(decoding: words[2], as: UTF8.self) : ""
    }

    private mutating func readField(_ line: [UInt8]) throws(Problem) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { throw .malformed }
        let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
        let isSpace = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        var text = line[(colon + 1)...].drop(while: isSpace)
        while let last = text.last, isSpace(last) { text.removeLast() }
        let value = String(decoding: text, as: UTF8.self)
        switch name {
        case "content-length":
            guard !text.isEmpty, text.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(value),
                length == nil || length == number
            else { throw .malformed }
            length = number
        case "transfer-encoding":
            guard value.lowercased() == "chunked" else { throw .malformed }
            isChunked = true
        default: break
        }
    }

    private mutating func endHead() throws(Problem) {
        if 100..<200 ~= received.status {
            // An interim answer: the final one follows.
            (length, isChunked, part) = (nil, false, .statusLine)
        } else if received.status == 204 || received.status == 304 {
            part = .complete
        } else if isChunked {
            part = .chunkSize
        } else if let length {
            guard length <= Self.longestBody else { throw .tooLong }
            part = length == 0 ? .complete : .body(length)
        } else {
            part = .untilEnd
        }
    }
}
