package import Agreement
import MQTT
import Plumbing
import Synchronization

/// What is asked about the house.
extension Broker {
    /// How long nothing has to come after which the broker has delivered what it keeps.
    fileprivate static let silence: Int64 = 300_000_000

    /// How long it is waited for at most: who asks has not much longer.
    fileprivate static let timeout: Int64 = 2_000_000_000

    /// Who is in the house. A first question waits for what the broker keeps; who asks again within some seconds does not.
    package var nodes: [BrokerNode] {
        get async {
            perform { core, now in core.asked(at: now.instant) }
            while guarded.withLock({ $0.core.isGathering(at: MQTTClient.now) }) {
                try? await Task.sleep(for: .milliseconds(50))
                if Task.isCancelled { break }
            }
            return guarded.withLock { $0.core.nodes(at: MQTTClient.now) }
        }
    }

    /// What the house agrees on about a region of the configuration, and which node writes it; nil: there is none.
    package func agreed(on region: String) -> (state: HouseState?, owner: String?) {
        guarded.withLock { $0.core.agreed(on: region) }
    }

    /// Forgets a node that is gone for good: its topics are emptied.
    package func forget(_ node: String) throws(ForgetRefusal) {
        guard state.isConnected else { throw .away }
        var refusal: ForgetRefusal?
        perform { core, now in
            switch core.forget(node, at: now) {
            case .success(let outputs): return outputs
            case .failure(let reason):
                refusal = reason
                return []
            }
        }
        if let refusal { throw refusal }
    }
}

extension BrokerCore {
    /// Whether what the broker keeps is still coming.
    fileprivate func isGathering(at now: Int64) -> Bool {
        guard isConnected, let survey else { return false }
        let quiet = now.subtractingClamped(survey.cameAt ?? survey.began)
        return now.subtractingClamped(survey.began) < Broker.timeout && quiet < Broker.silence
    }
}
