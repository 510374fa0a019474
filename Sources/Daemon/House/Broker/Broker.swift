package import HCI
package import OkaeriEvents
package import OkaeriMQTT
import OkaeriPlumbing
package import OkaeriPresence
package import RegionMonitoring
import ServiceLifecycle
import Synchronization

/// One node of a house at an MQTT broker. A hub receives the reports of its radios and publishes what it decides; a receiver reports
/// what its radio receives.
///
/// No call waits for the network. Messages are queued in the client, which has its own thread. A second thread handles
/// deadlines and passes effects to the rest of the daemon.
package final class Broker: Service {
    /// The connections to the rest of the daemon. They are called on the broker's thread, without its lock.
    package struct Outputs: Sendable {
        package var happened: @Sendable (Event.Kind, Int64) -> Void
        /// An answer to this node's Wi-Fi prompt.
        package var answered: @Sendable (_ prompt: String, _ answer: String) -> Void
        /// A message for the log.
        package var noted: @Sendable (String) -> Void
        /// A message for the log: the end of a problem.
        package var recovered: @Sendable (String) -> Void
        /// The request to start the daemon again.
        package var restarted: @Sendable () -> Void
        /// The definitions of the hub's regions, at a standby.
        package var defined: @Sendable ([UInt8]) -> Void
        /// The notice that ``Broker/memory`` has changed without an event.
        package var remembered: @Sendable () -> Void

        package init(
            happened: @escaping @Sendable (Event.Kind, Int64) -> Void,
            answered: @escaping @Sendable (String, String) -> Void, noted: @escaping @Sendable (String) -> Void,
            recovered: @escaping @Sendable (String) -> Void = { _ in },
            restarted: @escaping @Sendable () -> Void = {}, defined: @escaping @Sendable ([UInt8]) -> Void = { _ in },
            remembered: @escaping @Sendable () -> Void = {}
        ) {
            self.happened = happened
            self.answered = answered
            self.noted = noted
            self.recovered = recovered
            self.restarted = restarted
            self.defined = defined
            self.remembered = remembered
        }
    }

    /// The engine and this machine's own radio. All are called on the broker's thread, without its lock.
    package struct Engine: Sendable {
        /// Waits until the engine takes reports: until this machine's source has begun.
        package var started: @Sendable () async -> Void = {}
        /// Returns the beacons that are received now.
        package var beacons: @Sendable () -> [RegionMonitor.BeaconSnapshot] = { [] }
        /// Returns the battery levels, by the region's identifier.
        package var batteries: @Sendable () -> [String: BatteryReport] = { [:] }
        /// Returns the battery levels that the own radio received, on the engine's clock.
        package var levels: @Sendable () -> [BeaconBattery] = { [] }
        /// Returns the present on the engine's clock, and the time in which the own radio has listened.
        package var listened: @Sendable () -> (now: Instant, Duration) = { (Instant(nanoseconds: 0), .zero) }
        /// Returns the part of the time in which the own radio listens; 0 while it does not.
        package var share: @Sendable () -> Double = { 0 }
        /// Handles the report of a radio; its times are on the engine's clock.
        package var reported: @Sendable (_ radio: String, RadioReport) -> Void = { _, _ in }
        /// Takes over the announced states of regions, and announces what differs; calls `begin` before, with the engine locked.
        package var takeOver: @Sendable ([String: RegionState], _ begin: () -> Void) -> Void = { _, begin in begin() }
        /// Handles that a radio is away, or does not come back.
        package var lost: @Sendable (_ radio: String) -> Void = { _ in }
        package var removed: @Sendable (_ radio: String) -> Void = { _ in }
        /// Handles that the radios whose names a function accepts do not come back.
        package var excluded: @Sendable (_ isExcluded: (_ radio: String) -> Bool) -> Void = { _ in }

        package init() {}
    }

    struct Guarded: Sendable {
        var core: BrokerCore
        var isOver = false
        /// Whether nothing is published any more, because the topics are emptied.
        var hasLeft = false
        var engine = Engine()
        /// The time until which the broker's thread waits, or the maximum; the minimum while it is awake, or about to be.
        var waitsUntil = Int64.min
        /// The outputs that wait for the broker's thread, the number of reports among them, and that of their receptions.
        private(set) var effects: [BrokerCore.Output] = []
        private var reports = 0
        private var receptions = 0

        init(core: BrokerCore) { self.core = core }

        mutating func takeEffects() -> [BrokerCore.Output] {
            defer { (effects, reports, receptions) = ([], 0, 0) }
            return effects
        }

        mutating func carryOut(_ output: BrokerCore.Output, _ client: MQTTClient) {
            switch output {
            case .publish(let publication): client.publish(publication)
            case .repeat(let topic): client.resend(topic)
            case .release(let topic): client.release(topic)
            case .subscribe(let filter): client.subscribe(filter)
            case .subscribeToOthers(let filter): client.subscribeToOthers(filter)
            case .unsubscribe(let filter): client.unsubscribe(filter)
            case .subscribeAgain: client.subscribeAgain()
            case .announce: client.announce()
            case .reported(_, let report):
                let count = report.receptions.count
                guard reports < Self.reportLimit, receptions + count <= Self.receptionLimit else {
                    return core.dropped(output)
                }
                (reports, receptions) = (reports + 1, receptions + count)
                effects.append(output)
            // Without it this node would stay silent. One for each claim, and one a minute for each region that a standby repeats.
            case .takeOver: effects.append(output)
            case .happened, .answer, .note, .recovered, .measureBatteries, .collectHeard, .wanted, .radioLost,
                .radioRemoved, .removeExcludedRadios, .restart, .definitions, .memoryChanged:
                if effects.count - reports < Self.effectLimit { effects.append(output) } else { core.dropped(output) }
            }
        }

        /// A flood of reports is not to displace an event, nor to fill the memory: a reception has 48 bytes.
        private static let (effectLimit, reportLimit, receptionLimit) = (4096, 2048, 16_384)
    }

    let guarded: Mutex<Guarded>
    let client: MQTTClient
    private let outputs: Outputs
    private let inbox: Inbox
    private let engineTime = Mutex(EngineTime())
    private let wakeUp = BinarySemaphore()
    /// The collector of the receptions of this machine's radio for the other nodes.
    package let collector: HeardCollector
    private let events: AsyncStream<Event>
    let openness: Openness

    /// - Parameters:
    ///   - regions: the configured regions.
    ///   - events: the events of this node's hub but ranging, from the beginning.
    package init(
        _ settings: BrokerSettings, broker: MQTTSettings.Broker, regions: [BrokerRegion], events: AsyncStream<Event>,
        outputs: Outputs
    ) throws(MQTTClient.StartError) {
        let topics = Topics(site: settings.site)
        let incarnation = String(UInt64.random(in: 0 ... .max), radix: 36)
        let core = BrokerCore(settings, regions: regions, incarnation: incarnation, since: KernelClock.realtime)
        var mqtt = MQTTSettings(
            broker: broker, clientID: "okaeri.\(settings.site).\(settings.node)",
            lastWill: .init(topic: topics.status(settings.node), payload: Array(Wire.offline.utf8)))
        mqtt.gate = topics.status(settings.node)
        self.events = events
        self.outputs = outputs
        openness = Openness(of: broker, topic: topics.probe(settings.node))
        let found = Found()
        collector = HeardCollector(isNew: { found.sender() })
        guarded = Mutex(Guarded(core: core))
        let inbox = Inbox()
        self.inbox = inbox
        client = try MQTTClient(
            mqtt, onConnection: { inbox.deliver(.connection($0)) }, onMessage: { inbox.deliver(.message($0)) },
            onAcknowledgement: { inbox.deliver(.acknowledgement($0)) }, onNotice: outputs.noted)
        found.open { [weak self] in self?.perform { core, now in core.senderFound(at: now.instant) } }
    }

    package func run() async throws {
        inbox.open { [weak self] in self?.received($0) }
        perform { core, now in core.started(at: now) }
        let ended = AsyncStream.makeStream(of: Never.self)
        try BlockingThread.start { [self] in
            loop()
            ended.continuation.finish()
        }
        do {
            defer {
                guarded.withLock { $0.isOver = true }
                wakeUp.signal()
            }
            try await withThrowingDiscardingTaskGroup { group in
                group.addTask { [self] in for await event in events { happened(event) } }
                group.addTask { [openness, states = client.states.values(backlog: 1)] in await openness.follow(states) }
                group.addTask { [self, states = client.states.values(backlog: 16)] in
                    for await state in states { perform { core, now in core.connectionChanged(to: state, at: now) } }
                }
                // A radio that is asked reports at once, and its next report may come seconds later.
                try await cancelWhenGracefulShutdown { [client, engine] in
                    await engine.started()
                    if !Task.isCancelled { try await client.run() }
                }
                group.cancelAll()
            }
        }
        for await _ in ended.stream {}
        try await gracefulShutdown()
    }

    /// Applies a change to the core. Outputs to the client are queued under the lock, in the order of the decisions; all
    /// others follow on the broker's thread.
    func perform(_ change: (inout BrokerCore, Moment) -> [BrokerCore.Output]) {
        if guarded.withLock({ apply(to: &$0, change) }) { wakeUp.signal() }
    }

    /// Returns whether to wake the broker's thread.
    private func apply(
        to guarded: inout Guarded, _ change: (inout BrokerCore, Moment) -> [BrokerCore.Output]
    ) -> Bool {
        guard !guarded.hasLeft else { return false }
        let now = Moment.now
        for output in change(&guarded.core, now) { guarded.carryOut(output, client) }
        guard guarded.waitsUntil > .min,
            !guarded.effects.isEmpty || guarded.core.nextDeadline ?? .max < guarded.waitsUntil
        else { return false }
        guarded.waitsUntil = .min
        return true
    }

    /// Handles deadlines and effects until the end. Blocking; runs on the broker's thread.
    private func loop() {
        while true {
            let (deadline, isOver, effects) = guarded.withLock { guarded in
                let effects = guarded.takeEffects()
                // What is due stays so after the end of the work.
                let deadline = guarded.hasLeft ? nil : guarded.core.nextDeadline
                guarded.waitsUntil = effects.isEmpty ? deadline ?? .max : .min
                return (deadline, guarded.isOver, effects)
            }
            for effect in effects { carryOut(effect) }
            if isOver { return }
            let wait = deadline.map { Duration.nanoseconds($0.subtractingClamped(MQTTClient.now)) }
            // What is due does not wait for a moment without messages.
            if wait.map({ $0 > .zero }) ?? true {
                guard effects.isEmpty, !wakeUp.wait(until: wait.map { ContinuousClock.now.advanced(by: $0) })
                else { continue }
            }
            let beacons = guarded.withLock { guarded in
                guarded.waitsUntil = .min
                return guarded.core.distances.nextDeadline.map { $0 <= MQTTClient.now } == true
                    ? guarded.engine.beacons : nil
            }
            let list = beacons?()
            perform { core, now in
                core.advanced(to: now) + (list.map { core.measured($0, at: now.instant) } ?? [])
            }
        }
    }

    private func carryOut(_ effect: BrokerCore.Output) {
        switch effect {
        case .happened(let kind, let time): outputs.happened(kind, time)
        case .answer(let prompt, let answer): outputs.answered(prompt, answer)
        case .note(let message): outputs.noted(message)
        case .recovered(let message): outputs.recovered(message)
        case .restart: outputs.restarted()
        case .memoryChanged: outputs.remembered()
        case .measureBatteries:
            let batteries = engine.batteries()
            perform { core, now in core.batteriesMeasured(batteries, at: now) }
        case .wanted(let wanted): collector.wanted(wanted)
        case .takeOver(let states): engine.takeOver(states) { perform { core, _ in core.tookOver() } }
        case .definitions(let definitions): outputs.defined(definitions)
        case .collectHeard: collect()
        case .reported(let radio, let report):
            let (engineNow, now) = (engine.listened().now.nanoseconds, MQTTClient.now)
            let times = engineTime.withLock { $0.updated(engine: engineNow, own: now) }
            engine.reported(radio, report.mapped { Instant(nanoseconds: times($0.nanoseconds)) })
        case .radioLost(let radio): engine.lost(radio)
        case .radioRemoved(let radio): engine.removed(radio)
        case .removeExcludedRadios: engine.excluded { radio in guarded.withLock { $0.core.excludes(radio: radio) } }
        case .publish, .repeat, .release, .subscribe, .subscribeToOthers, .unsubscribe, .subscribeAgain, .announce:
            break
        }
    }

    private var engine: Engine { guarded.withLock(\.engine) }

    /// Publishes what this machine's radio has received, if there is anything or it is time.
    private func collect() {
        let isDue = guarded.withLock { $0.core.ownReports.isIdleMessageDue(at: MQTTClient.now) }
        let (now, listened) = engine.listened()
        guard isDue || collector.isAwaited(at: now) else { return }
        let message = collector.take(at: now, listened: listened, levels: engine.levels)
        perform { core, moment in core.heardCollected(message, at: moment.instant) }
    }
}

extension RadioReport {
    fileprivate func mapped(_ moved: (Instant) -> Instant) -> RadioReport {
        var report = self
        (report.from, report.until) = (moved(from), moved(until))
        for index in batteries.indices { report.batteries[index].received = moved(batteries[index].received) }
        for index in receptions.indices { report.receptions[index].time = moved(receptions[index].time) }
        return report
    }
}

/// Passes on that the own radio has received a sender that was not there, once the broker exists.
private final class Found: Sendable {
    private let receiver = Mutex<(@Sendable () -> Void)?>(nil)

    func open(_ receiver: @escaping @Sendable () -> Void) { self.receiver.withLock { $0 = receiver } }

    func sender() { receiver.withLock(\.self)?() }
}

/// Passes deliveries of the client, on its thread, to the broker once it runs.
package final class Inbox: Sendable {
    package enum Delivery: Sendable {
        case connection(Bool)
        case message(MQTTMessage)
        case acknowledgement(MQTTPublication)
    }

    private let receiver = Mutex<(@Sendable (Delivery) -> Void)?>(nil)

    func open(_ receiver: @escaping @Sendable (Delivery) -> Void) {
        self.receiver.withLock { $0 = receiver }
    }

    func deliver(_ delivery: Delivery) { receiver.withLock(\.self)?(delivery) }
}

// MARK: Inputs, from any thread

extension Broker {
    /// Handles the reception of one of the region's beacons. Called while the engine is locked.
    ///
    /// - Parameters:
    ///   - radio: The radio's name; `nil` for this machine's own one.
    ///   - beacon: a number that distinguishes the beacon from the region's others.
    package func heard(_ region: String, by radio: String?, from beacon: UInt64, rssi: Int8) {
        perform { core, now in core.heard(by: radio, region, from: beacon, rssi: rssi, at: now) }
    }

    /// Handles an event of the region monitor. Called while the engine is locked.
    ///
    /// - Parameter publish: Passes the event to this node's other consumers; is not called while this node is silent about the regions.
    package func determined(_ kind: Event.Kind, publish: () -> Void) {
        let (isSilent, isDue) = guarded.withLock { guarded in
            let isSilent = guarded.core.announcements.isSilent(about: kind)
            return (isSilent, apply(to: &guarded) { core, now in core.happened(kind, at: now) })
        }
        if !isSilent { publish() }
        if isDue { wakeUp.signal() }
    }

    /// Handles the present state of a region.
    package func determined(_ region: String, _ state: RegionState) {
        perform { core, now in core.determined(region, state, at: now) }
    }

    /// Handles a new configuration.
    package func configured(_ regions: [BrokerRegion]) {
        perform { core, now in core.configured(regions, at: now) }
    }

    /// Handles a prompt that waited before this node came to the broker.
    package func asked(_ prompt: Event.WiFi) {
        perform { core, _ in core.prompt.asked(prompt) }
    }

    /// Handles the present state of the Bluetooth adapter.
    package func bluetoothChanged(_ update: AdapterUpdate) {
        perform { core, _ in core.bluetoothChanged(update) }
    }

    /// Removes the receivers that the next settings do not use, and their topics. To be called before ``leave(_:)``.
    package func forgetReceivers(unusedBy settings: BrokerSettings?) {
        perform { core, _ in core.receiversForgotten(unusedBy: settings?.receivers ?? []) }
    }

    /// Empties the topics that no node fills again. To be called before the service is cancelled.
    package func leave(_ departure: Departure) {
        if departure == .house { client.abandon() }
        guarded.withLock { guarded in
            for output in guarded.core.left(departure) { guarded.carryOut(output, client) }
            guarded.hasLeft = true
        }
    }

    /// The announcements of this node, over a restart, and over a change of its broker.
    package var memory: HouseMemory { guarded.withLock(\.core.memory) }

    /// Continues from the memory of an earlier run. To be called before ``run()``.
    ///
    /// - Parameter isStale: Whether the states are too old to be known.
    package func restore(_ memory: HouseMemory, isStale: Bool) {
        guarded.withLock { $0.core.restored(memory, isStale: isStale) }
    }

    /// Sets the engine.
    package func use(_ engine: Engine) { guarded.withLock { $0.engine = engine } }

    package func received(_ delivery: Inbox.Delivery) {
        perform { core, now in
            switch delivery {
            case .connection(true): core.connected(at: now)
            case .connection(false): core.disconnected(at: now)
            case .message(let message): core.received(message, at: now)
            case .acknowledgement(let publication): core.acknowledged(publication)
            }
        }
    }

    /// Handles an event of this node's hub, which has recorded it.
    func happened(_ event: Event) {
        perform { core, now in
            switch event.kind {
            case .bluetoothStateDidUpdate(let update): core.bluetoothChanged(update)
            case .wifiPrompt(let wifi): core.prompt.asked(wifi)
            case .wifiPromptAnswered(let wifi, _): core.prompt.ended(wifi, wasAnswered: true)
            case .wifiPromptWithdrawn(let wifi, _), .wifiJoined(let wifi, _), .wifiJoinFailed(let wifi, _, _):
                core.prompt.ended(wifi, wasAnswered: false)
            case .wifiActionCompleted(let wifi, _, _), .wifiActionFailed(let wifi, _, _, _):
                core.prompt.ended(wifi, wasAnswered: false)
            case .house(let region, let news): core.recorded(news, of: region, at: now.instant)
            case .didStartMonitoring, .didDetermineState, .didEnterRegion, .didExitRegion, .didRangeBeacons,
                .monitoringDidFail, .rangingBeaconsDidFail, .wifiUnavailable, .wifiAccessLimited, .peripheralDidConnect,
                .peripheralDidDisconnect, .peripheralDidFailToConnect:
                []
            }
        }
    }
}
