import Agreement
import Events
import MQTT
import Plumbing

/// The nodes of the house, for clients of this daemon.
extension BrokerCore {
    /// Every node's observations. Without a survey a node receives only those of the regions that it owns.
    struct Survey: Sendable {
        private static let duration: Int64 = 15_000_000_000
        /// The time without a message after which the broker has delivered everything, and the maximum for all of it.
        private static let (silence, timeout): (Int64, Int64) = (300_000_000, 2_000_000_000)
        /// Any client can publish under our topics, so memory must be bounded.
        private static let observationLimit = 100_000

        private var began: Int64
        private(set) var until: Int64
        private var receivedAt: Int64?
        /// Whether the broker has delivered its retained observations.
        private(set) var isComplete = false
        /// By node and level.
        private(set) var observations: [String: [String: Observation]] = [:]
        private var count = 0

        init(at now: Int64) { (began, until) = (now, now.addingClamped(Self.duration)) }

        mutating func extend(at now: Int64) { until = now.addingClamped(Self.duration) }

        mutating func received(_ payload: [UInt8], _ level: String, _ node: String, at now: Int64) {
            receivedAt = now
            guard !payload.isEmpty else {
                if observations[node]?.removeValue(forKey: level) != nil { count -= 1 }
                return
            }
            let isNew = observations[node]?[level] == nil
            guard let observation = Wire.observation(payload), !isNew || count < Self.observationLimit else { return }
            observations[node, default: [:]][level] = observation
            if isNew { count += 1 }
        }

        mutating func forgotten(_ node: String) { count -= observations.removeValue(forKey: node)?.count ?? 0 }

        /// Begins again: the broker delivers everything again.
        mutating func connected(at now: Int64) {
            (began, receivedAt, observations, count, isComplete) = (now, nil, [:], 0, false)
        }

        /// The time at which the survey is complete or ends.
        var nextDeadline: Int64 {
            isComplete
                ? until
                : min(began.addingClamped(Self.timeout), (receivedAt ?? began).addingClamped(Self.silence), until)
        }

        mutating func advance(to now: Int64) { isComplete = isComplete || nextDeadline <= now }
    }

    /// Handles that a client of this daemon asks for every node's observations.
    mutating func asked(at now: Int64) -> [Output] {
        guard survey == nil else {
            survey?.extend(at: now)
            return []
        }
        survey = Survey(at: now)
        return [.subscribe(topics.everyObservation)]
    }

    /// Whether the broker still delivers its retained observations.
    var isSurveying: Bool { isConnected && survey.map { !$0.isComplete } ?? false }

    /// Returns the nodes in the order of their names; without a connection only this one.
    func nodes(at now: Int64) -> [NodeReport] {
        guard isConnected else { return [report(node, card: card, isOnline: false)] }
        let online = Set(house.online(at: now))
        return Set(statuses.keys).union(cards.all.keys).union([node]).sorted().map { name in
            report(name, card: cards[name], isOnline: online.contains(name))
        }
    }

    private func report(_ name: String, card: NodeCard?, isOnline: Bool) -> NodeReport {
        let (scanner, observations) = isConnected ? (scanners[name], survey?.observations[name] ?? [:]) : (nil, [:])
        return NodeReport(
            name: name, online: isOnline, room: card?.room, version: card?.version, since: card?.since,
            listening: scanner?.ok, adapter: scanner?.adapter, reason: scanner?.reason,
            // A region that is not configured here has its level in topics.
            observations: observations.map {
                .init(region: regions[$0] ?? $0, state: $1.state, signal: $1.signal)
            }.sorted { $0.region < $1.region })
    }

    /// Returns the agreed state of a configured region and the node that writes it.
    func agreed(on identifier: String) -> (state: HouseState?, owner: String?) {
        let level = levelOf[identifier] ?? identifier
        return (house.state(of: level), house.owner(of: level))
    }

    /// Deletes a node: empties its topics and ends its part in every decision.
    mutating func forget(_ name: String, at now: Moment) -> Result<[Output], ForgetFailure> {
        guard TopicName.isLevel(name), statuses[name] != nil || cards[name] != nil || house.isWaited(for: name) else {
            return .failure(.unknown(name))
        }
        guard name != node, !house.online(at: now.instant).contains(name) else {
            return .failure(.online(name))
        }
        let watched = cards[name]?.regions ?? levels
        var gone = watched.map { topics.observation(of: TopicName($0), by: name) }
        if let discovery {
            gone += watched.map { discovery.part(region: $0, node: name).topic } + [discovery.node(name).topic]
        }
        gone += [topics.scanner(name), topics.prompt(name), topics.about(name), topics.status(name)]
        return .success(gone.map { .publish(.clearing($0)) } + forgotten(name, at: now))
    }
}
