package import HTTPTypes
package import Hummingbird
import HummingbirdCore
import NIOCore
import OkaeriChecksum
import OkaeriEvents

/// A text that is made in parts, and packed meanwhile if the client accepts that.
package final class TextParts {
    /// A single array of all would be copied while it grows.
    private var parts: [[UInt8]] = []
    private let gzip: Gzip?

    /// - Parameter request: The request that the text answers.
    package init(for request: Request) throws(PageFailure) {
        do throws(Gzip.Failure) {
            gzip = request.acceptsGzip ? try Gzip() : nil
        } catch {
            throw PageFailure(.serviceUnavailable, LocalizedText(error.description))
        }
    }

    package func add(_ part: String) {
        guard let gzip else { return parts.append(Array(part.utf8)) }
        var part = part
        part.withUTF8 { gzip.add(UnsafeRawBufferPointer($0)) }
    }

    /// Returns the answer with the text. Nothing can be added any more.
    ///
    /// - Parameter headers: with the type of the text.
    package func response(headers: HTTPFields) -> Response {
        var headers = headers
        headers.vary(by: .acceptEncoding)
        if let gzip {
            headers[.contentEncoding] = Compression.coding
            return Response(status: .ok, headers: headers, body: .pieces(of: gzip.end()))
        }
        let body = ResponseBody(contentLength: parts.reduce(0) { $0 + $1.count }) { [parts] writer in
            for part in parts { try await writer.write(ByteBuffer(bytes: part)) }
            try await writer.finish(nil)
        }
        return Response(status: .ok, headers: headers, body: body)
    }
}

/// The answers that are compressed (RFC 9110, 8.4).
enum Compression {
    static let coding = "gzip"

    /// An answer of fewer bytes fits in one packet as it is.
    static let smallest = 1400

    /// An answer of more bytes is not packed as a whole: only lists of beacons and pictures are so long.
    static let largest = 4 << 20

    /// The media types of texts. An event stream has another one: packed, an event would wait for the next one.
    private static let types: Set = [
        "application/json", "application/manifest+json", "image/svg+xml", "text/css", "text/html", "text/javascript",
        "text/plain", "application/openmetrics-text",
    ]

    /// Returns an answer, packed if it is a large text and the client accepts that.
    ///
    /// An answer that sets a cookie contains a secret, and so may one to a link: their lengths would depend on it.
    ///
    /// - Parameter memory: Bounds the answers that are packed while the client reads them. Further ones are not packed.
    static func applied(
        to response: Response, for request: Request, in memory: ResponseMemory
    ) async throws -> Response {
        guard response.status == .ok, response.headers[.contentEncoding] == nil, response.headers[.setCookie] == nil,
            let type = response.headers[.contentType],
            response.body.contentLength.map({ packs(type, $0) }) ?? isText(type)
        else { return response }
        var response = response
        response.headers.vary(by: .acceptEncoding)
        guard request.acceptsGzip else { return response }
        guard response.body.contentLength != nil else {
            guard let share = memory.reserved(Gzip.stateSize) else { return response }
            response.headers[.contentEncoding] = coding
            response.body = ResponseBody { [body = response.body] writer in
                try await body.write(PackingWriter(writer: writer, gzip: Gzip()))
                withExtendedLifetime(share) {}
            }
            return response
        }
        let content = Content()
        try await response.body.write(ContentWriter(content: content))
        // It does not suspend in between, so that each thread has one state of zlib at most.
        guard let packed = try? Gzip.pack(content.bytes) else { return response }
        response.headers[.contentEncoding] = coding
        response.body = .pieces(of: packed)
        return response
    }

    /// Returns whether a content is packed, by its media type and its length in bytes.
    static func packs(_ type: String, _ length: Int) -> Bool {
        smallest...largest ~= length && isText(type)
    }

    private static func isText(_ type: String) -> Bool { types.contains(String(type.prefix { $0 != ";" })) }

    /// Packs an answer in parts, each when it is written.
    private struct PackingWriter: ResponseBodyWriter {
        var writer: any ResponseBodyWriter
        let gzip: Gzip

        mutating func write(_ buffer: ByteBuffer) async throws {
            buffer.withUnsafeReadableBytes { gzip.add($0) }
            try await send(gzip.taken())
        }

        consuming func finish(_ trailingHeaders: HTTPFields?) async throws {
            try await send(gzip.end())
            try await writer.finish(trailingHeaders)
        }

        private mutating func send(_ packed: [UInt8]) async throws {
            if !packed.isEmpty { try await writer.write(ByteBuffer(bytes: packed)) }
        }
    }

    private final class Content {
        var bytes: [UInt8] = []
    }

    private struct ContentWriter: ResponseBodyWriter {
        let content: Content

        mutating func write(_ buffer: ByteBuffer) async throws { content.bytes += buffer.readableBytesView }

        consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
    }
}

extension HTTPFields {
    /// Adds that the answer depends on a field of the request (RFC 9110, 12.5.5).
    mutating func vary(by field: HTTPField.Name) {
        let (fields, name) = (self[.vary], field.canonicalName)
        guard fields?.lowercased().contains(name) != true else { return }
        self[.vary] = (fields.map { "\($0), " } ?? "") + name
    }
}

extension Request {
    /// Whether the client accepts the coding gzip (RFC 9110, 12.5.3). Without a word about it, it does not.
    var acceptsGzip: Bool {
        var weights: [Substring: Double] = [:]
        for item in (headers[.acceptEncoding] ?? "").lowercased().split(separator: ",") {
            let parts = item.split(separator: ";").map { $0.trimmingSpace }
            guard let coding = parts.first else { continue }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 }
            weights[coding] = weight ?? 1
        }
        return (weights["gzip"] ?? weights["x-gzip"] ?? weights["*"] ?? 0) > 0
    }
}

extension Substring {
    /// Without the white space of a field's value at both ends (RFC 9110, 5.6.3).
    fileprivate var trimmingSpace: Substring {
        let start = drop { $0 == " " || $0 == "\t" }
        let end = start.lastIndex { $0 != " " && $0 != "\t" }
        return end.map { start[...$0] } ?? ""
    }
}
