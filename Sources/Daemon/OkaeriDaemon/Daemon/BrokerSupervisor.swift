import Logging
import OkaeriConfiguration
import OkaeriEvents
import OkaeriHouse
import OkaeriMQTT
import OkaeriPlumbing
import OkaeriPresence
import RegionMonitoring
import ServiceLifecycle
import Synchronization

/// The connection to the broker of the present configuration. When `mqtt` or `node` changes, the connection ends in order, and
/// another one takes its place.
final class BrokerSupervisor: Service {
    /// The settings that a connection is made with.
    struct Settings: Sendable, Equatable {
        var node: BrokerSettings
        var broker: MQTTSettings.Broker
    }

    /// The connections to the rest of the daemon, for each broker in turn.
    struct Dependencies: Sendable {
        var engine: Broker.Engine
        /// Passes the present states of Bluetooth, regions and prompts to a broker that has taken another one's place.
        var present: @Sendable (Broker) async -> Void
        /// Receives the receiver of what the own radio receives; `nil`: none.
        var listen: @Sendable (PresencePipeline.Tap?) -> Void = { _ in }
        /// Handles that the reports of no radio come any more.
        var gone: @Sendable () -> Void = {}

        fileprivate func use(_ broker: Broker?) {
            broker?.use(engine)
            let collector = broker?.collector
            listen(collector.map { collector in { @Sendable reception in collector.received(reception) } })
        }
    }

    private enum State {
        /// The configuration names no broker. → `replacing`: it names one.
        case off
        /// A broker is connected, or tries to connect. → `replacing`: the configuration names another one, or none.
        case running(Broker, Settings)
        /// The former broker, if there was one, publishes that it is offline, and disconnects. → `running`, `off`: it has ended.
        case replacing
    }

    /// A broker that is made, and does not run yet; without one that none is used.
    private struct Next {
        var broker: Broker?
        var settings: Settings?
        var regions: [BrokerRegion]
    }

    private struct Guarded {
        var state: State
        var wanted: Settings?
        var regions: [BrokerRegion]
        var dependencies: Dependencies?
        var next: Next?
        /// The reason why the configured broker is not used.
        var problem: String?
        /// The error that ends the service: the broker's thread cannot be started.
        var failure: (any Error)?
        /// The announcements of the former broker, or of an earlier run of the daemon.
        var memory = (memory: HouseMemory(), isStale: false)
    }

    typealias Maker =
        @Sendable (
            Settings, [BrokerRegion], _ remembered: @escaping @Sendable () -> Void
        ) throws(MQTTClient.StartError) -> Broker

    /// One each time ``memory`` has become another without an event; for one listener.
    let changes: AsyncStream<Void>

    private let guarded: Mutex<Guarded>
    private let settings: @Sendable (Configuration) -> Settings?
    private let make: @Sendable (Settings, [BrokerRegion]) throws(MQTTClient.StartError) -> Broker
    private let logger: Logger
    private let restarter = ChildRestarter<Settings?>()

    /// - Parameters:
    ///   - settings: returns those of a configuration; `nil` without a broker.
    ///   - make: makes a broker that does not run yet, and calls the function when its memory has changed without an event.
    init(
        _ configuration: Configuration, settings: @escaping @Sendable (Configuration) -> Settings?,
        make: @escaping Maker, logger: Logger
    ) throws {
        self.settings = settings
        let (changes, changed) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.changes = changes
        let make = { @Sendable settings, regions throws(MQTTClient.StartError) in
            try make(settings, regions) { changed.yield() }
        }
        self.make = make
        self.logger = logger
        let (wanted, regions) = (settings(configuration), Self.regions(configuration))
        let state: State = try wanted.map { State.running(try make($0, regions), $0) } ?? .off
        guarded = Mutex(Guarded(state: state, wanted: wanted, regions: regions))
    }

    private static func regions(_ configuration: Configuration) -> [BrokerRegion] {
        configuration.regions.map { BrokerRegion($0.monitored, definition: $0.definition) }
    }

    /// The broker; `nil` if there is none, or none at the moment.
    var current: Broker? {
        guarded.withLock { if case .running(let broker, _) = $0.state { broker } else { nil } }
    }

    /// The state of the connection; `nil` if the configuration names no broker.
    var report: StatusReport.MQTT? {
        let (broker, isWanted, problem) = guarded.withLock { guarded -> (Broker?, Bool, String?) in
            if case .running(let broker, _) = guarded.state { return (broker, true, guarded.problem) }
            return (nil, guarded.wanted != nil, guarded.problem)
        }
        if let broker {
            return StatusReport.MQTT(
                broker.state, problem: problem ?? broker.conflict,
                code: problem == nil && broker.conflict != nil ? .siteTaken : nil,
                isOpen: broker.isOpen)
        }
        guard isWanted else { return nil }
        return .init(
            connected: false,
            reason: problem ?? "the connection to the MQTT broker is being replaced, because the configuration changed")
    }

    /// Sets the connections to the rest of the daemon. To be called before ``run()``.
    func connect(_ dependencies: Dependencies) {
        guarded.withLock { $0.dependencies = dependencies }
        dependencies.use(current)
    }

    func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            await restarter.run(wanted: { .some(wanted()) }, replacing: { leave(for: $0 ?? nil) }) { [self] _ in
                await serve()
            }
        }
        if let failure = guarded.withLock(\.failure) { throw failure }
        try await gracefulShutdown()
    }

    /// Returns the settings of the configuration, whose broker is made. A broker that cannot be made leaves the one in use.
    private func wanted() -> Settings? {
        let (wanted, used, regions) = guarded.withLock { guarded -> (Settings?, Settings?, [BrokerRegion]) in
            let used: Settings? = if case .running(_, let used) = guarded.state { used } else { nil }
            guarded.problem = nil
            return (guarded.wanted, used, guarded.regions)
        }
        guard wanted != used else { return used }
        do throws(MQTTClient.StartError) {
            let broker = if let wanted { try make(wanted, regions) } else { nil as Broker? }
            guarded.withLock { $0.next = Next(broker: broker, settings: wanted, regions: regions) }
            return wanted
        } catch {
            let problem = "the MQTT broker of the configuration is not used: \(error)"
            logger.error("\(problem)")
            guarded.withLock { $0.problem = problem }
            return used
        }
    }

    /// Ends the part of the former broker's node in its house as far as no other node is going to.
    private func leave(for settings: Settings?) {
        let (old, departure) = guarded.withLock { guarded -> (Broker?, Departure?) in
            defer { guarded.state = .replacing }
            guard case .running(let broker, let old) = guarded.state else { return (nil, nil) }
            guarded.memory = (broker.memory, false)
            return (broker, Self.departure(from: old, to: settings))
        }
        old?.forgetReceivers(unusedBy: settings?.node)
        if let departure { old?.leave(departure) }
    }

    /// Puts the next broker in the former one's place, if there is one, and runs it.
    private func serve() async {
        if let next = guarded.withLock({ $0.next.take() }) { await finishReplacement(next) }
        guard let broker = current else { return await removeRadios() }
        do {
            try await broker.run()
        } catch is CancellationError {
        } catch {
            guarded.withLock { $0.failure = error }
            restarter.finish()
        }
    }

    /// Without a broker no other radio comes back.
    private func removeRadios() async {
        guard let engine = guarded.withLock(\.dependencies?.engine) else { return }
        await engine.started()
        if !Task.isCancelled { engine.excluded { _ in true } }
    }

    private func finishReplacement(_ next: Next) async {
        let (dependencies, regions) = guarded.withLock { guarded -> (Dependencies?, [BrokerRegion]) in
            next.broker?.restore(guarded.memory.memory, isStale: guarded.memory.isStale)
            guarded.state =
                if let broker = next.broker, let settings = next.settings { .running(broker, settings) } else { .off }
            return (guarded.dependencies, guarded.regions)
        }
        dependencies?.gone()
        dependencies?.use(next.broker)
        guard let broker = next.broker else { return logger.notice("the MQTT broker is not used any more") }
        if regions != next.regions { broker.configured(regions) }
        if let dependencies { await dependencies.present(broker) }
        logger.notice("the connection to the MQTT broker is replaced")
    }

    /// Returns what the node leaves for good if its settings change; `nil` if it comes back under the same topics.
    static func departure(from old: Settings, to new: Settings?) -> Departure? {
        let identity = { (settings: Settings) in (settings.node.site, settings.node.node, settings.node.kind) }
        guard let new, identity(new) == identity(old) else { return .house }
        return old.node.discovery != nil && old.node.discovery != new.node.discovery ? .discovery : nil
    }
}

extension BrokerSupervisor: Persistable {
    var memory: HouseMemory { current?.memory ?? guarded.withLock(\.memory.memory) }

    func restore(_ memory: HouseMemory, from past: PersistedPast) {
        guarded.withLock { $0.memory = (memory, past.isStale) }
        current?.restore(memory, isStale: past.isStale)
    }
}

extension BrokerSupervisor: Configured {
    func configured(_ configuration: Configuration) {
        let (wanted, regions) = (settings(configuration), Self.regions(configuration))
        let isOther = guarded.withLock { guarded in
            defer { (guarded.wanted, guarded.regions) = (wanted, regions) }
            return guarded.wanted != wanted || guarded.problem != nil
        }
        if isOther { restarter.settingsDidChange() } else { current?.configured(regions) }
    }
}

extension StatusReport.MQTT {
    /// - Parameters:
    ///   - problem: the reason why the configured broker is not used.
    ///   - code: The code of the problem; `nil` for one that has no name.
    fileprivate init(_ state: BrokerState, problem: String?, code: BrokerCode?, isOpen: Bool?) {
        func wall(_ instant: Int64) -> String {
            Timestamp.text(KernelClock.realtime.subtractingClamped(MQTTClient.now.subtractingClamped(instant)))
        }
        let loss = state.lastLoss
        self.init(
            connected: state.isConnected, reason: problem ?? state.description,
            code: problem == nil ? BrokerCode(state) : code, broker: "\(state.broker)",
            problem: problem ?? state.problem,
            since: state.since.map(wall),
            lastError: loss?.problem.sentence(state.broker, clientID: state.clientID),
            lastErrorTime: (loss?.time).map(wall), open: isOpen,
            local: ServerAddress.isLoopback(host: state.broker.host))
    }
}
