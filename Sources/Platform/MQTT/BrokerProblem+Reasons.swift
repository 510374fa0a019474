import CMosquitto
import Glibc
import Plumbing

extension BrokerProblem {
    /// Creates the problem that a loss shows.
    ///
    /// - Parameter wasConnected: whether the broker had taken the client before.
    init(_ loss: MQTTLoss, broker: MQTTSettings.Broker, wasConnected: Bool) {
        if let file = loss.file {
            self = .file(file)
        } else if let reason = loss.reason {
            self.init(reason: reason, broker)
        } else if let problem = BrokerProblem(verification: loss.verification, line: loss.tlsLine) {
            self = problem
        } else {
            self.init(code: loss.code, errno: loss.errno, wasConnected: wasConnected)
        }
    }

    /// The limit of the broker behind a reason (MQTT 5.0, 2.4) or a number of libmosquitto; `nil` for another one.
    init?(limit code: Int) {
        switch code {
        case Int(MQTT_RC_RETAIN_NOT_SUPPORTED.rawValue), Int(MOSQ_ERR_RETAIN_NOT_SUPPORTED.rawValue):
            self = .retainUnavailable
        case Int(MQTT_RC_QOS_NOT_SUPPORTED.rawValue), Int(MOSQ_ERR_QOS_NOT_SUPPORTED.rawValue):
            self = .qualityUnavailable
        case Int(MQTT_RC_PACKET_TOO_LARGE.rawValue), Int(MOSQ_ERR_OVERSIZE_PACKET.rawValue): self = .packetTooLarge
        default: return nil
        }
    }

    /// MQTT 5.0, 2.4.
    private init(reason: UInt8, _ broker: MQTTSettings.Broker) {
        self =
            switch Int32(reason) {
            case Int32(MQTT_RC_UNSUPPORTED_PROTOCOL_VERSION.rawValue): .protocolVersion
            case Int32(MQTT_RC_CLIENTID_NOT_VALID.rawValue): .clientIdentifier
            case Int32(MQTT_RC_BAD_USERNAME_OR_PASSWORD.rawValue), Int32(MQTT_RC_NOT_AUTHORIZED.rawValue):
                broker.login == nil ? .loginNeeded : .login
            case Int32(MQTT_RC_SERVER_UNAVAILABLE.rawValue), Int32(MQTT_RC_SERVER_BUSY.rawValue): .unavailable
            case Int32(MQTT_RC_BANNED.rawValue): .banned
            case Int32(MQTT_RC_SERVER_SHUTTING_DOWN.rawValue): .shuttingDown
            case Int32(MQTT_RC_KEEP_ALIVE_TIMEOUT.rawValue): .unanswered
            case Int32(MQTT_RC_SESSION_TAKEN_OVER.rawValue): .twin
            case Int32(MQTT_RC_QUOTA_EXCEEDED.rawValue), Int32(MQTT_RC_CONNECTION_RATE_EXCEEDED.rawValue): .full
            case Int32(MQTT_RC_USE_ANOTHER_SERVER.rawValue), Int32(MQTT_RC_SERVER_MOVED.rawValue): .moved
            case Int32(MQTT_RC_NORMAL_DISCONNECTION.rawValue): .lost
            default: BrokerProblem(limit: Int(reason)) ?? .reason(reason)
            }
    }

    /// Nil where TLS is not what is wrong.
    private init?(verification: Int, line: String?) {
        let words = line ?? ""
        func mentions(_ signs: String...) -> Bool { signs.contains { words.contains($0) } }
        if let certificate = Certificate(verification: verification, words) {
            self = .certificate(certificate)
        } else if words.isEmpty {
            return nil
        } else if mentions("wrong version number", "unexpected eof", "packet length too long", "http request") {
            self = .noTLS
        } else if mentions("alert") && mentions("certificate", "unknown ca", "handshake failure") {
            self = .clientCertificate
        } else if mentions("Unable to load", "inconsistent") {
            self = .file(
                "a file named under \"tls\" cannot be used: \(words.plain()); write it again, as PEM without a passphrase"
            )
        } else {
            self = .tls(words.plain())
        }
    }

    private init(code: Int32, errno: Int32, wasConnected: Bool) {
        switch code {
        case MOSQ_ERR_EAI.rawValue: self = .unknownHost
        case MOSQ_ERR_KEEPALIVE.rawValue: self = wasConnected ? .unanswered : .silent
        case MOSQ_ERR_TLS.rawValue: self = .tls("the handshake failed")
        case MOSQ_ERR_PROTOCOL.rawValue, MOSQ_ERR_MALFORMED_PACKET.rawValue, MOSQ_ERR_MALFORMED_UTF8.rawValue:
            self = .malformed
        case MOSQ_ERR_ERRNO.rawValue where errno == ECONNREFUSED: self = .refused
        case MOSQ_ERR_ERRNO.rawValue where errno == EPROTO: self = .noTLS
        case MOSQ_ERR_ERRNO.rawValue where wasConnected: self = .lost
        case MOSQ_ERR_ERRNO.rawValue where errno == ECONNRESET || errno == EPIPE || errno == 0: self = .closed
        case MOSQ_ERR_ERRNO.rawValue: self = .unreachable(errno: Self.routes.contains(errno) ? errno : 0)
        case MOSQ_ERR_SUCCESS.rawValue, MOSQ_ERR_CONN_LOST.rawValue, MOSQ_ERR_NO_CONN.rawValue:
            self = wasConnected ? .lost : .closed
        default: self = BrokerProblem(limit: Int(code)) ?? .other(code: code)
        }
    }

    /// The errors of `connect` that concern the way to the host; libmosquitto 2.1 may leave another number.
    private static let routes = [ETIMEDOUT, EHOSTUNREACH, ENETUNREACH, ENETDOWN, EHOSTDOWN, EACCES, EPERM]
}

extension BrokerProblem.Certificate {
    /// - Parameter verification: as OpenSSL numbers it (openssl/x509_vfy.h).
    fileprivate init?(verification: Int, _ words: String) {
        switch verification {
        case _ where words.contains("host name verification"), 62...64: self = .wrongName
        // X509_V_OK, and X509_V_ERR_UNSPECIFIED: the line has more.
        case 0, 1:
            guard words.contains("certificate verify failed") else { return nil }
            self = .untrusted
        case 9, 13: self = .notYetValid
        case 10, 14: self = .expired
        // Signed by itself, by an unknown one, by a chain that is too long, or for another purpose.
        case 2, 7, 18...27: self = .untrusted
        default: self = .other(verification)
        }
    }
}
