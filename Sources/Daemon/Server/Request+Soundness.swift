import HTTPTypes
import Hummingbird

extension Request {
    /// Whether the head announces content (RFC 9112, 6.3).
    var announcesContent: Bool {
        if headers[.transferEncoding] != nil { return true }
        return headers[.contentLength].map { UInt64($0) != 0 } ?? false
    }

    /// Whether the request names more than one host (RFC 9112, 3.2): the codec leaves the second Host among the fields.
    var namesTwoHosts: Bool { HTTPField.Name("Host").map { headers[$0] != nil } ?? true }

    /// Whether the connection can carry no further request, as ``LastRequest`` decides.
    var isLast: Bool { method == .connect || headers[.upgrade] != nil }

    /// Reads content that has no meaning. Returns whether there was no more than `limit` bytes of it.
    func discardContent(upTo limit: Int) async -> Bool {
        guard announcesContent else { return true }
        return (try? await body.collect(upTo: limit)) != nil
    }
}
