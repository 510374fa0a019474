import OkaeriTestSupport
import Testing

@testable import OkaeriMQTT

/// The session alone, at fixed times.
struct MQTTSessionTests {
    @Test func `a session connects and sends all in order`() {
        var scene = Scene { $0.gate = "status" }
        #expect(scene.steps() == ["wait"])
        let events: [MQTTSession.Event] = [
            .value("status", "online"), .value("b", "1"), .subscribed("answer/#"), .value("a", "2"),
            .event("event", "enter"), .value("b", "3"),
        ]
        for event in events { #expect(scene.steps(event) == ["wait"]) }
        #expect(scene.steps(.started) == ["connect", "wait"])
        #expect(scene.steps(at: 5, .opened) == ["wait 25.0"])
        #expect(
            scene.steps(at: 6, .connected)
                == [
                    "subscribe answer/#", "value b=3", "value a=2", "value status=online", "event event=enter",
                    "wait 26.0",
                ])
        // All is answered: only the refreshing is waited for.
        #expect(scene.settle().isEmpty)
        #expect(scene.steps() == ["wait 156.0"])
        #expect(scene.session.state.phase == .connected(since: 6_000_000_000))
    }

    @Test func `only the latest value of a topic is sent, one at a time`() {
        var scene = Scene()
        _ = scene.connect()
        #expect(scene.steps(.value("a", "1")) == ["value a=1", "wait 20.0"])
        for text in ["2", "3", "4"] { #expect(scene.steps(.value("a", text)) == ["wait 20.0"]) }
        #expect(scene.settle() == ["value a=4"])
        // What the broker has is not sent again.
        #expect(scene.steps(.value("a", "4")) == ["wait 150.0"])
    }

    @Test func `an event does not overtake a value whose topic waits for an answer`() {
        var scene = Scene()
        _ = scene.connect()
        _ = scene.steps(.value("a", "1"))
        #expect(
            scene.steps(.value("a", "2"), .event("event", "enter")) == ["value a=2", "event event=enter", "wait 20.0"])
        #expect(scene.settle() == [])
    }

    @Test func `the number of unanswered messages is limited`() {
        var scene = Scene { $0.limits.inFlight = 2 }
        _ = scene.connect()
        let events = (1...5).map { MQTTSession.Event.value("topic\($0)", "1") }
        for event in events { scene.session.handle(event, at: 0) }
        #expect(scene.steps() == ["value topic1=1", "value topic2=1", "wait 20.0"])
        #expect(scene.settle() == ["value topic3=1", "value topic4=1", "value topic5=1"])
    }

    @Test func `values are sent again after a connection, and no old events`() {
        var scene = Scene()
        _ = scene.connect()
        _ = scene.steps(.value("a", "1"), .event("event", "unanswered"))
        #expect(scene.steps(at: 10, .lost(MQTTLoss(code: 7))) == ["wait 11.0"])
        #expect(scene.session.state.phase == .failed(.lost))
        _ = scene.steps(at: 10, .event("event", "offline"), .event("ranging", "1", quality: .atMostOnce))
        #expect(scene.steps(at: 11) == ["connect", "wait"])
        #expect(scene.connect(at: 12) == ["value a=1", "event event=unanswered", "event event=offline"])
        // A minute later they would be out of date.
        _ = scene.steps(at: 20, .lost(MQTTLoss(code: 7)), .event("event", "old"))
        _ = scene.steps(at: 30, .event("event", "young"))
        let sent = scene.connect(at: 81)
        #expect(sent.contains("event event=young") && !sent.contains("event event=old"))
        #expect(sent.contains { $0.hasPrefix("note 1 MQTT message(s) not sent") })
    }

    @Test func `a limited number of events is kept, the latest`() {
        var scene = Scene { $0.limits.events = 3 }
        for number in 1...100_000 { scene.session.handle(.event("event", "\(number)"), at: 0) }
        #expect(scene.steps().first?.hasPrefix("note 99997 MQTT message(s) not sent") == true)
        #expect(scene.connect() == ["event event=99998", "event event=99999", "event event=100000"])
    }

    @Test func `measurements do not take the place of events`() {
        var scene = Scene {
            ($0.limits.events, $0.limits.measurements, $0.limits.inFlight) = (2, 3, 1)
        }
        _ = scene.connect()
        _ = scene.steps(.value("a", "1"))
        for number in 1...5 { scene.session.handle(.event("ranging", "\(number)", quality: .atMostOnce), at: 0) }
        for number in 1...2 { scene.session.handle(.event("event", "\(number)"), at: 0) }
        #expect(scene.steps().first?.hasPrefix("note 2 MQTT message(s) not sent") == true)
        #expect(
            scene.settle() == [
                "event ranging=1", "event ranging=2", "event ranging=3", "event event=1", "event event=2",
            ])
    }

    @Test func `measurements that wait have a bound in bytes`() {
        var scene = Scene { ($0.limits.measurementBytes, $0.limits.inFlight) = (250, 1) }
        _ = scene.connect()
        _ = scene.steps(.value("a", "1"))
        let large = String(repeating: "x", count: 100)
        for _ in 1...4 { scene.session.handle(.event("heard", large, quality: .atMostOnce), at: 0) }
        #expect(scene.steps().first?.hasPrefix("note 2 MQTT message(s) not sent") == true)
        #expect(scene.settle().count == 2)
        // What is sent makes room.
        scene.session.handle(.event("heard", large, quality: .atMostOnce), at: 0)
        #expect(scene.steps().first == "event heard=\(large)")
    }

    @Test func `a limited number of topics is kept`() {
        var scene = Scene { $0.limits.topics = 10 }
        for number in 1...1000 { scene.session.handle(.value("topic\(number)", "1"), at: 0) }
        #expect(scene.session.outbox.topicCount == 10)
    }

    @Test func `a value that is cleared is forgotten`() {
        var scene = Scene()
        _ = scene.steps(
            .value("a", "1"), .value("b", "1"), .published(.clearing("a")), .published(.clearing("foreign")))
        #expect(scene.connect() == ["value a=", "value b=1", "value foreign="])
        #expect(scene.session.outbox.topicCount == 1)
        _ = scene.steps(at: 1, .lost(MQTTLoss(code: 7)))
        #expect(scene.connect(at: 60) == ["value b=1"])
    }

    /// A broker that does not run, and one that refuses the login.
    @Test(arguments: [
        (MQTTLoss(code: 14, errno: 111), BrokerProblem.refused, [5.0, 5, 5, 5, 5, 5]),
        (MQTTLoss(code: 5, reason: 0x86), .loginNeeded, [8, 15, 15, 15, 15, 15]),
    ])
    func `the delay between attempts grows`(loss: MQTTLoss, problem: BrokerProblem, later: [Double]) {
        var scene = Scene()
        _ = scene.steps(.started)
        var waits: [Double] = []
        for _ in 0..<9 {
            let before = scene.now
            guard case .wait(let until?)? = scene.actions(.lost(loss)).last else { return }
            scene.now = Double(until) / 1e9
            waits.append(scene.now - before)
            #expect(scene.session.state.phase == .failed(problem))
            #expect(scene.steps() == ["connect", "wait"])
        }
        #expect(waits == [1, 2, 4] + later)
        // Chance shortens it, by a half at most.
        var early = MQTTSession(scene.session.settings) { 1 }
        early.handle(.started, at: 0)
        _ = early.next(at: 0)
        early.handle(.lost(MQTTLoss(code: 14)), at: 0)
        #expect(early.next(at: 0) == .wait(until: 500_000_000))
    }

    @Test func `short connections do not shorten the delay`() {
        var scene = Scene()
        var waits: [Double] = []
        for _ in 0..<4 {
            _ = scene.connect(at: scene.now + 100)
            guard case .wait(let until?)? = scene.actions(.lost(MQTTLoss(code: 7))).last else { return }
            waits.append(Double(until) / 1e9 - scene.now)
        }
        #expect(waits == [1, 2, 4, 8])
        _ = scene.connect(at: scene.now + 100)
        #expect(scene.steps(at: scene.now + 61, .lost(MQTTLoss(code: 7))).last == "wait \(scene.now + 1)")
    }

    /// The delays after connections of so many seconds, each after three failed attempts.
    private func delays(after connections: [Double]) -> [Double] {
        var scene = Scene()
        _ = scene.steps(.value("a", "1"))
        return connections.compactMap { seconds in
            _ = scene.connect(at: scene.now + 100)
            guard case .wait(let until?)? = scene.actions(at: scene.now + seconds, .lost(MQTTLoss(code: 7))).last else {
                return nil
            }
            let delay = Double(until) / 1e9 - scene.now
            for _ in 0..<3 {
                _ = scene.steps(at: scene.now + 100)
                _ = scene.steps(.lost(MQTTLoss(code: 14, errno: 111)))
            }
            return delay
        }
    }

    @Test func `a client returns soon to a broker that is restarted several times`() {
        #expect(delays(after: [30, 10, 5, 70, 10, 5, 5, 5, 5]).allSatisfy { $0 == 1 })
    }

    @Test func `a broker that accepts messages and soon closes each connection is tried less and less often`() {
        #expect(delays(after: [0, 4.75, 0, 4.75]) == [1, 15, 15, 15])
    }

    @Test func `a broker that answers nothing is tried less and less often`() {
        var scene = Scene()
        var waits: [Double] = []
        _ = scene.steps(.started, .value("a", "1"))
        for _ in 0..<4 {
            _ = scene.steps(at: scene.now + 100)
            _ = scene.steps(.opened, .connected)
            guard case .wait(let until?)? = scene.actions(at: scene.now + 20).last else { return }
            waits.append(Double(until) / 1e9 - scene.now)
        }
        #expect(waits == [1, 2, 4, 8])
    }

    @Test func `the wait for an answer has a limit`() {
        var scene = Scene()
        #expect(scene.steps(.started) == ["connect", "wait"])
        #expect(scene.steps(at: 100, .opened) == ["wait 120.0"])
        #expect(scene.steps(at: 120) == ["cut", "wait 121.0"])
        #expect(scene.session.state.phase == .failed(.silent))
        _ = scene.connect(at: 121)
        #expect(scene.steps(at: 130, .value("a", "1")) == ["value a=1", "wait 150.0"])
        #expect(scene.steps(at: 150) == ["cut", "wait 152.0"])
        #expect(scene.session.state.phase == .failed(.unanswered))
    }

    @Test func `refreshed values are published again`() {
        var scene = Scene { $0.gate = "status" }
        _ = scene.steps(.value("status", "online", refreshed: true))
        _ = scene.steps(.value("config", "{}"), .value("region", "inside", refreshed: true))
        #expect(scene.connect().count == 3)
        #expect(scene.steps(at: 149) == ["wait 150.0"])
        #expect(scene.steps(at: 150) == ["value region=inside", "value status=online", "wait 170.0"])
        _ = scene.settle()
        #expect(scene.steps() == ["wait 450.0"])
    }

    @Test func `values are announced again on request`() {
        var scene = Scene { $0.gate = "status" }
        scene.session = MQTTSession(scene.session.settings) { 0.5 }
        _ = scene.steps(.value("status", "online"), .value("config", "{}"), .subscribed("answer"))
        #expect(scene.connect().count == 3)
        #expect(scene.steps(at: 10, .announcementWanted, .announcementWanted) == ["wait 11.5"])
        #expect(scene.steps(at: 11.5) == ["value config={}", "value status=online", "wait 31.5"])
    }

    /// Mosquitto with `message_size_limit`.
    @Test func `a connection that ends behind a message that is too large names the limit`() {
        var scene = Scene()
        _ = scene.connect()
        _ = scene.steps(at: 5, .value("a", "1"))
        _ = scene.steps(at: 5, .answered(1, reason: 0x95))
        _ = scene.steps(at: 5, .lost(MQTTLoss(code: 7)))
        #expect(scene.session.state.phase == .failed(.packetTooLarge))
    }

    @Test func `an event that the broker delivers to its sender is not sent again`() {
        var scene = Scene()
        _ = scene.connect()
        #expect(scene.steps(at: 5, .event("event", "enter")) == ["event event=enter", "wait 25.0"])
        _ = scene.steps(
            at: 6, .delivered(MQTTMessage(topic: "event", payload: Array("enter".utf8), isRetained: false)))
        _ = scene.steps(at: 7, .lost(MQTTLoss(code: 7)))
        #expect(!scene.connect(at: 20).contains("event event=enter"))
    }

    @Test func `the owner learns of each event that the broker has, once`() {
        var scene = Scene()
        _ = scene.connect()
        _ = scene.steps(.event("e", "1"), .event("e", "2", quality: .atMostOnce), .value("v", "3"), .event("e", "4"))
        _ = scene.settle()
        #expect(scene.acknowledged == ["1", "4"])
        // Without an answer it is sent again.
        _ = scene.steps(.event("e", "5"))
        _ = scene.steps(.lost(MQTTLoss(code: 7, errno: 0)))
        #expect(scene.acknowledged == ["1", "4"])
        #expect(scene.connect(at: 10).contains("event e=5"))
        #expect(scene.acknowledged == ["1", "4", "5"])
        // What the broker refuses is not sent again.
        _ = scene.steps(.event("e", "6"))
        if let token = scene.session.inFlight.keys.max() { _ = scene.steps(.answered(token, reason: 0x87)) }
        #expect(scene.acknowledged.last == "6")
    }

    @Test func `an event that waits for the gate is dropped when its topic is released`() {
        var scene = Scene { $0.gate = "status" }
        _ = scene.connect()
        #expect(scene.steps(at: 5, .event("one", "enter"), .event("other", "exit")) == ["wait 150.0"])
        #expect(
            scene.steps(at: 6, .released(topic: "one"), .value("status", "online"))
                == ["value status=online", "event other=exit", "wait 26.0"])
    }

    @Test func `a session publishes its will and stops`() {
        var scene = Scene { $0.gate = "status" }
        _ = scene.steps(.value("status", "online"))
        _ = scene.connect()
        #expect(
            scene.steps(at: 5, .event("event", "exit"), .stopped) == [
                "event event=exit", "value status=offline", "wait 7.0",
            ])
        #expect(scene.settle() == ["disconnect", "end"])
        #expect(scene.session.state.phase == .stopped)
    }

    @Test func `the will is left to a broker that does not answer`() {
        var scene = Scene()
        _ = scene.connect()
        #expect(scene.steps(at: 5, .stopped) == ["value status=offline", "wait 7.0"])
        // Without a DISCONNECT the broker publishes the will.
        #expect(scene.steps(at: 7) == ["cut", "end"])
    }

    @Test func `a session that does not return empties the topic of its will`() {
        var scene = Scene { $0.lastWill = .init(topic: "status", payload: Array("offline".utf8)) }
        _ = scene.connect()
        _ = scene.steps(.value("status", "online"))
        _ = scene.settle()
        #expect(scene.steps(at: 5, .abandoned, .value("a", ""), .stopped).starts(with: ["value a=", "value status="]))
        #expect(scene.settle() == ["disconnect", "end"])
    }

    @Test func `the last loss and the time of the present state are known`() {
        var scene = Scene()
        _ = scene.connect()
        #expect(scene.session.state.lastLoss == nil)
        let since = scene.session.state.since
        _ = scene.steps(at: 8, .lost(MQTTLoss(code: 7, errno: 0)))
        #expect(scene.session.state.since == 8_000_000_000 && since != scene.session.state.since)
        #expect(scene.session.state.lastLoss?.time == 8_000_000_000)
    }

    @Test func `a session stops at any time`() {
        var scene = Scene()
        #expect(scene.steps(.stopped) == ["end"])
        scene = Scene()
        _ = scene.steps(.started)
        #expect(scene.steps(.stopped, .connected) == ["end"])
        scene = Scene()
        _ = scene.steps(.started, .lost(MQTTLoss(code: 7)))
        #expect(scene.steps(.stopped, .stopped, .started) == ["end"])
        scene = Scene()
        _ = scene.connect()
        _ = scene.steps(.stopped)
        #expect(scene.steps(.lost(MQTTLoss(code: 7))) == ["end"])
    }

    @Test func `a session pauses after another client has taken its name`() {
        var scene = Scene()
        _ = scene.connect()
        #expect(scene.steps(at: 10, .lost(MQTTLoss(code: 0, reason: 0x8E))) == ["wait 910.0"])
        #expect(scene.session.state.phase == .failed(.twin))
    }

    /// Debian 12's mosquitto does not report that another client has taken the name.
    @Test func `short connections are attributed to another client with the same name`() {
        var scene = Scene()
        for _ in 0..<3 {
            _ = scene.connect(at: scene.now + 100)
            _ = scene.steps(.lost(MQTTLoss(code: 7)))
            #expect(scene.session.state.phase == .failed(.lost))
        }
        _ = scene.connect(at: scene.now + 100)
        _ = scene.steps(.lost(MQTTLoss(code: 7)))
        #expect(scene.session.state.phase == .failed(.unsteady))
        // A broker that is not there is another matter.
        _ = scene.steps(at: scene.now + 100)
        _ = scene.steps(.lost(MQTTLoss(code: 14, errno: 111)))
        #expect(scene.session.state.phase == .failed(.refused))
    }

    @Test func `the state lists what the broker does not accept`() {
        var scene = Scene()
        _ = scene.connect()
        _ = scene.steps(.value("a", "1"))
        let tokens = scene.session.inFlight.keys.sorted()
        _ = scene.steps(.answered(tokens[0], reason: 0x87), .answered(4711, reason: 0x87))
        #expect(!scene.session.state.refusals.isEmpty)
        #expect(scene.session.state.problem == scene.session.state.description)
        #expect(
            scene.session.state.description
                == "the MQTT broker at broker:1883 does not let client \"okaeri-home-hall\" publish to a; allow it in the broker's "
                + "ACL file, as /usr/share/doc/okaeri/broker.md shows")
        // No subscriber (0x10) is not an error, nor is one that ends with the next connection.
        _ = scene.steps(at: 1, .lost(MQTTLoss(code: 7)))
        _ = scene.connect(at: 2)
        #expect(scene.session.state.refusals.isEmpty && scene.session.state.problem == nil)
    }

    @Test func `a session subscribes and unsubscribes`() {
        var scene = Scene()
        _ = scene.steps(.subscribed("a"), .subscribed("b"), .unsubscribed("a"), .unsubscribed("never"))
        #expect(scene.connect() == ["subscribe b"])
        #expect(scene.steps(.subscribed("b"), .subscribed("c")).first == "subscribe c")
        #expect(scene.settle().isEmpty)
        #expect(scene.steps(.unsubscribed("b")).first == "unsubscribe b")
        // Whatever is wanted and not, the queue does not grow.
        for _ in 0..<1000 {
            scene.session.handle(.subscribed("d"), at: 0); scene.session.handle(.unsubscribed("d"), at: 0)
        }
        #expect(scene.steps().filter { $0.hasSuffix(" d") } == ["unsubscribe d"])
    }

    @Test func `a subscription to others is narrowed when the broker has accepted it, each time`() {
        var scene = Scene()
        _ = scene.steps(.subscribedToOthers("a"), .subscribed("b"))
        #expect(scene.connect() == ["subscribe a", "subscribe b", "narrow a"])
        // The retained values are wanted again.
        #expect(scene.steps(.subscriptionsWanted).filter { !$0.hasPrefix("wait") } == ["subscribe a", "subscribe b"])
        #expect(scene.settle() == ["narrow a"])
        // One that is refused, or not wanted any more, is not narrowed.
        #expect(scene.steps(.subscribedToOthers("c")).first == "subscribe c")
        let token = scene.session.inFlight.keys.min() ?? 0
        #expect(!scene.steps(.answered(token, reason: 0x87)).contains("narrow c"))
        #expect(scene.steps(.subscribedToOthers("d")).first == "subscribe d")
        #expect(scene.steps(.unsubscribed("d")).first == "unsubscribe d")
        #expect(scene.settle() == [])
    }

    @Test func `dropped messages are reported once a minute`() {
        var scene = Scene()
        for bytes in [70_000, 10_000_000, 80_000] { scene.session.handle(.refused(topic: "a\nb", bytes: bytes), at: 0) }
        #expect(
            scene.steps() == [
                "note 3 MQTT message(s) dropped: they are too large for Okaeri, the largest has 10000000 bytes, on a b; "
                    + "check which client publishes there", "wait",
            ])
        #expect(scene.steps(at: 59, .refused(topic: "a", bytes: 1)) == ["wait"])
        #expect(scene.steps(at: 60).first?.hasPrefix("note 1 MQTT message(s) dropped") == true)
    }

    /// Any events in any order: nothing traps, no queue grows, and the last value of a topic is sent.
    @Test func `any order of events leaves the session consistent`() {
        var generator = SeededGenerator(seed: 15)
        for round in 0..<300 {
            var scene = Scene {
                $0.limits.inFlight = 3
                $0.limits.events = 5
            }
            var latest: [String: String] = [:]
            _ = scene.steps(.started)
            for step in 0..<200 {
                let token = scene.session.inFlight.keys.randomElement(using: &generator) ?? 0
                scene.now += Double.random(in: 0...3, using: &generator)
                let topic = "topic\(Int.random(in: 0..<6, using: &generator))"
                switch Int.random(in: 0..<10, using: &generator) {
                case 0: _ = scene.actions(.opened)
                case 1: _ = scene.actions(.connected)
                case 2:
                    _ = scene.actions(
                        .lost(
                            MQTTLoss(
                                code: Int32.random(in: 0..<30, using: &generator),
                                reason: Bool.random(using: &generator) ? .random(in: 0...255, using: &generator) : nil))
                    )
                case 3, 4: _ = scene.actions(.answered(token, reason: .random(in: 0...255, using: &generator)))
                case 5: _ = scene.actions(.event(topic, "\(step)"))
                case 6: _ = scene.actions(.subscribed(topic), .unsubscribed(topic), .subscribedToOthers(topic))
                case 7: _ = scene.actions(.announcementWanted, .unsendable(token, code: 3))
                default:
                    latest[topic] = "\(step)"
                    _ = scene.actions(.value(topic, "\(step)"))
                }
                #expect(scene.session.inFlight.count <= 3)
            }
            _ = scene.actions(.lost(MQTTLoss(code: 7)))
            let sent = Set(scene.connect(at: scene.now + 1000))
            let expected = Set(latest.map { "value \($0.key)=\($0.value)" })
            #expect(expected.isSubset(of: sent), "round \(round)")
            #expect(scene.session.outbox.isEmpty)
        }
    }

    @Test func `the number of the state changes with it, and not with a message`() {
        var scene = Scene()
        var before = (scene.session.state, scene.session.stateNumber)
        let message = MQTTMessage(topic: "a", payload: [1], isRetained: false)
        let events: [MQTTSession.Event] = [
            .started, .opened, .connected, .value("a", "1"), .answered(1, reason: 0x87), .lost(MQTTLoss(code: 7)),
            .stopped,
        ]
        for (second, event) in events.enumerated() {
            _ = scene.steps(at: Double(second), event)
            #expect(scene.session.state == before.0 || scene.session.stateNumber != before.1, "\(event)")
            before = (scene.session.state, scene.session.stateNumber)
            _ = scene.steps(at: Double(second), .delivered(message), .published(.event("b", [])))
            #expect(scene.session.state == before.0 && scene.session.stateNumber == before.1, "\(event)")
        }
        #expect(scene.session.state.phase == .stopped)
    }
}
