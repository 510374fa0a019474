package import Agreement
import HomeAssistant
import MQTT
import Plumbing

/// Who is in the house, for who asks.
extension BrokerCore {
    /// What every node sees. A node follows only the regions that it owns; all of it is followed for who asks, and a while
    /// longer: who watches asks again.
    struct Survey: Sendable {
        private static let length: Int64 = 15_000_000_000

        /// More is not kept: anybody can write topics.
        private static let mostSights = 100_000

        private(set) var began: Int64
        var until: Int64
        /// When the last sight came.
        private(set) var cameAt: Int64?
        /// By node and region.
        private(set) var sights: [String: [String: Observation]] = [:]
        private var count = 0

        init(at now: Int64) {
            began = now
            until = now.addingClamped(Self.length)
        }

        mutating func asked(at now: Int64) { until = now.addingClamped(Self.length) }

        mutating func received(_ payload: [UInt8], _ level: String, _ node: String, at now: Int64) {
            cameAt = now
            guard !payload.isEmpty else {
                if sights[node]?.removeValue(forKey: level) != nil { count -= 1 }
                return
            }
            let isNew = sights[node]?[level] == nil
            guard let sight = Wire.observation(payload), !isNew || count < Self.mostSights else { return }
            sights[node, default: [:]][level] = sight
            if isNew { count += 1 }
        }

        mutating func forgotten(_ node: String) { count -= sights.removeValue(forKey: node)?.count ?? 0 }

        /// The broker is another one, or the same after a pause: it delivers all again.
        mutating func connected(at now: Int64) { (began, cameAt, sights, count) = (now, nil, [:], 0) }
    }

    /// Somebody wants to know what every node sees.
    mutating func asked(at now: Int64) -> [Output] {
        guard survey == nil else {
            survey?.asked(at: now)
            return []
        }
        survey = Survey(at: now)
        return [.subscribe(topics.everySight)]
    }

    /// Nobody has asked for a while.
    mutating func surveyed() -> [Output] {
        survey = nil
        return [.unsubscribe(topics.everySight)]
    }

    /// The nodes by name: this one alone while there is no broker.
    func nodes(at now: Int64) -> [BrokerNode] {
        guard isConnected else { return [BrokerNode(name: node, isOnline: false, card: card, sights: [:])] }
        let online = Set(house.online(at: now))
        return Set(statuses.keys).union(cards.all.keys).union([node]).sorted().map { name in
            let sights = (survey?.sights[name] ?? [:]).map { (regions[$0] ?? $0, $1) }
            return BrokerNode(
                name: name, isOnline: online.contains(name), card: cards[name], scanner: scanners[name],
                sights: Dictionary(sights, uniquingKeysWith: { first, _ in first }))
        }
    }

    /// What the house agrees on about a region of the configuration, and who writes it.
    func agreed(on identifier: String) -> (state: HouseState?, owner: String?) {
        let level = levelOf[identifier] ?? identifier
        return (house.state(of: level), house.owner(of: level))
    }

    /// Somebody asks to forget a node: its topics are emptied, and it counts no more.
    mutating func forget(_ name: String, at now: Moment) -> Result<[Output], ForgetRefusal> {
        guard TopicName.isLevel(name), statuses[name] != nil || cards[name] != nil || house.isWaited(for: name) else {
            return .failure(.unknown)
        }
        guard name != node, !house.online(at: now.instant).contains(name) else { return .failure(.online) }
        let watched = cards[name]?.regions ?? levels
        var gone = watched.map { topics.sight(TopicName($0), by: name) }
        if let discovery {
            gone += watched.map { discovery.part(region: $0, node: name).topic } + [discovery.node(name).topic]
        }
        gone += [topics.scanner(name), topics.prompt(name), topics.about(name), topics.status(name)]
        return .success(gone.map { .publish(.clearing($0)) } + forgotten(name, at: now))
    }
}

/// A node, as this one knows it.
package struct BrokerNode: Hashable, Sendable {
    package var name: String
    /// Whether it says so, and said something not long ago.
    package var isOnline: Bool
    /// Nil: it has said nothing of itself.
    package var card: NodeCard?
    package var scanner: Scanner?
    /// What it makes of the regions, by their identifiers; of one that is not configured here, by its level in topics.
    package var sights: [String: Observation]
}

/// Why a node is not forgotten.
package enum ForgetRefusal: Error, Sendable, Equatable {
    /// No node has this name.
    case unknown
    /// It would be back at once.
    case online
    /// There is no connection to the broker.
    case away
}
