import FoundationEssentials
package import HTTPTypes
package import Hummingbird
import NIOCore
package import OkaeriEvents

extension Response {
    /// A value, on a line of its own.
    ///
    /// - Parameter language: The language of the texts in it that have a translation.
    package static func json(
        _ value: some Encodable, in language: Language = .english, status: HTTPResponse.Status = .ok,
        headers: HTTPFields = [:]
    ) -> Response {
        let encoder = JSON.encoder(.sortedKeys)
        if let key = LocalizedText.languageKey { encoder.userInfo[key] = language }
        guard let data = try? encoder.encode(value) else {
            return Response(status: .internalServerError)
        }
        var headers = headers
        headers[.contentType] = "application/json"
        return Response(
            status: status, headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: data + [0x0A])))
    }

    /// A text.
    ///
    /// - Parameter headers: with the type of the text.
    package static func text(_ text: String, headers: HTTPFields) -> Response {
        Response(status: .ok, headers: headers, body: .pieces(of: text.utf8))
    }

    /// The elements of an array that follow a position, and the position behind them.
    package typealias Elements<Element, Position> =
        @Sendable (_ position: Position?) async -> (elements: [Element], position: Position?)

    /// An array, on a line of its own. Its elements are fetched and written as the client reads them, so that a connection
    /// that does not read holds few of them.
    ///
    /// - Parameter next: returns elements until there are none. The position is `nil` at the beginning.
    package static func json<Element: Encodable & Sendable, Position: Sendable>(
        each next: @escaping Elements<Element, Position>
    ) -> Response {
        let body = ResponseBody { writer in
            var isFirst = true
            var last: Position?
            while let piece = try await piece(next, after: &last, isFirst: isFirst) {
                try await writer.write(piece)
                isFirst = false
            }
            try await writer.write(ByteBuffer(string: isFirst ? "[]\n" : "]\n"))
            try await writer.finish(nil)
        }
        return Response(status: .ok, headers: [.contentType: "application/json"], body: body)
    }

    /// Returns the text of the next elements of an array, or `nil` at its end.
    private static func piece<Element: Encodable & Sendable, Position: Sendable>(
        _ next: Elements<Element, Position>, after last: inout Position?, isFirst: Bool
    ) async throws -> ByteBuffer? {
        if !isFirst, last == nil { return nil }
        let (elements, position) = await next(last)
        last = position
        guard !elements.isEmpty else { return nil }
        let encoder = JSON.encoder(.sortedKeys)
        var piece = ByteBuffer()
        for (index, element) in elements.enumerated() {
            piece.writeString(isFirst && index == 0 ? "[" : ",")
            piece.writeBytes(try encoder.encode(element))
        }
        return piece
    }

    /// Returns an error: the failure, its reason and the remedy.
    package static func failure(
        _ status: HTTPResponse.Status, _ sentence: String, headers: HTTPFields = [:]
    ) -> Response {
        json(ErrorReport(error: sentence), status: status, headers: headers)
    }
}
