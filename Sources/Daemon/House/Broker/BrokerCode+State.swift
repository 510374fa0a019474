package import OkaeriEvents
package import OkaeriMQTT

extension BrokerCode {
    /// The code of a state of the connection.
    package init(_ state: BrokerState) {
        switch state.phase {
        case .connecting: self = .connecting
        case .stopped: self = .stopped
        case .failed(let problem): self.init(problem)
        case .connected:
            if let fault = state.fault {
                self.init(fault)
            } else if let refusal = state.refusals.first {
                self = refusal.isPermission ? .notPermitted : .notAccepted
            } else {
                self = .connected
            }
        }
    }

    package init(_ problem: BrokerProblem) {
        self =
            switch problem {
            case .unknownHost: .unknownHost
            case .refused: .refused
            case .unreachable: .unreachable
            case .silent: .silent
            case .closed: .closed
            case .certificate: .certificate
            case .clientCertificate: .clientCertificate
            case .noTLS: .noTLS
            case .tls: .tls
            case .file: .file
            case .login: .login
            case .loginNeeded: .loginNeeded
            case .clientIdentifier: .clientIdentifier
            case .banned: .banned
            case .protocolVersion: .protocolVersion
            case .full: .full
            case .unavailable: .unavailable
            case .moved: .moved
            case .retainUnavailable: .retainUnavailable
            case .qualityUnavailable: .qualityUnavailable
            case .packetTooLarge: .packetTooLarge
            case .deliversNothing: .deliversNothing
            case .withholdsRetained: .withholdsRetained
            case .reason: .reason
            case .lost: .lost
            case .unsteady: .unsteady
            case .shuttingDown: .shuttingDown
            case .twin: .twin
            case .unanswered: .unanswered
            case .malformed: .malformed
            case .other: .other
            }
    }
}
