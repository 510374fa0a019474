/// A fault of the connection to the broker, or of a broker that is connected.
package enum BrokerProblem: Error, Sendable, Equatable {
    /// The reason why the broker's certificate was refused.
    package enum Certificate: Sendable, Equatable {
        /// No trusted authority has signed it.
        case untrusted
        case expired
        /// It will be valid later: mostly it is this machine's clock that is wrong.
        case notYetValid
        case wrongName
        /// An `X509_V_ERR_` number.
        case other(Int)
    }

    /// The name does not resolve.
    case unknownHost
    /// Nothing listens on the port.
    case refused
    /// There is no way to the host, or it does not answer; `errno`, 0 where it is not known.
    case unreachable(errno: Int32)
    /// There is a connection to the port, and nothing comes from there.
    case silent
    /// The broker ended the connection before it answered.
    case closed

    case certificate(Certificate)
    /// The broker does not take this client's certificate, or wants one.
    case clientCertificate
    /// The server on the port does not support TLS.
    case noTLS
    /// Another failure of TLS, with OpenSSL's message.
    case tls(String)
    /// A file is missing or wrong; a sentence.
    case file(String)

    /// The user name or the password is wrong.
    case login
    /// The broker requires a login.
    case loginNeeded
    /// It does not take this client's name.
    case clientIdentifier
    case banned
    /// It does not speak MQTT 5.
    case protocolVersion
    /// It has as many clients as it may, or other limits of it are reached.
    case full
    /// It is not ready for clients.
    case unavailable
    case moved
    /// It does not retain messages.
    case retainUnavailable
    /// It accepts no messages that are acknowledged.
    case qualityUnavailable
    /// It accepts only messages that are too small for Okaeri.
    case packetTooLarge
    /// It accepts messages and delivers none.
    case deliversNothing
    /// It delivers retained messages only to subscriptions without wildcards.
    case withholdsRetained
    /// Another reason of the broker's (MQTT 5.0, 2.4).
    case reason(UInt8)

    /// The connection broke.
    case lost
    /// It breaks each time soon after it has begun.
    case unsteady
    case shuttingDown
    /// Another client of the same name has come.
    case twin
    /// The broker answers no more.
    case unanswered
    /// The server does not answer in MQTT.
    case malformed
    /// Libmosquitto gave up; its number.
    case other(code: Int32)

    /// Whether the broker or the way to it is down.
    var isOutage: Bool {
        switch self {
        case .refused, .unreachable, .shuttingDown: true
        default: false
        }
    }
}
