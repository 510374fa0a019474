import API
import FoundationEssentials
package import HTTPTypes
package import Hummingbird
import NIOCore

extension Response {
    /// A value, on a line of its own.
    package static func json(
        _ value: some Encodable, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
    ) -> Response {
        guard let data = try? JSONEncoder.sorted.encode(value) else { return Response(status: .internalServerError) }
        var headers = headers
        headers[.contentType] = "application/json"
        return Response(
            status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: Array(data) + [0x0A])))
    }

    /// An array, on a line of its own. Its text is written piece by piece as the client reads it, so that connections that
    /// do not read hold little of it.
    package static func json(each elements: [some Encodable & Sendable]) -> Response {
        let body = ResponseBody { writer in
            let encoder = JSONEncoder.sorted
            var piece = ByteBuffer(string: "[")
            for (index, element) in elements.enumerated() {
                if index > 0 { piece.writeString(",") }
                piece.writeBytes(try encoder.encode(element))
                guard piece.readableBytes >= pieceSize else { continue }
                try await writer.write(piece)
                piece = ByteBuffer()
            }
            piece.writeString("]\n")
            try await writer.write(piece)
            try await writer.finish(nil)
        }
        return Response(status: .ok, headers: [.contentType: "application/json"], body: body)
    }

    /// How many bytes of an array are written at once.
    private static let pieceSize = 16 << 10

    /// Why it is not done: what happened, why, and what to do.
    package static func failure(
        _ status: HTTPResponse.Status, _ sentence: String, headers: HTTPFields = [:]
    ) -> Response {
        json(ErrorReport(error: sentence), status: status, headers: headers)
    }
}

extension JSONEncoder {
    fileprivate static var sorted: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }
}
