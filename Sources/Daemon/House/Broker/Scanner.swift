import Events
import Plumbing

/// The state of a node's Bluetooth adapter, retained.
package struct Scanner: Hashable, Sendable {
    /// Whether the scan runs.
    package var ok: Bool
    /// Such as `hci0`.
    package var adapter: String?
    /// The reason why the scan does not run.
    package var reason: String?

    /// The maximum length of a reason in scalars: one character can have any number of them.
    private static let longestReason = 300

    var payload: String {
        [EventField("ok", .flag(ok)), Wire.text("adapter", adapter), Wire.text("reason", reason)].json
    }

    init(ok: Bool, adapter: String?, reason: String?) {
        self.ok = ok
        self.adapter = adapter
        self.reason = reason
    }

    /// Returns `nil` for a payload that no node publishes.
    init?(_ payload: [UInt8]) {
        struct Members: Decodable {
            var ok: Bool
            var adapter: String?
            var reason: String?
        }
        guard let members = Wire.decode(Members.self, payload) else { return nil }
        ok = members.ok
        adapter = members.adapter.flatMap(Wire.name)
        reason = members.reason.map { String($0.unicodeScalars.prefix(Self.longestReason)).escapedName }
    }
}
