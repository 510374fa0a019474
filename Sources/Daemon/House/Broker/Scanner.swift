import Events
import Plumbing

/// The state of a node's Bluetooth adapter, retained.
struct Scanner: Hashable, Sendable, Decodable {
    /// Whether the scan runs.
    var ok: Bool
    /// Such as `hci0`.
    var adapter: String?
    /// The reason why the scan does not run.
    var reason: String?

    /// The maximum length of a reason in scalars: one character can have any number of them.
    private static let longestReason = 300

    var payload: String {
        [EventField("ok", .flag(ok)), Wire.text("adapter", adapter), Wire.text("reason", reason)].json
    }
}

extension Scanner {
    /// Returns `nil` for a payload that no node publishes.
    init?(_ payload: [UInt8]) {
        guard let read = Wire.decode(Self.self, payload) else { return nil }
        self.init(
            ok: read.ok, adapter: read.adapter.flatMap(Wire.name),
            reason: read.reason.map { String($0.unicodeScalars.prefix(Self.longestReason)).escapedName })
    }
}
