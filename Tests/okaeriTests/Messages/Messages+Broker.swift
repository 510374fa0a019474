import Glibc
import OkaeriEvents
import OkaeriPlumbing

@testable import OkaeriMQTT

extension Messages {
    static var broker: [Section] {
        [
            Section("BrokerState", states),
            Section("BrokerProblem", problems.map { $0.sentence(address, clientID: clientID) }),
            Section("BrokerProblem, with TLS", others.map { $0.sentence(secured, clientID: clientID) }),
            Section("BrokerProblem, of a command", problems.map { $0.sentence(named, clientID: clientID) }),
            Section("PasswordFileError", passwordFiles.map { ofAnyUser($0.description) }),
            Section("MQTTClient.StartError", [MQTTClient.StartError(code: EMFILE)]),
            Section("Notices", notices),
            Section("ForgetFailure", forgotten),
        ]
    }

    private static let clientID = "okaeri-home-hall"
    private static let address = MQTTSettings.Broker(host: "broker.lan", port: 1883, login: .init(username: "okaeri"))
    private static let secured = MQTTSettings.Broker(
        host: "broker.lan", port: 8883, tls: .init(authorities: "/etc/okaeri/ca.pem"), login: .init(username: "okaeri"))

    private static let named: MQTTSettings.Broker = {
        var named = address
        named.isOfCommandLine = true
        return named
    }()

    private static let states: [BrokerState] =
        samples(BrokerState.Phase.connecting) { phase in
            switch phase {
            case .connecting: .connected(since: 0)
            case .connected: .failed(.lost)
            case .failed: .stopped
            case .stopped: nil
            }
        }.map { BrokerState(broker: address, clientID: clientID, phase: $0, refusals: []) }
        + [
            BrokerState(
                broker: secured, clientID: clientID, phase: .connected(since: 0), refusals: [], fault: .deliversNothing)
        ]
        + [
            .init(.subscribe("okaeri/#"), reason: 0x87),
            .init(.publish(.value("okaeri/home/status", [])), reason: 0x87),
            .init(.publish(.value("okaeri/home/status", [])), reason: 0x95),
            .init(.publish(.value("okaeri/home/status", [])), reason: 0x97),
        ].map { BrokerState(broker: secured, clientID: clientID, phase: .connected(since: 0), refusals: [$0]) }

    private static let problems = samples(BrokerProblem.unknownHost) { problem in
        switch problem {
        case .unknownHost: .refused
        case .refused: .unreachable(errno: EHOSTUNREACH)
        case .unreachable(errno: EHOSTUNREACH): .unreachable(errno: 0)
        case .unreachable: .silent
        case .silent: .closed
        case .closed: .certificate(certificates[0])
        case .certificate: .clientCertificate
        case .clientCertificate: .noTLS
        case .noTLS: .tls("the handshake failed")
        case .tls: .file("a file named under \"tls\" cannot be used")
        case .file: .login
        case .login: .loginNeeded
        case .loginNeeded: .clientIdentifier
        case .clientIdentifier: .banned
        case .banned: .protocolVersion
        case .protocolVersion: .full
        case .full: .unavailable
        case .unavailable: .moved
        case .moved: .retainUnavailable
        case .retainUnavailable: .qualityUnavailable
        case .qualityUnavailable: .packetTooLarge
        case .packetTooLarge: .deliversNothing
        case .deliversNothing: .withholdsRetained
        case .withholdsRetained: .reason(0x83)
        case .reason: .lost
        case .lost: .unsteady
        case .unsteady: .shuttingDown
        case .shuttingDown: .twin
        case .twin: .unanswered
        case .unanswered: .malformed
        case .malformed: .other(code: 3)
        case .other: nil
        }
    }

    private static let others = [.closed] + certificates.map(BrokerProblem.certificate)

    private static let certificates = samples(BrokerProblem.Certificate.untrusted) { certificate in
        switch certificate {
        case .untrusted: .expired
        case .expired: .notYetValid
        case .notYetValid: .wrongName
        case .wrongName: .other(37)
        case .other: nil
        }
    }

    private static let passwordFiles =
        ([nil] + secretFiles.map(Optional.some)).map {
            let isCredential = $0 == .noCredentials
            return PasswordFileError(
                path: isCredential ? "$CREDENTIALS_DIRECTORY/broker" : "/etc/okaeri/broker.password", problem: $0)
        }

    private static var notices: [String] {
        var limits = MQTTSettings.Limits()
        limits.events = 1
        var (refused, lost) = (Notices(), Notices())
        var (empty, full) = (Outbox(limits, gate: nil), Outbox(limits, gate: nil))
        refused.refused(topic: "okaeri/home/status", bytes: 200_000)
        for _ in 0..<2 { full.add(.event("okaeri/home/event", []), at: 0, isConnected: false) }
        return [refused.next(at: 0, dropped: &empty), lost.next(at: 0, dropped: &full)].compactMap(\.self)
    }

    private static let forgotten = samples(ForgetFailure.noHouse) { failure in
        switch failure {
        case .noHouse: .unknown("kitchen")
        case .unknown: .online("kitchen")
        case .online: .away(BrokerProblem.lost.sentence(address, clientID: clientID))
        case .away: nil
        }
    }
}
