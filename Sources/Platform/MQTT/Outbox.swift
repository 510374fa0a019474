import OkaeriPlumbing

/// The messages to send, in order: subscriptions, the latest value of each topic, events. Bounded, whatever the broker
/// does.
struct Outbox: Sendable {
    /// One thing to send.
    enum Item: Sendable, Equatable {
        case subscribe(String)
        /// Ends the delivery of this client's own messages to a subscription.
        case narrow(String)
        case unsubscribe(String)
        case publish(MQTTPublication)
    }

    /// The latest value of a topic.
    private struct Value: Sendable {
        var publication: MQTTPublication
        /// In what order the topics were first given.
        let rank: Int
        /// Whether it has to be sent: as soon as the queue comes to it, or the broker has answered.
        var isDue = false
        /// Whether it has an entry in the queue: one at most.
        var isQueued = false
        var isInFlight = false
        /// Whether it is forgotten once it is sent: it is another client's.
        var isReleased = false
    }

    private struct Event: Sendable {
        let publication: MQTTPublication
        let time: Int64
    }

    private enum Entry: Sendable {
        /// To be subscribed or unsubscribed, whatever is wanted then.
        case filter(String)
        case narrowing(String)
        case value(topic: String)
        case event(Event)
    }

    private let limits: MQTTSettings.Limits
    private var values: [String: Value] = [:]
    private var filters: [String: Int] = [:]
    /// The filters to which this client's own messages are not delivered.
    private var narrowFilters: Set<String> = []
    private var dueFilters: Set<String> = []
    private var ranks = 0

    /// The queue, and the events that wait for the gate.
    private var queue = Fifo<Entry>()
    private var backlog = Fifo<Event>()
    /// The numbers of events in `queue` with the quality of service 1, and with 0: measurements that are outdated soon.
    private var queuedEvents = 0
    private var queuedMeasurements = 0
    private var measurementBytes = 0
    /// The topic that marks the values as valid, such as `online`. Events are sent behind it; `nil` to send them at once.
    private let gate: String?
    /// Whether the gate's value was sent over this connection.
    private var isOpen = false

    /// Events that wait for an answer, for the case that none comes.
    private var unanswered: [UInt64: Event] = [:]

    /// The number of publications dropped since the last report.
    private var dropped = 0

    init(_ limits: MQTTSettings.Limits, gate: String?) {
        self.limits = limits
        self.gate = gate
    }

    var isEmpty: Bool { queue.isEmpty && backlog.isEmpty }

    /// The number of topics with a value.
    var topicCount: Int { values.count }

    mutating func takeDropped() -> Int {
        defer { dropped = 0 }
        return dropped
    }

    // MARK: - From the owner

    mutating func add(_ publication: MQTTPublication, at now: Int64, isConnected: Bool) {
        guard publication.isRetained else {
            if isConnected || publication.quality == .atLeastOnce { add(Event(publication: publication, time: now)) }
            return
        }
        let topic = publication.topic
        guard var value = values[topic] else {
            // A topic that has no value here may have one at the broker: it is cleared there.
            guard values.count < limits.topics else {
                dropped += 1
                return
            }
            ranks += 1
            values[topic] = Value(publication: publication, rank: ranks)
            return makeDue(topic, isConnected)
        }
        value.isReleased = false
        guard value.publication != publication else {
            values[topic] = value
            return
        }
        value.publication = publication
        values[topic] = value
        makeDue(topic, isConnected)
    }

    /// Gives the topic up to another client.
    mutating func release(_ topic: String) {
        if !backlog.isEmpty { backlog.replace(with: backlog.contents.filter { $0.publication.topic != topic }) }
        guard let value = values[topic] else { return }
        if value.isDue || value.isInFlight { values[topic]?.isReleased = true } else { values[topic] = nil }
    }

    private mutating func add(_ event: Event) {
        let isMeasurement = event.publication.quality == .atMostOnce
        guard isOpen, backlog.isEmpty else {
            // It is outdated when the gate opens, and would replace an event.
            if isMeasurement { return }
            if backlog.count >= limits.events {
                _ = backlog.popFirst()
                dropped += 1
            }
            return backlog.append(event)
        }
        let size = event.publication.payload.count
        let hasRoom =
            isMeasurement
            ? queuedMeasurements < limits.measurements && measurementBytes + size <= limits.measurementBytes
            : queuedEvents < limits.events
        guard hasRoom else {
            dropped += 1
            return
        }
        if isMeasurement {
            (queuedMeasurements, measurementBytes) = (queuedMeasurements + 1, measurementBytes + size)
        } else {
            queuedEvents += 1
            sendWaiting()
        }
        queue.append(.event(event))
    }

    /// Sends the values that wait for the answer to an earlier one of their topic: an event must not overtake the state that it
    /// follows.
    private mutating func sendWaiting() {
        let waiting = values.filter { $0.value.isDue && !$0.value.isQueued }
        for topic in inOrder(waiting.mapValues(\.rank)) { enqueue(topic) }
    }

    private mutating func enqueue(_ topic: String) {
        guard values[topic]?.isQueued == false else { return }
        values[topic]?.isQueued = true
        queue.append(.value(topic: topic))
    }

    private mutating func makeDue(_ topic: String, _ isConnected: Bool) {
        guard isConnected, var value = values[topic], !value.isDue else { return }
        value.isDue = true
        values[topic] = value
        if !value.isInFlight { enqueue(topic) }
    }

    mutating func subscribe(_ filter: String, isNarrow: Bool, isConnected: Bool) {
        guard filters[filter] == nil else { return }
        if isNarrow { narrowFilters.insert(filter) }
        ranks += 1
        filters[filter] = ranks
        if isConnected { makeDue(filter: filter) }
    }

    mutating func unsubscribe(_ filter: String, isConnected: Bool) {
        narrowFilters.remove(filter)
        guard filters.removeValue(forKey: filter) != nil, isConnected else { return }
        makeDue(filter: filter)
    }

    /// Sends every subscription again.
    mutating func subscribeAgain() {
        for filter in inOrder(filters) { makeDue(filter: filter) }
    }

    /// Handles that the broker has accepted a subscription. Only then it is narrowed: the broker may take a value that this client has
    /// retained in an earlier connection for its own message as well.
    mutating func subscribed(_ filter: String) {
        if narrowFilters.contains(filter), !dueFilters.contains(filter) { queue.append(.narrowing(filter)) }
    }

    private mutating func makeDue(filter: String) {
        if dueFilters.insert(filter).inserted { queue.append(.filter(filter)) }
    }

    // MARK: - Connections

    /// A connection begins: everything is sent, whatever the broker may still know.
    mutating func begin() {
        isOpen = gate == nil
        subscribeAgain()
        sendAnew { _ in true }
    }

    /// Values are sent once more.
    mutating func sendAnew(where isWanted: (MQTTPublication) -> Bool) {
        let wanted = values.filter { isWanted($0.value.publication) }
        for topic in inOrder(wanted.mapValues(\.rank)) where topic != gate { makeDue(topic, true) }
        if let gate, wanted[gate] != nil { makeDue(gate, true) }
    }

    /// The connection is gone, and with it what was not answered: values are sent with the next one anyway.
    mutating func end() {
        isOpen = false
        let waiting = queue.contents.compactMap { if case .event(let event) = $0 { event } else { nil } }
        let events = (unanswered.sorted { $0.key < $1.key }.map(\.value) + backlog.contents + waiting)
            .filter { $0.publication.quality == .atLeastOnce }
        let kept = events.suffix(limits.events)
        dropped += events.count - kept.count
        unanswered = [:]
        backlog.replace(with: Array(kept))
        queue.replace(with: [])
        (queuedEvents, queuedMeasurements, measurementBytes, dueFilters) = (0, 0, 0, [])
        values = values.filter { !$0.value.isReleased }
        for topic in values.keys {
            values[topic]?.isDue = false
            values[topic]?.isQueued = false
            values[topic]?.isInFlight = false
        }
    }

    private func inOrder(_ ranks: [String: Int]) -> [String] {
        ranks.sorted { $0.value < $1.value }.map(\.key)
    }

    // MARK: - To the broker

    /// Returns the next message to send; `nil` if there is none. The broker's answer comes under the token.
    mutating func next(at now: Int64, token: UInt64) -> Item? {
        while let entry = popFirst() {
            switch entry {
            case .filter(let filter):
                dueFilters.remove(filter)
                return filters[filter] == nil ? .unsubscribe(filter) : .subscribe(filter)
            case .narrowing(let filter):
                // It is not narrowed before the broker has accepted it again.
                if narrowFilters.contains(filter), !dueFilters.contains(filter) { return .narrow(filter) }
            case .value(let topic):
                guard let publication = take(topic) else { continue }
                return .publish(publication)
            case .event(let event):
                guard now.subtractingClamped(event.time) <= limits.eventAge.clampedNanoseconds else {
                    dropped += 1
                    continue
                }
                unanswered[token] = event
                return .publish(event.publication)
            }
        }
        return nil
    }

    private mutating func popFirst() -> Entry? {
        guard let entry = queue.popFirst() else { return isOpen ? backlog.popFirst().map(Entry.event) : nil }
        if case .event(let event) = entry {
            if event.publication.quality == .atMostOnce {
                (queuedMeasurements, measurementBytes) =
                    (queuedMeasurements - 1, measurementBytes - event.publication.payload.count)
            } else {
                queuedEvents -= 1
            }
        }
        return entry
    }

    private mutating func take(_ topic: String) -> MQTTPublication? {
        values[topic]?.isQueued = false
        guard var value = values[topic], value.isDue else { return nil }
        (value.isDue, value.isInFlight) = (false, true)
        values[topic] = value
        if topic == gate {
            isOpen = true
            sendWaiting()
        }
        return value.publication
    }

    /// Returns the token of an unanswered event that the broker delivered to its own sender: it was received, though the
    /// acknowledgement may be lost.
    func token(of message: MQTTMessage) -> UInt64? {
        guard !message.isRetained else { return nil }
        return unanswered.first {
            $0.value.publication.topic == message.topic && $0.value.publication.payload == message.payload
        }?.key
    }

    /// The broker has answered, or what was to be sent cannot be.
    mutating func answered(_ token: UInt64, _ item: Item) {
        unanswered[token] = nil
        guard case .publish(let publication) = item, publication.isRetained, var value = values[publication.topic]
        else {
            return
        }
        value.isInFlight = false
        values[publication.topic] = value
        if value.isDue {
            enqueue(publication.topic)
        } else if value.publication.payload.isEmpty || value.isReleased {
            values[publication.topic] = nil
        }
    }
}
