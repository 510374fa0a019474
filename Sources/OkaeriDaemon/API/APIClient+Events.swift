import NIOCore
import NIOHTTP1

extension APIClient {
    /// Follows `GET /v1/events` until the daemon ends it, or `heard` is content.
    ///
    /// - Parameter heard: is given nil when the stream has begun, so that nothing can be missed from then on, and then each
    ///   event's name; it returns whether to go on.
    func follow(_ heard: (String?) async throws(Failure) -> Bool) async throws(Failure) {
        try await explaining {
            try await connect().executeThenClose { inbound, outbound in
                try await outbound.write(.head(request(.GET, "/v1/events")))
                try await outbound.write(.end(nil))
                var names = EventNames()
                for try await part in inbound {
                    switch part {
                    case .head(let head):
                        guard head.status == .ok else {
                            throw Failure.refused(status: head.status.code, sentence: head.status.description)
                        }
                        guard try await heard(nil) else { return }
                    case .body(let piece):
                        for name in names.received(piece.readableBytesView) {
                            guard try await heard(name) else { return }
                        }
                    case .end: return
                    }
                }
            }
        }
    }
}

/// Takes the names out of a stream of server-sent events, however it is cut on its way.
struct EventNames {
    private static let field = Array("event: ".utf8)

    /// Longer than any name; what stands beyond belongs to other fields.
    private static let longest = 64

    private var line: [UInt8] = []

    mutating func received(_ bytes: some Sequence<UInt8>) -> [String] {
        var names: [String] = []
        for byte in bytes {
            guard byte == 0x0A else {
                if line.count < Self.longest { line.append(byte) }
                continue
            }
            if line.starts(with: Self.field) {
                names.append(String(decoding: line.dropFirst(Self.field.count), as: UTF8.self))
            }
            line.removeAll(keepingCapacity: true)
        }
        return names
    }
}
