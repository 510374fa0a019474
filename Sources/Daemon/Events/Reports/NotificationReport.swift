import OkaeriPlumbing

/// The deliveries to a server that is notified, since the start.
package struct NotificationReport: Codable, Sendable, Equatable {
    /// The place in the configuration: `notify[0]`.
    package var target: String
    /// webhook or ntfy.
    package var type: String
    /// Scheme, host and port; the rest of the address may be a secret.
    package var address: String
    /// The numbers of notifications that the server accepted, that were given up, and that newer ones displaced.
    package var sent: UInt64 = 0
    package var failed: UInt64 = 0
    package var dropped: UInt64 = 0
    /// The number of notifications that wait.
    package var waiting = 0
    /// The time of the last one that the server accepted, RFC 3339; `nil` if there is none.
    package var lastSent: String?
    /// The reason why the last attempt failed, and the remedy; `nil` if it did not fail.
    package var problem: String?

    package init(target: String, type: String, address: String) {
        self.target = target
        self.type = type
        self.address = address
    }

    /// Such as `notify[0], ntfy at https://ntfy.sh`.
    package var label: String { "\(target), \(type) at \(address)" }
}

/// The reason why no test notification is sent.
package enum NotificationTestFailure: Error, Sendable, Equatable, CustomStringConvertible {
    case noTarget, running

    package var description: String {
        switch self {
        case .noTarget:
            "no server is notified; write \"notify\" into beacons.json, see /usr/share/doc/okaeri/automation.md, then "
                + Remedy.reload().order()
        case .running: "a test of the notifications is running; wait until it has ended"
        }
    }
}
