package import OkaeriEvents
package import OkaeriMQTT
import OkaeriPlumbing
import OkaeriReceivers
import RegionMonitoring
import Synchronization

/// Questions about the house.
extension Broker {
    /// The name of the house.
    package var site: String { guarded.withLock { $0.core.settings.site } }

    /// The state of the connection to the broker.
    package var state: BrokerState {
        var state = client.state
        state.fault = guarded.withLock { $0.core.fault(at: MQTTClient.now) }
        return state
    }

    /// The nodes of the house, in the order of their names; without a connection only this one.
    package var nodes: [NodeReport] {
        let share = guarded.withLock(\.engine).share()
        return guarded.withLock { $0.core.nodeReports(at: MQTTClient.now, ownShare: share) }
    }

    /// The numbers of rejected messages of receivers of other makes that are not among the nodes; `nil` without any.
    package var rejected: [String: UInt64]? {
        let rejected = guarded.withLock(\.core.receivers.rejected)
        return rejected.isEmpty ? nil : rejected.byReason
    }

    /// The hub that decides for the house; `nil` without one.
    package var hub: String? { guarded.withLock { $0.core.hubName } }

    /// Whether this node decides for the house.
    package var isHub: Bool { guarded.withLock { $0.core.election.isDeciding && $0.core.hasEngine } }

    /// The sentence about another hub of this site; `nil` without one.
    package var conflict: String? { guarded.withLock(\.core.conflict) }

    /// Whether the broker accepts messages of any client; `nil` while it is not known.
    package var isOpen: Bool? { openness.isOpen }

    /// Returns the state of a region for the house: at a receiver as the hub published it.
    package func publishedRegion(_ region: String) -> RegionValue? {
        guarded.withLock { $0.core.publishedRegion(region) }
    }

    /// The regions of the house that a receiver knows from its hub, by identifier; none at a hub.
    package var publishedRegions: [RegionValue] {
        guarded.withLock {
            $0.core.isHub ? [] : $0.core.publishedRegions.values.sorted { $0.identifier < $1.identifier }
        }
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

extension BrokerCore {
    /// The hub that decides for the site; `nil` without one.
    var hubName: String? {
        if isHolding { return node }
        guard isHub else { return hub.flatMap { nodes.isOnline($0.name) && $0.name != node ? $0.name : nil } }
        if case .yielded(let other?) = election.state { return other }
        return node
    }

    /// - Parameter ownShare: The part of the time in which this machine's own radio listens.
    func nodeReports(at now: Int64, ownShare: Double) -> [NodeReport] {
        let own = ownRate.map { rate in
            NodeReport.Radio(
                away: !scanner.ok, rate: rate.value(at: now).rounded(digits: 2), share: ownShare.rounded(digits: 2),
                lost: 0, late: 0, age: scanner.ok ? 0 : Self.age(rate.last, at: now))
        }
        guard isConnected else { return [report(node, HouseNodes.Node(card: card, scanner: scanner), own)] }
        let names = Set(nodes.all.keys).union([node])
        return names.sorted().map { name in
            let radio = radios[name].map { radio in
                NodeReport.Radio(
                    away: radio.isAway, rate: radio.isAway ? 0 : radio.rate.value(at: now).rounded(digits: 2),
                    share: radio.share.rounded(digits: 2), lost: radio.lost, late: radio.late,
                    age: Self.age(radio.lastArrival, at: now))
            }
            return report(name, nodes[name] ?? HouseNodes.Node(), name == node ? own : radio)
        } + receivers.all.sorted { $0.key < $1.key }.map { Self.report($0, $1, at: now) }
    }

    private static func report(_ name: String, _ receiver: ForeignReceiver, at now: Int64) -> NodeReport {
        NodeReport(
            name: name, online: !receiver.isAway, room: receiver.place.room,
            radio: .init(
                away: receiver.isAway,
                rate: receiver.isAway ? 0 : receiver.rate.value(at: now).rounded(digits: 2), share: receiver.share ?? 1,
                lost: receiver.lost, late: 0, age: receiver.lastSign.map { age($0, at: now) } ?? 0),
            receiver: .init(
                make: receiver.make.title, name: receiver.name,
                interval: receiver.intervals.median.map { Nanoseconds.seconds($0).rounded(digits: 1) },
                scans: receiver.share?.rounded(digits: 2), deaf: receiver.isDeaf(at: now),
                offset: receiver.place.offset, rejected: receiver.rejected.byReason))
    }

    private static func age(_ time: Int64, at now: Int64) -> Double {
        Nanoseconds.seconds(max(0, now.subtractingClamped(time))).rounded(digits: 1)
    }

    private func report(_ name: String, _ known: HouseNodes.Node, _ radio: NodeReport.Radio?) -> NodeReport {
        return NodeReport(
            name: name, online: known.isOnline, room: known.card?.room, version: known.card?.version,
            since: known.card?.since, listening: known.scanner?.ok, adapter: known.scanner?.adapter,
            reason: known.scanner?.reason, kind: known.card?.kind, radio: radio)
    }

    func publishedRegion(_ identifier: String) -> RegionValue? {
        guard !isRadio else { return publishedRegions[TopicName(identifier).level] }
        return election.isDeciding ? states[identifier] : nil
    }
}

extension [ReceiverRejection: UInt64] {
    fileprivate var byReason: [String: UInt64] {
        Dictionary<String, UInt64>(map { ($0.key.rawValue, $0.value) }, uniquingKeysWith: { first, _ in first })
    }
}
