package import RegionMonitoring

/// The answer of `GET /v1/nodes`: the nodes of the house, as this node received them from the broker.
package struct NodesReport: Codable, Sendable, Equatable {
    /// This node's own name.
    package var node: String
    /// The house's name at the broker.
    package var site: String
    /// Whether the broker is connected; else only this node is known.
    package var connected: Bool
    /// The state of the connection to the broker, its reason and the remedy.
    package var reason: String
    /// By name.
    package var nodes: [NodeReport]
    /// The agreed states, in the order of this node's configuration.
    package var regions: [Region]

    /// A region of this node's configuration.
    package struct Region: Codable, Sendable, Equatable {
        package var identifier: String
        package var house: HouseReport

        package init(identifier: String, house: HouseReport) {
            self.identifier = identifier
            self.house = house
        }
    }

    package init(
        node: String, site: String, connected: Bool, reason: String, nodes: [NodeReport], regions: [Region]
    ) {
        self.node = node
        self.site = site
        self.connected = connected
        self.reason = reason
        self.nodes = nodes
        self.regions = regions
    }
}

/// A node of the house.
package struct NodeReport: Codable, Sendable, Equatable {
    package var name: String
    /// Whether it is online, and has refreshed its status in time.
    package var online: Bool
    /// The node's room; `nil`: none.
    package var room: String?
    /// The version of its program; `nil` if it has published none.
    package var version: String?
    /// Since when its daemon runs, on its own clock, RFC 3339.
    package var since: String?
    /// Whether its Bluetooth receives; `nil` if it has not published that.
    package var listening: Bool?
    /// Such as `hci0`.
    package var adapter: String?
    /// The reason why its Bluetooth does not receive.
    package var reason: String?
    /// The node's own observations of the regions that it watches, by name.
    package var observations: [Observation]

    /// A node's own observation of a region.
    package struct Observation: Codable, Sendable, Equatable {
        package var region: String
        package var state: RegionState
        /// The signal in dBm, calibrated with the node's offset; nil while nothing is heard.
        package var signal: Double?

        package init(region: String, state: RegionState, signal: Double? = nil) {
            self.region = region
            self.state = state
            self.signal = signal
        }
    }

    package init(
        name: String, online: Bool, room: String? = nil, version: String? = nil, since: String? = nil,
        listening: Bool? = nil, adapter: String? = nil, reason: String? = nil, observations: [Observation] = []
    ) {
        self.name = name
        self.online = online
        self.room = room
        self.version = version
        self.since = since
        self.listening = listening
        self.adapter = adapter
        self.reason = reason
        self.observations = observations
    }
}

/// The agreed state of a region.
package struct HouseReport: Codable, Sendable, Equatable {
    /// The agreed state; unknown while there is no broker.
    package var state: RegionState
    /// The last state that was known.
    package var lastKnown: RegionState
    /// Since when it is so, RFC 3339, on the clock of the node that wrote it; nil before it was first determined.
    package var since: String?
    /// The room of the beacon; `nil`: unknown.
    package var room: String?
    /// The node that writes the region's state; nil while there is none.
    package var owner: String?
    /// The nodes whose last report is inside, and that the others wait for.
    package var waiting: [String] = []
}

/// The reason why a node is not deleted.
package enum ForgetFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// The configuration names no broker.
    case noHouse
    /// No node has this name.
    case unknown(String)
    /// It is online: it would be back at once.
    case online(String)
    /// There is no connection to the broker, for that reason.
    case away(String)

    package var description: String {
        switch self {
        case .noHouse: StatusReport.noHouse
        case .unknown(let name): "there is no node \"\(name)\"; `okaeri nodes` lists them"
        case .online(let name): "\"\(name)\" is online, and would be back at once; stop its okaeri first"
        case .away(let reason): "the node cannot be deleted from the broker: \(reason)"
        }
    }
}

extension StatusReport {
    /// The sentence for a request about the house if there is none.
    package static let noHouse =
        "this okaeri belongs to no house: its beacons.json names no \"mqtt\"; /usr/share/doc/okaeri/several-pis.md "
        + "describes how to set that up"

    /// The same as the house agrees on it: the states of the regions are the house's, not this node's. Nil where there is no
    /// house.
    package var ofHouse: StatusReport? {
        guard mqtt != nil else { return nil }
        var report = self
        for index in regions.indices {
            let house = regions[index].house
            report.regions[index].state = house?.state ?? .unknown
            report.regions[index].lastKnown = house?.lastKnown ?? .unknown
            report.regions[index].since = house?.since
            report.regions[index].beacon = nil
            report.regions[index].beacons = []
        }
        report.occupancy = Occupancy(report.regions.map(\.state))
        return report
    }
}
