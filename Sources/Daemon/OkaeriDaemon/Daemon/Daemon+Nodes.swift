package import Events
import Agreement
import House
import MQTT
import RegionMonitoring

/// Requests about the house.
extension Daemon {
    package var nodes: NodesReport? {
        get async {
            guard let broker = broker.current else { return nil }
            let nodes = await broker.nodes.map(NodeReport.init)
            return NodesReport(
                node: hub.node, site: broker.site, connected: broker.state.isConnected,
                reason: broker.state.description, nodes: nodes,
                regions: regions.compactMap { region in
                    region.house.map { .init(identifier: region.identifier, house: $0) }
                })
        }
    }

    package func forget(node: String) throws(ForgetFailure) {
        guard let broker = broker.current else { throw .noHouse }
        try broker.forget(node)
    }
}

extension NodeReport {
    fileprivate init(_ node: BrokerNode) {
        self.init(
            name: node.name, online: node.isOnline, room: node.card?.room, version: node.card?.version,
            since: node.card?.since, listening: node.scanner?.ok, adapter: node.scanner?.adapter,
            reason: node.scanner?.reason,
            observations: node.observations.sorted { $0.key < $1.key }.map {
                Observation(region: $0, state: $1.state, signal: $1.signal)
            })
    }
}
