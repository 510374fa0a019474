import FoundationEssentials
import OkaeriFuzzSupport
import NIOHTTP1

/// The rules for all answers of a connection.
struct AnswerRules {
    let kind: ListenerKind
    /// The requests that the decoder found.
    let requests: [HTTPRequestHead]
    let sent: [UInt8]

    private static let statuses: Set = [200, 304, 400, 401, 403, 404, 405, 409, 413, 421, 503]

    func check(_ answer: [UInt8]) {
        var rest = answer[...]
        var index = 0
        var isClosed = false
        while !rest.isEmpty {
            require(!isClosed, "a request is answered after the connection's last answer")
            // One that the decoder rejects is answered, too.
            let request = index < requests.count ? requests[index] : nil
            require(index <= requests.count, "there are more answers than requests")
            index += 1
            guard let response = Response(&rest, isHead: request?.method == .HEAD) else {
                return require(
                    false, "an answer that is not HTTP: \(String(decoding: rest.prefix(200), as: UTF8.self))")
            }
            isClosed = response["connection"]?.lowercased() == "close"
            check(response, to: request)
        }
    }

    private func check(_ response: Response, to request: HTTPRequestHead?) {
        require(Self.statuses.contains(response.status), "the answer is \(response.status)")
        guard let request else { return require(response.status == 400, "an answer to no request") }
        // Hummingbird's own answer to a request that the decoder rejects has no content.
        let isRejected = response.status == 400 && response["content-length"] == "0"
        if !isRejected, kind == .page || kind == .openPage {
            require(response["content-security-policy"] != nil, "the page's answer has no policy")
            require(response["x-content-type-options"] == "nosniff", "the page's answer has no type")
        }
        // The page of a link that answers a prompt, for browsers.
        let isPage = response["content-type"]?.hasPrefix("text/html") == true
        if response.status >= 400, !isRejected, !isPage, request.method != .HEAD, request.uri != "/v1/health" {
            struct Report: Decodable { var error: String }
            let report = try? JSONDecoder().decode(Report.self, from: Data(response.content))
            require(
                report?.error.isEmpty == false || response.status == 503,
                "a refusal without a sentence: \(String(decoding: response.content, as: UTF8.self))")
        }
        if response.status == 200 { checkAccess(to: request, response) }
        require(response["set-cookie"] == nil || hasCookie, "a browser is let in without a link")
    }

    private var hasCookie: Bool { contains(ListenerKind.cookie) }

    /// Nothing of the house is shown, and nothing is changed, without what proves that it may be. What is judged is the answer:
    /// there are many ways to write a path.
    private func checkAccess(to request: HTTPRequestHead, _ response: Response) {
        let isReading = request.method == .GET || request.method == .HEAD
        switch kind {
        case .socket: break
        case .page, .openPage:
            // The page's files, which have a tag, are for every browser.
            if response["etag"] != nil { return require(isReading, "a file of the page takes changes") }
            require(hasCookie || kind == .openPage && isReading, "the house is shown without a login")
            require(isReading || contains(ListenerKind.token), "a change is taken without the page's token")
        case .metrics:
            require(isReading, "the metrics take changes")
            let isHealth = String(decoding: response.content, as: UTF8.self).contains("\"healthy\"")
            let isMetrics = response["content-type"].map { $0.contains("openmetrics") || $0.contains("text/plain") }
            require(isHealth || isMetrics == true || request.method == .HEAD, "the metrics' listener shows the house")
        }
    }

    /// Whether the client sent a text, in whatever field.
    private func contains(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard let first = bytes.first, sent.count >= bytes.count else { return false }
        return (0...(sent.count - bytes.count)).contains { start in
            sent[start] == first && sent[start..<(start + bytes.count)].elementsEqual(bytes)
        }
    }
}

/// A response, as a client reads it (RFC 9112, 6.3).
private struct Response {
    let status: Int
    private let fields: [(name: String, value: String)]
    private(set) var content: [UInt8] = []

    subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

    /// - Returns: `nil` where there is none.
    init?(_ bytes: inout ArraySlice<UInt8>, isHead: Bool) {
        guard let line = Self.line(&bytes), line.hasPrefix("HTTP/1.") else { return nil }
        let parts = line.split(separator: " ", maxSplits: 2)
        guard parts.count >= 2, parts[1].utf8.count == 3, let status = Int(parts[1]) else { return nil }
        self.status = status
        var fields: [(name: String, value: String)] = []
        while true {
            guard let line = Self.line(&bytes) else { return nil }
            if line.isEmpty { break }
            guard let colon = line.firstIndex(of: ":"), colon > line.startIndex else { return nil }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            fields.append((line[..<colon].lowercased(), String(value)))
        }
        self.fields = fields
        if isHead || status == 304 { return }
        if self["transfer-encoding"] == "chunked" {
            guard let content = Self.chunks(&bytes) else { return nil }
            self.content = content
        } else if let length = self["content-length"] {
            guard let length = Int(length), length >= 0, bytes.count >= length else { return nil }
            content = Array(bytes.prefix(length))
            bytes = bytes.dropFirst(length)
        } else {
            content = Array(bytes)
            bytes = []
        }
    }

    /// A line without its end.
    private static func line(_ bytes: inout ArraySlice<UInt8>) -> String? {
        guard let end = bytes.firstIndex(of: 0x0A), end > bytes.startIndex, bytes[end - 1] == 0x0D else { return nil }
        let line = bytes[bytes.startIndex..<(end - 1)]
        bytes = bytes[(end + 1)...]
        return String(validating: line, as: UTF8.self)
    }

    /// A stream of events that the client left has no last chunk.
    private static func chunks(_ bytes: inout ArraySlice<UInt8>) -> [UInt8]? {
        var content: [UInt8] = []
        while !bytes.isEmpty {
            guard let line = line(&bytes), let size = Int(line, radix: 16), size >= 0 else { return nil }
            guard bytes.count >= size + 2 else { return nil }
            content += bytes.prefix(size)
            bytes = bytes.dropFirst(size + 2)
            if size == 0 { return content }
        }
        return content
    }
}
