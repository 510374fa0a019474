import OkaeriTestSupport

@testable import OkaeriMQTT

/// A session with times in seconds, and a broker whose answers the test gives.
struct Scene {
    var session: MQTTSession
    var now = 0.0
    /// The payloads of the events that the owner knows to be acknowledged, in order.
    private(set) var acknowledged: [String] = []

    init(_ change: (inout MQTTSettings) -> Void = { _ in }) {
        var settings = MQTTSettings(
            broker: .init(host: "broker", port: 1883), clientID: "okaeri-home-hall",
            lastWill: .init(topic: "status", payload: Array("offline".utf8)))
        change(&settings)
        session = MQTTSession(settings) { 0 }
    }

    /// Returns the actions of the session at this time, until it waits; that is the last of them.
    mutating func actions(at time: Double? = nil, _ events: MQTTSession.Event...) -> [MQTTSession.Action] {
        now = time ?? now
        for event in events { session.handle(event, at: nanoseconds(now)) }
        var actions: [MQTTSession.Action] = []
        while true {
            let action = session.next(at: nanoseconds(now))
            if case .acknowledged(let event) = action {
                acknowledged.append(String(decoding: event.payload, as: UTF8.self))
                continue
            }
            actions.append(action)
            switch action {
            case .wait, .end: return actions
            default: continue
            }
        }
    }

    /// Returns the actions as texts: `value a=1`, `subscribe b`, `wait 3.5`.
    mutating func steps(at time: Double? = nil, _ events: MQTTSession.Event...) -> [String] {
        now = time ?? now
        for event in events { session.handle(event, at: nanoseconds(now)) }
        return actions().map(Self.text)
    }

    /// Answers all messages in flight, and those that follow, and returns the actions.
    mutating func settle() -> [String] {
        var steps: [String] = []
        while let token = session.inFlight.keys.min() {
            steps += self.steps(.answered(token, reason: 0)).filter { !$0.hasPrefix("wait") }
        }
        return steps
    }

    /// Connects the session, and returns what it sends.
    mutating func connect(at time: Double? = nil) -> [String] {
        now = time ?? now
        _ = actions(.started)
        let sent = steps(.opened, .connected).filter { !$0.hasPrefix("wait") }
        return sent + settle()
    }

    static func text(_ action: MQTTSession.Action) -> String {
        switch action {
        case .connect: "connect"
        case .publish(let publication, _):
            "\(publication.isRetained ? "value" : "event") \(publication.topic)="
                + String(decoding: publication.payload, as: UTF8.self)
        case .subscribe(let filter, _): "subscribe \(filter)"
        case .narrow(let filter, _): "narrow \(filter)"
        case .unsubscribe(let filter, _): "unsubscribe \(filter)"
        case .acknowledged(let event): "acknowledged \(event.topic)"
        case .disconnect: "disconnect"
        case .cut: "cut"
        case .note(let sentence): "note \(sentence)"
        case .wait(let until): until.map { "wait \(Double($0) / 1e9)" } ?? "wait"
        case .end: "end"
        }
    }
}

extension MQTTSession.Event {
    static func value(_ topic: String, _ text: String, refreshed: Bool = false) -> Self {
        .published(.value(topic, text.utf8, isRefreshed: refreshed))
    }

    static func event(_ topic: String, _ text: String, quality: MQTTPublication.QualityOfService = .atLeastOnce) -> Self
    {
        .published(.event(topic, text.utf8, quality: quality))
    }
}
