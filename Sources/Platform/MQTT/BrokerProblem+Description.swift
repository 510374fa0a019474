import CMosquitto
import Glibc
import Plumbing

extension BrokerProblem {
    /// A sentence for a person: what happened, why, what to do next.
    package func sentence(_ broker: MQTTSettings.Broker, clientID: String) -> String {
        let place = "the MQTT broker at \(broker.description.plain())"
        switch self {
        case .unknownHost:
            return "the name of \(place) does not resolve; correct \"host\" in beacons.json, or look for it "
                + "with `getent hosts \(broker.host.plain())`"
        case .refused:
            return
                "nothing listens at \(broker); start the broker (`sudo systemctl start mosquitto`), correct \"port\", or "
                + "let it listen beyond its own machine (`listener \(broker.port)` in mosquitto.conf)"
        case .unreachable(let code):
            guard code != 0 else {
                return
                    "\(place) is unreachable; check that the broker runs there (`systemctl status mosquitto`) and listens "
                    + "to the network, and that the machine is on"
            }
            return
                "\(place) is unreachable: \(String(cString: strerror(code))); check that the machine is on and reachable "
                + "(`ping \(broker.host.plain())`)"
        case .silent:
            return
                "\(place) accepts the connection and sends nothing; check that a broker with MQTT 5 runs on that port"
        case .closed:
            return broker.tls == nil
                ? "\(place) closes the connection before it answers; if it expects TLS on that port, write \"tls\": true "
                    + "beside \"host\", otherwise look at its log, and check that it supports MQTT 5"
                : "\(place) closes the connection before it answers; look at its log, and check that the port is for TLS"
        case .certificate(let problem): return problem.sentence(broker, place)
        case .clientCertificate:
            return
                "\(place) does not accept this machine's certificate, or requires one; name one that its CA has signed as "
                + "\"certificate\" and \"key\" under \"tls\""
        case .noTLS:
            return
                "the server at \(broker) does not support TLS; name the broker's port for TLS, mostly 8883, or remove "
                + "\"tls\""
        case .tls(let words):
            return "TLS with \(place) fails: \(words); look at the broker's log"
        case .file(let sentence): return sentence
        case .login:
            return "\(place) does not accept the user name \(broker.login?.username.plain() ?? "") with its password; "
                + "correct \"username\" and the password file, or set the password at the broker with mosquitto_passwd"
        case .loginNeeded:
            return "\(place) requires a login; name \"username\" and \"passwordFile\" under \"mqtt\""
        case .clientIdentifier:
            return "\(place) does not accept the client id \(clientID); give this machine another \"node\" name"
        case .banned: return "\(place) has banned this client; remove the ban at the broker"
        case .protocolVersion:
            return "\(place) does not support MQTT 5; update it (mosquitto supports it since version 1.6)"
        case .full:
            return
                "\(place) accepts no further client; raise its limits (`max_connections` of mosquitto), or disconnect "
                + "other clients"
        case .unavailable: return "\(place) is not ready for clients; it is tried again"
        case .moved: return "\(place) sends its clients to another one; correct \"host\" in beacons.json"
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
                + "\(clientID); give each machine a \"node\" name of its own, or look at the broker's log"
        case .shuttingDown: return "\(place) shuts down; it is tried again"
        case .twin:
            return
                "another client with the id \(clientID) has taken over the connection to \(place), and the next attempt "
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
            } ?? "the certificate of \(place) is signed by no authority that this machine trusts; name its CA as "
                + "\"tls\": {\"ca\": \"/etc/okaeri/ca.pem\"}"
        case .expired:
            return
                "the certificate of \(place), or its CA's, has expired; renew it, and check this machine's clock with "
                + "`timedatectl`"
        case .notYetValid:
            return "the certificate of \(place) is not valid yet, so this machine's clock is probably wrong; check it "
                + "with `timedatectl`"
        case .wrongName:
            return
                "the certificate of \(place) is for another name than \(broker.host.plain()); write the name that is in "
                + "it as \"host\" (\(show)), or make one for this name"
        case .other(let code):
            return "the certificate of \(place) is refused: error \(code) of OpenSSL; look at it with \(show)"
        }
    }
}
