package import RegionMonitoring

/// The answer of `GET /v1/nodes`: the nodes of the house, as this node knows them from the broker.
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
    /// The numbers of rejected messages of receivers that are not among the nodes, by the reason; `nil` without any.
    package var rejected: [String: UInt64]?
    /// The hub of the house; `nil` without one.
    package var hub: String?
    /// The states of the house's regions.
    package var regions: [Region]

    /// A region of the house.
    package struct Region: Codable, Sendable, Equatable {
        package var identifier: String
        package var house: HouseReport

        package init(identifier: String, house: HouseReport) {
            self.identifier = identifier
            self.house = house
        }
    }

    package init(
        node: String, site: String, connected: Bool, reason: String, hub: String? = nil, nodes: [NodeReport],
        rejected: [String: UInt64]? = nil, regions: [Region]
    ) {
        self.node = node
        self.site = site
        self.connected = connected
        self.reason = reason
        self.hub = hub
        self.nodes = nodes
        self.rejected = rejected
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
    /// The kind of the node; `nil` if it has published none.
    package var kind: NodeKind?
    /// The receptions of its radio, at the hub or a standby; `nil` for a node that has reported nothing.
    package var radio: Radio?
    /// The properties of a receiver of another make; `nil` for a node of this program.
    package var receiver: Receiver?

    /// A receiver of another make.
    package struct Receiver: Codable, Sendable, Equatable {
        /// The make, such as `ESPresense`.
        package var make: String
        /// The receiver's own name.
        package var name: String
        /// The seconds between two reports of the same device, the median of late; `nil` before it is known.
        package var interval: Double?
        /// The part of the time in which it scans, as it reports; `nil` for one that does not report it.
        package var scans: Double?
        /// Whether it is online and does not scan, as far as its messages show.
        package var deaf: Bool
        /// The correction that is added to its signals, in dB.
        package var offset: Double
        /// The numbers of rejected messages, by the reason.
        package var rejected: [String: UInt64]

        package init(
            make: String, name: String, interval: Double?, scans: Double?, deaf: Bool, offset: Double = 0,
            rejected: [String: UInt64]
        ) {
            (self.make, self.name, self.interval, self.offset) = (make, name, interval, offset)
            (self.scans, self.deaf, self.rejected) = (scans, deaf, rejected)
        }
    }

    /// The reports of a node's radio.
    package struct Radio: Codable, Sendable, Equatable {
        /// Whether nothing comes from it: its node is away, or it does not receive.
        package var away: Bool
        /// The receptions of the regions' beacons a second, of late.
        package var rate: Double
        /// The part of the time in which it listens, from 0 to 1.
        package var share: Double
        /// The numbers of reports that were lost, and that were late.
        package var lost: UInt64
        package var late: UInt64
        /// The seconds since its last report; of the own radio that does not receive, since its last reception.
        package var age: Double

        package init(away: Bool, rate: Double, share: Double, lost: UInt64, late: UInt64, age: Double) {
            (self.away, self.rate, self.share) = (away, rate, share)
            (self.lost, self.late, self.age) = (lost, late, age)
        }
    }

    package init(
        name: String, online: Bool, room: String? = nil, version: String? = nil, since: String? = nil,
        listening: Bool? = nil, adapter: String? = nil, reason: String? = nil, kind: NodeKind? = nil,
        radio: Radio? = nil, receiver: Receiver? = nil
    ) {
        self.name = name
        self.online = online
        self.room = room
        self.version = version
        self.since = since
        self.listening = listening
        self.adapter = adapter
        self.reason = reason
        self.kind = kind
        self.radio = radio
        self.receiver = receiver
    }
}

/// The kind of a node of a house.
package enum NodeKind: String, Codable, Sendable, CaseIterable {
    /// It has the regions and decides.
    case hub
    /// It is a radio of the hub.
    case receiver
    /// It is a radio of the hub, and decides while no hub does.
    case standby
}

/// The state of a region for the whole house, as its hub decided it.
package struct HouseReport: Codable, Sendable, Equatable {
    /// The state; at a receiver without its broker or hub it is unknown.
    package var state: RegionState
    /// The last state that was known.
    package var lastKnown: RegionState
    /// Since when it is so, RFC 3339, on the hub's clock; nil before it was first determined.
    package var since: String?
    /// The room of the beacon; `nil`: unknown.
    package var room: String?
    /// The hub; `nil` without one.
    package var owner: String?
    /// The radios that received the beacon last and are away: the region is unknown until one of them is back.
    package var waiting: [String] = []

    package init(
        state: RegionState, lastKnown: RegionState, since: String? = nil, room: String? = nil,
        owner: String? = nil,
        waiting: [String] = []
    ) {
        (self.state, self.lastKnown, self.since) = (state, lastKnown, since)
        (self.room, self.owner, self.waiting) = (room, owner, waiting)
    }
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

    /// The same for the house: the states of the regions are those of the hub. `nil` without a house.
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
        report.occupancy = Occupancy(report.regions)
        return report
    }
}
