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
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(value) else { return Response(status: .internalServerError) }
        var headers = headers
        headers[.contentType] = "application/json"
        return Response(
            status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: Array(data) + [0x0A])))
    }

    /// Why it is not done: what happened, why, and what to do.
    package static func failure(
        _ status: HTTPResponse.Status, _ sentence: String, headers: HTTPFields = [:]
    ) -> Response {
        json(ErrorReport(error: sentence), status: status, headers: headers)
    }
}
