package import Agreement
import Events
package import MQTT
import Plumbing
package import RegionMonitoring
import Synchronization

/// What comes from the client, on its thread, to whoever is there.
package final class Inbox: Sendable {
    package enum Delivery: Sendable {
        case connection(Bool)
        case message(MQTTMessage)
    }

    private let receiver = Mutex<(@Sendable (Delivery) -> Void)?>(nil)

    func open(_ receiver: @escaping @Sendable (Delivery) -> Void) {
        self.receiver.withLock { $0 = receiver }
    }

    func deliver(_ delivery: Delivery) { receiver.withLock(\.self)?(delivery) }
}

/// What happens, from whatever thread.
extension Broker {
    /// A beacon of the region was heard. On the scanner's thread: it is quick, and waits for nobody.
    ///
    /// - Parameter beacon: any number that tells it from the region's other beacons.
    package func heard(_ region: String, from beacon: UInt64, rssi: Int8) {
        perform { core, now in core.heard(region, from: beacon, rssi: rssi, at: now.instant) }
    }

    /// The region monitor determined a state.
    package func determined(_ region: String, _ state: RegionState) {
        perform { core, now in core.determined(region, state, at: now.instant) }
    }

    /// Other regions are watched from now on.
    package func configured(_ regions: [String]) {
        perform { core, now in core.configured(regions, at: now) }
    }

    package func received(_ delivery: Inbox.Delivery) {
        perform { core, now in
            switch delivery {
            case .connection(true): core.connected(at: now)
            case .connection(false): core.disconnected(at: now)
            case .message(let message): core.received(message, at: now)
            }
        }
    }

    func happened(_ event: Event) {
        perform { core, _ in
            switch event.kind {
            case .bluetoothStateDidUpdate(let state, let adapter, let reason):
                core.bluetoothChanged(state, adapter: adapter, reason: reason)
            case .wifiPrompt(let wifi): core.asked(wifi)
            case .wifiPromptAnswered(let wifi, _): core.ended(wifi, wasAnswered: true)
            case .wifiJoined(let wifi, _), .wifiJoinFailed(let wifi, _, _): core.ended(wifi, wasAnswered: false)
            case .didStartMonitoring, .didDetermineState, .didEnterRegion, .didExitRegion, .didRangeBeacons,
                .monitoringDidFail, .rangingBeaconsDidFail, .wifiAccessLimited, .peripheralDidConnect,
                .peripheralDidDisconnect, .house:
                []
            }
        }
    }

    /// Looks at the house as this node knows it. Others wait meanwhile.
    package func withHouse<Value>(_ look: (House) -> Value) -> Value {
        guarded.withLock { look($0.core.house) }
    }

    /// The prompt with this number is asked no more.
    package func withdrawn(_ prompt: String) {
        perform { core, _ in core.withdrawn(prompt) }
    }

    /// Lets the core do something, and does what it wants. In its lock: what two threads have to say must leave in the order
    /// in which it was decided. Nothing that is called here calls back.
    func perform(_ change: (inout BrokerCore, Moment) -> [BrokerCore.Output]) {
        let isSooner = guarded.withLock { guarded in
            let before = guarded.core.nextDeadline
            let now = Moment(instant: MQTTClient.now, wall: KernelClock.realtime)
            for output in change(&guarded.core, now) { carryOut(output) }
            guard let after = guarded.core.nextDeadline else { return false }
            return before.map { after < $0 } ?? true
        }
        if isSooner { turn.signal() }
    }

    private func carryOut(_ output: BrokerCore.Output) {
        switch output {
        case .publish(let publication): client.publish(publication)
        case .repeat(let topic): client.resend(topic)
        case .release(let topic): client.release(topic)
        case .subscribe(let filter): client.subscribe(filter)
        case .unsubscribe(let filter): client.unsubscribe(filter)
        case .announce: client.announce()
        case .happened(let kind, let time): outputs.happened(kind, time)
        case .answer(let prompt, let word): outputs.answered(prompt, word)
        }
    }

    /// Has this answer how far the regions' beacons are.
    package func measure(by listen: @escaping @Sendable () -> [BrokerRanging]) {
        guarded.withLock { $0.listen = listen }
    }

    /// A thread's: turns when something is due.
    func loop() {
        while true {
            let (deadline, isOver) = guarded.withLock { ($0.core.nextDeadline, $0.isOver) }
            if isOver { return }
            let wait = deadline.map { Duration.nanoseconds(max(0, $0.subtractingClamped(MQTTClient.now))) }
            if turn.wait(until: wait.map { ContinuousClock.now.advanced(by: $0) }) { continue }
            let listen = guarded.withLock { guarded in
                guarded.core.rangingAt.map { $0 <= MQTTClient.now } == true ? guarded.listen : nil
            }
            let list = listen?()
            perform { core, now in
                core.advanced(to: now) + (list.map { core.measured($0, at: now.instant) } ?? [])
            }
        }
    }
}
