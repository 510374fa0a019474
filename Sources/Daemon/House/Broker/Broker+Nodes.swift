package import Agreement
package import Events
package import MQTT
import Plumbing
import Synchronization

/// Questions about the house.
extension Broker {
    /// The name of the house.
    package var site: String { guarded.withLock { $0.core.topics.site } }

    /// The state of the connection to the broker.
    package var state: BrokerState {
        var state = client.state
        state.fault = guarded.withLock { $0.core.fault(at: MQTTClient.now) }
        return state
    }

    /// The nodes of the house. The first call waits for the broker's retained messages, 2 s at most; calls within the next
    /// 15 s do not.
    package var nodes: [NodeReport] {
        get async {
            let changes = surveys.values(backlog: 1)
            perform { core, now in core.asked(at: now.instant) }
            if guarded.withLock({ $0.core.isSurveying }) {
                for await _ in changes where !guarded.withLock({ $0.core.isSurveying }) { break }
            }
            return guarded.withLock { $0.core.nodes(at: MQTTClient.now) }
        }
    }

    /// Returns the agreed state of a configured region and the node that writes it; `nil` for each that is not known.
    package func agreed(on region: String) -> (state: HouseState?, owner: String?) {
        guarded.withLock { $0.core.agreed(on: region) }
    }

    /// Whether this node acts for the whole house.
    package var isHub: Bool { guarded.withLock { $0.core.house.isHub } }

    /// Passes this node's replica of the house's state to `look`, under the lock.
    package func withHouse<Value>(_ look: (HouseReplica) -> Value) -> Value {
        guarded.withLock { look($0.core.house) }
    }

    /// This node's description, as it is published.
    package var description: String {
        guarded.withLock { String(decoding: $0.core.about.payload, as: UTF8.self) }
    }

    /// Deletes a node that is gone for good: its topics are emptied.
    package func forget(_ node: String) throws(ForgetFailure) {
        guard state.isConnected else { throw .away(state.description) }
        var refusal: ForgetFailure?
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
