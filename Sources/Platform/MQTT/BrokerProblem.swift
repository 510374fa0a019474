import COkaeriMosquitto
import Glibc
import OkaeriPlumbing

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

extension BrokerProblem {
    /// A sentence for a person: what happened, why, what to do next.
    package func sentence(_ broker: MQTTSettings.Broker, clientID: String) -> String {
        let place = "the MQTT broker at \(broker.description.plain())"
        switch self {
        case .unknownHost:
            return
                "the name of \(place) does not resolve; correct \(broker.isOfCommandLine ? "it" : "\"host\" in beacons.json"), "
                + "or look for it with `getent hosts \"\(broker.host.plain())\"`"
        case .refused:
            return
                "nothing listens at \(broker); start the broker\(Remedy.start("mosquitto").aside), "
                + "\(broker.isOfCommandLine ? "name its port as HOST:PORT" : "correct \"port\""), or let it listen beyond its own machine (`listener \(broker.port)` in mosquitto.conf)"
        case .unreachable(let code):
            guard code != 0 else {
                return
                    "\(place) is unreachable; check that the broker runs there\(Remedy.status("mosquitto").aside) and listens "
                    + "to the network, and that the machine is on"
            }
            return
                "\(place) is unreachable: \(String(cString: strerror(code))); check that the machine is on and reachable "
                + "(`ping \"\(broker.host.plain())\"`)"
        case .silent:
            return
                "\(place) accepts the connection and sends nothing; check that a broker with MQTT 5 runs on that port"
        case .closed:
            return broker.tls == nil
                ? "\(place) closes the connection before it answers; if it expects TLS on that port, "
                    + "\(broker.isOfCommandLine ? "use `--tls`" : "write \"tls\": true beside \"host\""), otherwise look at its log, and check that it supports MQTT 5"
                : "\(place) closes the connection before it answers; look at its log, and check that the port is for TLS"
        case .certificate(let problem): return problem.sentence(broker, place)
        case .clientCertificate:
            return
                "\(place) does not accept this machine's certificate, or requires one; name one that its CA has signed as "
                + "\"certificate\" and \"key\" under \"tls\""
        case .noTLS:
            return
                "the server at \(broker) does not support TLS; name the broker's port for TLS, mostly 8883, or "
                + (broker.isOfCommandLine ? "leave out `--tls`" : "remove \"tls\"")
        case .tls(let words):
            return "TLS with \(place) fails: \(words); look at the broker's log"
        case .file(let sentence): return sentence
        case .login:
            return
                "\(place) does not accept the user name \"\(broker.login?.username.plain() ?? "")\" with its password; "
                + "correct \(broker.isOfCommandLine ? "them" : "\"username\" and the password file"), or set the password at the broker with mosquitto_passwd"
        case .loginNeeded:
            return "\(place) requires a login; "
                + (broker.isOfCommandLine
                    ? "answer with your user name there, or use `--username`"
                    : "name \"username\" and \"passwordFile\" under \"mqtt\"")
        case .clientIdentifier:
            return "\(place) does not accept the client id \"\(clientID)\"; give this machine another \"node\" name"
        case .banned: return "\(place) has banned this client; remove the ban at the broker"
        case .protocolVersion:
            return "\(place) does not support MQTT 5; update it (mosquitto supports it since version 1.6)"
        case .full:
            return
                "\(place) accepts no further client; raise its limits (`max_connections` of mosquitto), or disconnect "
                + "other clients"
        case .unavailable: return "\(place) is not ready for clients; it is tried again"
        case .moved:
            return "\(place) sends its clients to another one; "
                + (broker.isOfCommandLine ? "name that one" : "correct \"host\" in beacons.json")
        case .retainUnavailable:
            return
                "\(place) does not retain messages, which Okaeri needs; write `retain_available true` in mosquitto.conf"
        case .qualityUnavailable:
            return "\(place) accepts no acknowledged messages, which Okaeri needs; write `max_qos 2` in mosquitto.conf"
        case .packetTooLarge:
            return "\(place) does not accept a message of Okaeri's size; raise `message_size_limit` and "
                + "`max_packet_size` in mosquitto.conf to 131072 or more"
        case .deliversNothing:
            return
                "\(place) accepts this node's messages and delivers none, so the house is not known here; allow "
                + "\(broker.user(clientID)) to read okaeri/# in the broker's ACL file, as /usr/share/doc/okaeri/broker.md shows"
        case .withholdsRetained:
            return
                "\(place) delivers no retained messages to subscriptions with wildcards (RabbitMQ 4 does not), so the house is "
                + "not known here after a start; use another broker with MQTT 5, such as mosquitto"
        case .reason(let reason):
            return "\(place) refuses the connection: reason \(hexadecimal(reason)); look at its log"
        case .lost: return "the connection to \(place) broke; it is tried again"
        case .unsteady:
            return
                "the connection to \(place) breaks soon after each start: probably another machine uses the client id "
                + "\"\(clientID)\"; give each machine a \"node\" name of its own, or look at the broker's log"
        case .shuttingDown: return "\(place) shuts down; it is tried again"
        case .twin:
            return
                "another client with the id \"\(clientID)\" has taken over the connection to \(place), and the next attempt "
                + "is in a quarter of an hour; give each machine a \"node\" name of its own, then restart okaeri"
        case .unanswered: return "\(place) does not answer any more; it is tried again"
        case .malformed:
            return
                "\(place) does not answer in MQTT 5; update the broker (mosquitto supports it since version 1.6), or check "
                + "which program listens on that port"
        case .other(let code):
            return "libmosquitto cannot reach \(place): \(String(cString: mosquitto_strerror(code))) (\(code)); look "
                + "at the broker's log"
        }
    }
}

extension BrokerProblem.Certificate {
    func sentence(_ broker: MQTTSettings.Broker, _ place: String) -> String {
        let show =
            "`openssl s_client -connect \(broker) </dev/null | openssl x509 -noout -subject -issuer -dates -ext "
            + "subjectAltName`"
        switch self {
        case .untrusted:
            return broker.tls?.authorities.map {
                "the certificate of \(place) is not signed by the CA in \($0.plain()); name the CA that has signed it"
            } ?? "the certificate of \(place) is signed by no authority that this machine trusts; name its CA "
                + (broker.isOfCommandLine ? "with `--tls-ca FILE`" : "as \"tls\": {\"ca\": \"/etc/okaeri/ca.pem\"}")
        case .expired:
            return
                "the certificate of \(place), or its CA's, has expired; renew it, and check this machine's clock with "
                + "`timedatectl`"
        case .notYetValid:
            return "the certificate of \(place) is not valid yet, so this machine's clock is probably wrong; check it "
                + "with `timedatectl`"
        case .wrongName:
            return
                "the certificate of \(place) is for another name than \"\(broker.host.plain())\"; write the name that is in "
                + "it\(broker.isOfCommandLine ? "" : " as \"host\"") (\(show)), or make one for this name"
        case .other(let code):
            return "the certificate of \(place) is refused: error \(code) of OpenSSL; look at it with \(show)"
        }
    }
}

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
