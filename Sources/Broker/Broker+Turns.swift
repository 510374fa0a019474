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
    package func withHouse<Value>(_ look: (HouseReplica) -> Value) -> Value {
        guarded.withLock { look($0.core.house) }
    }

    /// The prompt with this number is asked no more.
    package func withdrawn(_ prompt: String) {
        perform { core, _ in core.withdrawn(prompt) }
    }

    /// Applies a change to the core and carries out its effects, in the order in which they were decided. What the client
    /// only queues is handed to it under the lock; what reaches the disk, hooks and other services follows on the broker's
    /// own thread, without the lock.
    func perform(_ change: (inout BrokerCore, Moment) -> [BrokerCore.Output]) {
        let isDue = guarded.withLock { guarded in
            let before = guarded.core.nextDeadline
            let now = Moment(instant: MQTTClient.now, wall: KernelClock.realtime)
            for output in change(&guarded.core, now) { guarded.carryOut(output, client) }
            guard guarded.effects.isEmpty else { return true }
            guard let after = guarded.core.nextDeadline else { return false }
            return before.map { after < $0 } ?? true
        }
        if isDue { turn.signal() }
    }

    /// Carries out the effects that wait, one after another. On the broker's thread.
    private func carryOutEffects() {
        while let effect = guarded.withLock({ $0.effects.popFirst() }) {
            switch effect {
            case .happened(let kind, let time): outputs.happened(kind, time)
            case .answer(let prompt, let word): outputs.answered(prompt, word)
            case .publishBehind(let publication): client.publish(publication)
            }
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
            carryOutEffects()
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
