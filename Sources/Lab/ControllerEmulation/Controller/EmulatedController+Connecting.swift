import HCI

/// Connecting: it is attempted until it is cancelled, as with a peer that is out of reach.
extension EmulatedController {
    /// Begins to connect; nil when the parameters are cut (Sections 7.8.12 and 7.8.66).
    mutating func connect(_ peer: Peer?) -> Answer {
        guard let peer else { return .status(.invalidParameters) }
        guard state.connecting == nil else { return .status(.commandDisallowed) }
        state.connecting = peer
        return .status(.success)
    }

    /// Gives up; the event that ends the attempt follows the answer (Section 7.8.13).
    mutating func cancelConnection(_ followers: inout [Output]) -> Answer {
        guard let peer = state.connecting else { return .disallowed }
        state.connecting = nil
        let head = [HCIStatus.unknownConnection.rawValue] + [UInt8](repeating: 0, count: 3) + peer.bytes
        if sends(.enhancedConnectionComplete) {
            // Two resolvable addresses, interval, latency, timeout, clock accuracy (Section 7.7.65.10).
            let rest = [UInt8](repeating: 0, count: 19)
            followers = [.event(.leMeta(.enhancedConnectionComplete, parameters: head + rest))]
        } else if sends(.connectionComplete) {
            // Interval, latency, timeout, clock accuracy (Section 7.7.65.1).
            followers = [
                .event(.leMeta(.connectionComplete, parameters: head + [UInt8](repeating: 0, count: 7)))
            ]
        }
        return .success
    }
}

extension LESubevent {
    static let connectionComplete = LESubevent(rawValue: 0x01)
    static let enhancedConnectionComplete = LESubevent(rawValue: 0x0A)
}
