import Events
import House
import MQTT
import RegionMonitoring

/// Requests about the house.
extension Daemon {
    /// `nil` without a house.
    var nodes: NodesReport? {
        get async {
            guard let broker = broker.current else { return nil }
            return NodesReport(
                node: hub.node, site: broker.site, connected: broker.state.isConnected,
                reason: broker.state.description, hub: broker.hub, nodes: broker.nodes,
                regions: regions.compactMap { region in
                    region.house.map { .init(identifier: region.identifier, house: $0) }
                })
        }
    }

    /// Forgets a node that is no more.
    func forget(node: String) throws(ForgetFailure) {
        guard let broker = broker.current else { throw .noHouse }
        try broker.forget(node)
    }
}
