import OkaeriPlumbing

/// Decides when to connect, what to send and how to handle the answers: without a socket, a thread or a clock of its
/// own.
///
/// It is given what happens, and asked with ``next(at:)`` what to do, until that is to wait. All times are nanoseconds
/// of one monotonic clock.
struct MQTTSession: Sendable {
    /// The events of the session.
    enum Event: Sendable {
        /// The owner wants a connection from now on.
        case started
        /// The owner wants no connection any more.
        case stopped
        /// The owner does not return under this name: a stop empties the topic of the last will.
        case abandoned
        /// The owner has something to publish.
        case published(MQTTPublication)
        /// Another client has published a value in the topic.
        case overwritten(topic: String)
        /// The owner does not write this topic any more.
        case released(topic: String)
        /// Messages to these topics are wanted, or no more; a filter as in MQTT 5.0, 4.7.
        case subscribed(String)
        /// The same without the messages of this client.
        case subscribedToOthers(String)
        case unsubscribed(String)
        /// Every subscription is to be made again.
        case subscriptionsWanted
        /// A subscriber has lost the values: all are sent again, within three seconds.
        case announcementWanted
        /// There is a connection to the broker's port: now it must answer.
        case opened
        /// The broker has taken this client (CONNACK).
        case connected
        /// There is no connection, or none any more.
        case lost(MQTTLoss)
        /// The broker has answered what was sent under this token (PUBACK, SUBACK, UNSUBACK).
        case answered(UInt64, reason: UInt8)
        /// This cannot be sent, now or ever; a number of libmosquitto.
        case unsendable(UInt64, code: Int32)
        /// The broker has delivered a message.
        case delivered(MQTTMessage)
        /// A message was too large or its topic no text, and was dropped.
        case refused(topic: String, bytes: Int)
    }

    /// The actions to take.
    enum Action: Sendable, Equatable {
        case connect
        case publish(MQTTPublication, token: UInt64)
        case subscribe(String, token: UInt64)
        /// Subscribes again to a filter, without the messages of this client, and without the retained ones.
        case narrow(String, token: UInt64)
        case unsubscribe(String, token: UInt64)
        /// Sends DISCONNECT, so that the broker does not publish the last will.
        case disconnect
        /// Gives the connection up, as if it were cut.
        case cut
        /// Reports that the broker has an event.
        case acknowledged(MQTTPublication)
        /// A sentence for the log.
        case note(String)
        /// Nothing until then, or until something happens; nil: until something happens.
        case wait(until: Int64?)
        /// It is over; a connection that is still there is cut.
        case end
    }

    enum Phase: Sendable, Equatable {
        case idle
        case waiting(until: Int64)
        /// The time by which the broker must have answered; nil while there is no connection to its port.
        case connecting(deadline: Int64?)
        case connected(since: Int64)
        case stopping(deadline: Int64)
        case stopped
    }

    struct Sent: Sendable {
        let item: Outbox.Item
        let time: Int64
    }

    /// The duration from which on a connection counts as steady, and the number of shorter ones that are more than
    /// chance.
    private static let steady = Duration.seconds(60)
    private static let suspiciousBreaks = 4
    /// The duration from which on a connection shows that the broker works, though it may be restarted several times.
    private static let useful = Duration.seconds(5)

    let settings: MQTTSettings
    let chance: @Sendable () -> Double

    var phase = Phase.idle { didSet { stateNumber &+= 1 } }
    var outbox: Outbox
    var inFlight: [UInt64: Sent] = [:]
    /// The events that the broker has acknowledged, and the owner does not know of yet.
    private var acknowledged = Fifo<MQTTPublication>()
    var notices: Notices
    private var tokens: UInt64 = 0
    private var backOff: BackOff
    private var problem: BrokerProblem? { didSet { stateNumber &+= 1 } }
    private var since: Int64? { didSet { stateNumber &+= 1 } }
    private var lastLoss: BrokerState.Loss? { didSet { stateNumber &+= 1 } }
    private(set) var refusals: [BrokerState.Refusal] = [] { didSet { stateNumber &+= 1 } }
    /// A number that changes with ``state``.
    private(set) var stateNumber: UInt64 = 0
    /// The number of connections in a row that broke soon.
    private var breaks = 0
    /// Whether the broker has accepted a message or a subscription over this connection.
    private var isServed = false
    private var isLastWordSent = false
    private var isAbandoned = false
    private var announceAt: Int64?
    private var refreshAt: Int64 = .max

    /// - Parameter chance: a number from 0 to 1, another one each time.
    init(_ settings: MQTTSettings, chance: @escaping @Sendable () -> Double = { .random(in: 0..<1) }) {
        self.settings = settings
        self.chance = chance
        outbox = Outbox(settings.limits, gate: settings.gate)
        notices = Notices()
        backOff = BackOff(settings.limits.firstDelay, limit: settings.limits.longestDelay)
    }

    /// The state of the connection.
    var state: BrokerState {
        BrokerState(
            broker: settings.broker, clientID: settings.clientID, phase: statePhase, refusals: refusals, since: since,
            lastLoss: lastLoss)
    }

    private var statePhase: BrokerState.Phase {
        switch phase {
        case .connected(let since): .connected(since: since)
        case .idle, .waiting, .connecting: problem.map { .failed($0) } ?? .connecting
        case .stopping, .stopped: .stopped
        }
    }

    var isConnected: Bool { if case .connected = phase { true } else { false } }

    // MARK: - Events

    mutating func handle(_ event: Event, at now: Int64) {
        switch event {
        case .started:
            guard phase == .idle else { return }
            (phase, since) = (.waiting(until: now), now)
        case .stopped: stop(at: now)
        case .abandoned: isAbandoned = true
        case .published(let publication): outbox.add(publication, at: now, isConnected: isConnected)
        case .overwritten(let topic): if isConnected { outbox.sendAnew { $0.topic == topic } }
        case .released(let topic): outbox.release(topic)
        case .subscribed(let filter): outbox.subscribe(filter, isNarrow: false, isConnected: isConnected)
        case .subscribedToOthers(let filter): outbox.subscribe(filter, isNarrow: true, isConnected: isConnected)
        case .unsubscribed(let filter): outbox.unsubscribe(filter, isConnected: isConnected)
        case .subscriptionsWanted: if isConnected { outbox.subscribeAgain() }
        case .announcementWanted:
            if isConnected, announceAt == nil { announceAt = later(now, .seconds(3), share: chance()) }
        case .opened:
            if case .connecting = phase { phase = .connecting(deadline: later(now, settings.limits.answer)) }
        case .connected: connected(at: now)
        case .lost(let loss): lose(BrokerProblem(loss, broker: settings.broker, wasConnected: isConnected), at: now)
        case .answered(let token, let reason): answered(token, reason)
        case .unsendable(let token, let code): unsendable(token, code)
        case .delivered(let message): if let token = outbox.token(of: message) { answered(token, 0) }
        case .refused(let topic, let bytes): notices.refused(topic: topic, bytes: bytes)
        }
    }

    private func later(_ now: Int64, _ duration: Duration, share: Double = 1) -> Int64 {
        now.addingClamped((duration * min(max(share, 0), 1)).clampedNanoseconds)
    }

    private mutating func connected(at now: Int64) {
        guard case .connecting = phase else { return }
        (phase, since) = (.connected(since: now), now)
        (problem, refusals, inFlight, announceAt, isServed) = (nil, [], [:], nil, false)
        // Spread: a broker that comes back has all clients at the same moment.
        refreshAt = later(now, settings.limits.refresh, share: 0.5 + chance() / 2)
        outbox.begin()
    }

    private mutating func lose(_ problem: BrokerProblem, at now: Int64) {
        switch phase {
        case .connecting: break
        case .connected(let since):
            self.since = now
            let duration = now.subtractingClamped(since)
            breaks = duration >= Self.steady.clampedNanoseconds ? 0 : breaks + 1
            // The intervals go on growing after a connection of moments, or one over which the broker accepted nothing.
            if breaks == 0 || (isServed && duration >= Self.useful.clampedNanoseconds) { backOff.reset() }
        case .stopping:
            phase = .stopped
            return
        default: return
        }
        inFlight = [:]
        outbox.end()
        // Mosquitto acknowledges a message that is too large with the reason, and then closes the connection without one.
        let limit = problem == .lost ? refusals.lazy.compactMap { BrokerProblem(limit: $0.code) }.first : nil
        let problem = limit ?? problem
        // Mosquitto before 2.0.12 does not report that another client of the same name has connected.
        let cause = problem == .lost && breaks >= Self.suspiciousBreaks ? .unsteady : problem
        self.problem = cause
        lastLoss = BrokerState.Loss(problem: cause, time: now)
        let next = backOff.next()
        let delay =
            problem == .twin
            ? settings.limits.twinDelay : problem.isOutage ? min(next, settings.limits.outageDelay) : next
        phase = .waiting(until: later(now, delay, share: 1 - chance() / 2))
    }

    private mutating func answered(_ token: UInt64, _ reason: UInt8) {
        guard let sent = ended(token) else { return }
        // Below 0x80 it is not an error (MQTT 5.0, 2.4): there is no subscriber, for example.
        guard reason < 0x80 else { return refuse(BrokerState.Refusal(sent.item, reason: reason)) }
        isServed = true
        if case .subscribe(let filter) = sent.item { outbox.subscribed(filter) }
    }

    /// Handles that nothing more is expected for what was sent under a token.
    private mutating func ended(_ token: UInt64) -> Sent? {
        guard let sent = inFlight.removeValue(forKey: token) else { return nil }
        outbox.answered(token, sent.item)
        if case .publish(let event) = sent.item, !event.isRetained, event.quality == .atLeastOnce {
            acknowledged.append(event)
        }
        return sent
    }

    private mutating func unsendable(_ token: UInt64, _ code: Int32) {
        guard let sent = ended(token) else { return }
        refuse(BrokerState.Refusal(sent.item, code: code))
    }

    private mutating func refuse(_ refusal: BrokerState.Refusal) {
        guard refusals.count < BrokerState.refusalLimit, !refusals.contains(refusal) else { return }
        refusals.append(refusal)
    }

    private mutating func stop(at now: Int64) {
        switch phase {
        case .connected:
            phase = .stopping(deadline: later(now, settings.limits.stop))
        case .stopping, .stopped: break
        case .idle, .waiting, .connecting: phase = .stopped
        }
    }

    // MARK: - Actions

    /// Returns the next action. To be asked again until it is to wait, or it is over.
    mutating func next(at now: Int64) -> Action {
        if let event = acknowledged.popFirst() { return .acknowledged(event) }
        if let note = notices.next(at: now, dropped: &outbox) { return .note(note) }
        switch phase {
        case .idle: return .wait(until: nil)
        case .waiting(let until):
            guard now >= until else { return .wait(until: until) }
            phase = .connecting(deadline: nil)
            return .connect
        case .connecting(let deadline):
            guard let deadline, now >= deadline else { return .wait(until: deadline) }
            return cut(.silent, at: now)
        case .connected: return nextWhileConnected(at: now)
        case .stopping(let deadline): return nextWhileStopping(deadline, at: now)
        case .stopped: return .end
        }
    }

    private mutating func cut(_ problem: BrokerProblem, at now: Int64) -> Action {
        lose(problem, at: now)
        return .cut
    }

    private mutating func nextWhileConnected(at now: Int64) -> Action {
        let limit = settings.limits.answer.clampedNanoseconds
        let oldest = inFlight.isEmpty ? nil : inFlight.values.lazy.map(\.time).min()
        if let oldest, now.subtractingClamped(oldest) >= limit { return cut(.unanswered, at: now) }
        if now >= refreshAt {
            refreshAt = later(now, settings.limits.refresh)
            outbox.sendAnew { $0.isRefreshed }
        }
        if let due = announceAt, now >= due {
            announceAt = nil
            outbox.sendAnew { !$0.payload.isEmpty }
        }
        if let action = send(at: now) { return action }
        let answer = oldest?.addingClamped(limit) ?? .max
        return .wait(until: min(refreshAt, announceAt ?? .max, answer, notices.due ?? .max))
    }

    private mutating func send(at now: Int64) -> Action? {
        guard inFlight.count < settings.limits.inFlight, let item = outbox.next(at: now, token: tokens + 1) else {
            return nil
        }
        return send(item, at: now)
    }

    private mutating func send(_ item: Outbox.Item, at now: Int64) -> Action {
        tokens += 1
        inFlight[tokens] = Sent(item: item, time: now)
        switch item {
        case .subscribe(let filter): return .subscribe(filter, token: tokens)
        case .narrow(let filter): return .narrow(filter, token: tokens)
        case .unsubscribe(let filter): return .unsubscribe(filter, token: tokens)
        case .publish(let publication): return .publish(publication, token: tokens)
        }
    }

    /// The queue is sent, then the last will; then the client disconnects, in order if the broker has answered
    /// everything.
    private mutating func nextWhileStopping(_ deadline: Int64, at now: Int64) -> Action {
        if now < deadline {
            if !isLastWordSent, let action = send(at: now) { return action }
            if let lastWill = settings.lastWill, !isLastWordSent, inFlight.count < settings.limits.inFlight {
                isLastWordSent = true
                let last = isAbandoned ? .clearing(lastWill.topic) : lastWill.publication
                return send(.publish(last), at: now)
            }
            if !inFlight.isEmpty { return .wait(until: deadline) }
        }
        phase = .stopped
        return inFlight.isEmpty ? .disconnect : .cut
    }
}
