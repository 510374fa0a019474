import OkaeriEvents
import OkaeriMQTT
import OkaeriPlumbing
import OkaeriReceivers

/// The receivers of other makes.
extension BrokerCore {
    /// The time between two publications of the receivers' figures, and the seconds for which the broker retains them.
    private static let (interval, expiry) = (60 * Nanoseconds.second, UInt32(900))

    /// Whether their receptions reach this node's engine.
    private var usesReceivers: Bool { isStandby || (isHub && election.isDeciding) }

    /// Handles a message. Returns `nil` for a message that no receiver publishes.
    mutating func receiverMessageReceived(_ message: MQTTMessage, at now: Int64) -> [Output]? {
        guard !receivers.isEmpty else { return nil }
        let (nodes, own) = (nodes, node)
        guard let effects = receivers.received(message, at: now, isTaken: { nodes[$0] != nil || $0 == own }) else {
            return nil
        }
        let outputs = effects.flatMap { effect -> [Output] in
            switch effect {
            case .left(let name): [.radioLost(name)] + receiverPublished(name, at: now)
            case .removed(let name): receiverForgotten(name)
            case .displaced(let name): receiverCleared(name)
            case .found(let name): devicesChanged(at: now) + receiverPublished(name, at: now)
            case .returned(let name): receiverPublished(name, at: now)
            }
        }
        return outputs
    }

    /// Handles the passing of time.
    mutating func receiversAdvanced(to now: Int64) -> [Output] {
        let (reports, away) = receivers.advance(to: now)
        var outputs: [Output] = []
        if usesReceivers { outputs = reports.map { .reported(radio: $0.name, $0.report) } }
        outputs += away.flatMap { [.radioLost($0)] + receiverPublished($0, at: now) }
        let isDue = receivers.publishedAt.map { now >= $0.addingClamped(Self.interval) } ?? false
        return isDue ? outputs + receiversPublished(at: now) : outputs
    }

    /// Removes a receiver, and its topics.
    mutating func receiverForgotten(_ name: String) -> [Output] {
        let gone = topics(of: name) + regions.compactMap { discovery?.part(region: $0.level, node: name).topic }
        return (isHolding ? gone.map { .publish(.clearing($0)) } : []) + radioRemoved(name)
    }

    /// Clears the topics of a receiver itself; those of a node of its name stay.
    private func receiverCleared(_ name: String) -> [Output] {
        isHolding ? topics(of: name).map { .publish(.clearing($0)) } : []
    }

    /// Removes the receivers that other settings do not use, and their topics.
    mutating func receiversForgotten(unusedBy settings: [ReceiverSettings]) -> [Output] {
        let next = ForeignReceivers(settings)
        return receivers.names.filter { !next.mayHave($0) }.flatMap { receiverForgotten($0) }
    }

    private func topics(of receiver: String) -> [String] {
        [topics.receiver(receiver)] + [discovery?.receiver(receiver, make: "", room: nil).topic].compactMap(\.self)
    }

    /// The topics that this hub publishes for its receivers.
    var receiverTopics: [String] { receivers.names.flatMap(topics(of:)) }

    /// Publishes what the receivers do, as far as it has changed.
    mutating func receiversPublished(at now: Int64) -> [Output] {
        guard isHolding, !receivers.isEmpty else { return [] }
        receivers.published(at: now)
        return receivers.names.flatMap { receiverPublished($0, at: now) }
    }

    private func receiverPublished(_ name: String, at now: Int64) -> [Output] {
        guard isHolding, let receiver = receivers[name] else { return [] }
        let device = discovery?.receiver(name, make: receiver.make.title, room: receiver.place.room)
        let value = MQTTPublication.value(
            topics.receiver(name), receiver.payload(at: now).utf8, expiry: Self.expiry, isRefreshed: true)
        return [.publish(value)] + (device.map { [announce($0)] } ?? [])
    }
}

extension ForeignReceiver {
    /// The figures for Home Assistant, as JSON.
    fileprivate func payload(at now: Int64) -> String {
        let interval = intervals.median.map { Nanoseconds.seconds($0).rounded(digits: 1) }
        let count = rejected.values.reduce(UInt64(0)) { $0.addingReportingOverflow($1).partialValue }
        return [
            EventField("online", .flag(!isAway)), Wire.text("make", make.title), Wire.text("name", name),
            Wire.text("room", place.room),
            EventField("receptions", .number(isAway ? 0 : (60 * rate.value(at: now)).rounded())),
            Wire.number("interval", interval), EventField("rejected", .integer(Int(clamping: count))),
        ].json
    }
}
