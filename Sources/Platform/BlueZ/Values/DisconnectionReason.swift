import OkaeriPlumbing

/// The reason why a connection has ended, as bluetoothd 5.82 and later signal it (`org.bluez.Device1`, Disconnected).
public struct DisconnectionReason: Sendable, Hashable {
    /// The kind of a reason.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// bluetoothd does not know the reason, or signals one that this library does not know.
        case unknown
        /// The peripheral was not received any more: it is out of range or has no power (the supervision timeout of Core
        /// Specification, Vol 6, Part B, 4.5.2).
        case timeout
        /// A program on this machine has ended the connection.
        case local
        /// The peripheral has ended the connection.
        case remote
        /// The keys of the two sides do not match, or there are none: the peripheral wants to be paired again.
        case authentication
        /// This machine was suspended.
        case suspend
    }

    /// The kind of the reason.
    public var kind: Kind

    /// The text of bluetoothd, on one line; empty if it has none.
    public var message: String

    /// The maximum length of a message, in characters.
    private static let longestMessage = 200

    /// Creates the reason of a signal.
    ///
    /// - Parameters:
    ///   - name: The name of the reason: `org.bluez.Reason.Timeout`.
    ///   - message: The text.
    init(name: String, message: String) {
        kind = name.split(separator: ".").last.flatMap { Kind(rawValue: $0.lowercased()) } ?? .unknown
        self.message = String(message.plain().prefix(Self.longestMessage))
    }
}

extension DisconnectionReason: CustomStringConvertible {
    /// The reason, as the end of a sentence.
    public var description: String {
        switch kind {
        case .unknown: message.isEmpty ? "bluetoothd gives no reason" : message
        case .timeout: "it was not received any more"
        case .local: "a program on this machine has ended the connection"
        case .remote: "it has ended the connection"
        case .authentication: "the authentication failed; pair it again"
        case .suspend: "this machine was suspended"
        }
    }
}
