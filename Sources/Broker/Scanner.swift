import Events
import Plumbing

/// What a node says of its Bluetooth, retained.
package struct Scanner: Hashable, Sendable {
    /// Whether it hears.
    package var ok: Bool
    /// Such as `hci0`.
    package var adapter: String?
    /// Why it does not hear.
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

    /// Nil for what no node of ours says.
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
