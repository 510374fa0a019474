import BeaconLocation
package import Bluetooth
import History
import IBeacon
public import Logging
import RegionMonitoring
public import ServiceLifecycle
import Synchronization
public import Systemd
import UnixSignals
import WiFi

/// The whole of `okaeri monitor`: a source, the core, the Wi-Fi, the prompts and the local API, started and stopped in
/// order.
public final class Daemon: Sendable {
    /// What the command line says.
    public struct Options: Sendable {
        /// The configuration's file, to read it again on SIGHUP.
        public var configurationFile: String
        /// A capture in place of an adapter.
        public var capture: String?
        /// How many times faster than it was recorded the capture runs.
        public var speed: Double
        /// Whether a make-believe Wi-Fi stands in for NetworkManager.
        public var simulatesWiFi: Bool
        /// Where the local API listens.
        public var socket: String
        /// Where what must outlive the daemon is kept; nil: nowhere.
        public var stateDirectory: String?
        /// Who wants to hear how the daemon fares; nil: nobody.
        public var serviceManager: ServiceManager?

        public init(
            configurationFile: String, capture: String? = nil, speed: Double = 1, simulatesWiFi: Bool = false,
            socket: String, stateDirectory: String? = nil, serviceManager: ServiceManager? = nil
        ) {
            self.configurationFile = configurationFile
            self.capture = capture
            self.speed = speed
            self.simulatesWiFi = simulatesWiFi
            self.socket = socket
            self.stateDirectory = stateDirectory
            self.serviceManager = serviceManager
        }
    }

    private let options: Options
    private let configuration: Mutex<Configuration>
    private let hub: EventHub
    private let historyKeeper: HistoryKeeper?
    private let silences = SilenceLedger()
    private let source: any PresenceSource
    private let core: PresenceCore
    private let wifi: any WiFiService
    private let homecoming: Homecoming
    private let hooks: Hooks
    private let serviceWatch: ServiceWatch
    private let keeper: StateKeeper?
    private let supervision: Supervision?
    private let logger: Logger

    /// - Throws: when the process has no file descriptor left.
    public convenience init(_ configuration: Configuration, options: Options, logger: Logger) throws {
        try self.init(configuration, options: options, kernel: LinuxKernel(), logger: logger)
    }

    /// The same with another kernel's adapters.
    package init(
        _ configuration: Configuration, options: Options, kernel: some BluetoothKernel, logger: Logger
    ) throws {
        self.options = options
        self.configuration = Mutex(configuration)
        self.logger = logger
        let regions = configuration.regions.map(\.monitored)
        let patience = Vitality.patience(for: regions)
        source =
            try options.capture.map { CaptureSource(file: $0, speed: options.speed, logger: logger) }
            ?? AdapterSource(
                adapter: configuration.adapter, scan: configuration.scan, patience: patience, kernel: kernel)
        historyKeeper = Self.historyKeeper(configuration.history, options: options, wallClock: source, logger: logger)
        hub = EventHub(keeper: historyKeeper)
        core = PresenceCore(
            regions: regions, wallClock: source, patience: options.capture == nil ? patience : nil,
            publish: { [hub, silences] event in
                if case .didStartMonitoring = event.kind { silences.began(at: event.time) }
                hub.publish(event)
            },
            summarize: historyKeeper.map { keeper in { @Sendable minutes in keeper.keep(minutes) } },
            silenceEnded: { [silences, historyKeeper] silence in
                silences.add(silence)
                historyKeeper?.keep(silence)
            })
        wifi = options.simulatesWiFi ? Self.simulatedWiFi(configuration) : NetworkManagerService()
        homecoming = Homecoming(
            regions: configuration.regions, wifi: wifi, hub: hub, wallClock: source, logger: logger)
        // A capture has no peripherals.
        serviceWatch = ServiceWatch(
            rules: options.capture == nil ? configuration.services : [], adapter: configuration.adapter, hub: hub,
            wallClock: source, logger: logger)
        keeper = options.stateDirectory.map { [core, homecoming, serviceWatch, source, hub] directory in
            StateKeeper(
                directory: directory, validFor: .seconds(configuration.state.validFor), core: core,
                homecoming: homecoming, serviceWatch: serviceWatch, instant: { source.instant }, hub: hub,
                logger: logger)
        }
        hooks = Hooks(
            regions: configuration.regions, services: configuration.services, hub: hub,
            runner: HookRunner(socket: SocketPath.absolute(options.socket)), logger: logger)
        supervision = options.serviceManager.map { [hub, source, core] manager in
            Supervision(manager, events: hub.events()) { await Self.isAlive(source, core) }
        }
    }

    /// Returns when the source's loop has turned and the core has answered. False when the loop has ended.
    private static func isAlive(_ source: any PresenceSource, _ core: PresenceCore) async -> Bool {
        let (turns, continuation) = AsyncStream.makeStream(of: Void.self)
        source.perform {
            _ = core.nextDeadline
            continuation.yield()
            continuation.finish()
        }
        for await _ in turns { return true }
        return false
    }

    private static func historyKeeper(
        _ settings: Configuration.History, options: Options, wallClock: any WallClock, logger: Logger
    ) -> HistoryKeeper? {
        guard let directory = options.stateDirectory, settings.keep > 0 else { return nil }
        return HistoryKeeper(directory: directory, settings: settings, wallClock: wallClock, logger: logger)
    }

    private static func simulatedWiFi(_ configuration: Configuration) -> SimulatedWiFi {
        SimulatedWiFi(inSight: Set(configuration.regions.compactMap(\.network?.ssid)))
    }

    /// All events from now on: ask before ``run(with:)`` to miss none.
    public func allEvents() -> AsyncStream<Event> { hub.events(backlog: .max) }

    /// Runs until SIGTERM or SIGINT.
    ///
    /// - Parameter others: what else is to run, started before anything can happen and stopped after everything has.
    /// - Throws: ``DaemonError`` when another daemon serves the socket.
    public func run(with others: [any Service]) async throws {
        let lock = try takeLock()
        await keeper?.restore()
        var services: [any Service] = others
        services.append(HubService(hub: hub))
        if let keeper { services.append(keeper) }
        if let historyKeeper {
            let loop = { @Sendable [hub, silences, source] in
                historyKeeper.recall(into: silences, at: source.now)
                historyKeeper.run { hub.tell($0) }
            }
            services.append(ThreadService(loop: loop, stop: { historyKeeper.stop() }))
        }
        if options.capture == nil {
            services.append(
                ClockWatchService(
                    events: hub.events(), wasSet: { [keeper] in keeper?.clockWasSet() }, logger: logger))
        }
        services += [
            ThreadService(loop: { [self] in runSource() }, stop: { [source] in source.stop() }),
            ThreadService(loop: { [wifi] in wifi.run() }, stop: { [wifi] in wifi.stop() }),
            AntennaService(wifi: wifi, source: source),
            homecoming, hooks, serviceWatch,
            ReloadService(reload: { [self] in await reload() }), StartupPages(),
        ]
        if lock != nil { services.append(APIServer(backend: self, socket: options.socket, logger: logger)) }
        // The last to start is the first to stop: the service manager hears of the end when it begins.
        if let supervision { services.append(supervision) }
        let group = ServiceGroup(
            configuration: .init(
                services: services.map { .init(service: $0) }, gracefulShutdownSignals: [.sigterm, .sigint],
                logger: logger))
        try await group.run()
        withExtendedLifetime(lock) {}
    }

    private func takeLock() throws(DaemonError) -> InstanceLock? {
        do throws(InstanceLock.Failure) {
            return try InstanceLock(socket: options.socket)
        } catch {
            switch error {
            case .taken: throw .alreadyRunning(error.description)
            case .unusable, .occupied:
                logger.error("\(error)")
                return nil
            }
        }
    }

    private func runSource() {
        defer { core.summarizeMinute() }
        do {
            if try source.run(core) {
                logger.notice("\(source.name) has ended; the state stands as it was then")
                supervision?.sourceEnded("\(source.name) has ended", isFault: false)
            }
        } catch {
            logger.error("\(error)")
            supervision?.sourceEnded("\(error)", isFault: options.capture == nil)
        }
    }

    private func reload() async {
        supervision?.reloading()
        do throws(ConfigurationError) {
            let new = try Configuration(file: options.configurationFile)
            let old = configuration.withLock { configuration in
                defer { configuration = new }
                return configuration
            }
            if (old.adapter, old.scan, old.history) != (new.adapter, new.scan, new.history) {
                logger.warning("adapter, scan and history take effect at the next start")
            }
            await hooks.reload(new.regions, new.services)
            if options.capture == nil { await serviceWatch.reload(new.services) }
            core.reload(new.regions.map(\.monitored), at: source.instant)
            source.wake()
            let inside = Set(
                core.snapshot(at: source.instant).regions.filter { $0.state == .inside }.map(\.region.region.identifier)
            )
            await homecoming.reload(new.regions, inside: inside)
            logger.notice("the configuration was read again", metadata: ["file": "\(options.configurationFile)"])
            supervision?.reloaded(Set(new.regions.map(\.identifier)))
        } catch {
            supervision?.reloaded(nil)
            logger.error("the old configuration stays in force:\n\(error)")
        }
    }
}

/// Why a daemon does not run.
public enum DaemonError: Error, Sendable, CustomStringConvertible {
    /// Another one serves the socket.
    case alreadyRunning(String)

    public var description: String {
        switch self {
        case .alreadyRunning(let sentence): sentence
        }
    }
}

// MARK: What the terminal asks

extension Daemon {
    /// The prompts that wait, the oldest first.
    public var waitingPrompts: [PromptReport] {
        get async { await prompts.waiting }
    }

    /// Answers a prompt with join, later or never. Returns why it counts for nothing, if so.
    public func answer(_ id: String, _ answer: String) async -> String? {
        guard let answer = PromptAnswer(rawValue: answer) else { return "\(answer) is no answer" }
        do throws(PromptAnswerError) {
            try await answered(id, answer)
            return nil
        } catch {
            return error.description
        }
    }
}

// MARK: What the local API asks

extension Daemon: APIServer.Backend {
    /// The loop turns at every deadline. One that is so late does not turn any more.
    private static let latest = Duration.seconds(10)

    /// How long a beacon counts as being in the air.
    private static let airTime = Duration.seconds(60)

    var status: StatusReport {
        get async {
            let now = source.instant
            let snapshot = core.snapshot(at: now)
            var kept = await keeper?.report
            kept?.historyProblem = historyKeeper?.problem
            return StatusReport(
                time: Timestamp.text(source.now), source: source.name,
                simulated: (options.capture == nil ? [] : ["capture"]) + (options.simulatesWiFi ? ["wifi"] : []),
                stale: snapshot.deadline.map { $0.advanced(by: Self.latest) < now } ?? false,
                bluetooth: .init(
                    state: snapshot.bluetooth.state.rawValue, adapter: snapshot.bluetooth.adapter,
                    reason: snapshot.bluetooth.reason, listening: snapshot.isListening),
                wifi: .init(wifi.state), regions: reports(snapshot, at: now), prompts: await prompts.waiting,
                services: await serviceWatch.reports,
                counters: .init(
                    reports: snapshot.counters.reports, iBeacons: snapshot.counters.iBeacons,
                    malformed: snapshot.counters.malformed, dropped: snapshot.dropped),
                air: .init(
                    devices: snapshot.air.devices, isCompany: snapshot.air.isCompany,
                    deaf: snapshot.air.deaf.seconds(digits: 1)),
                kept: kept)
        }
    }

    var regions: [RegionReport] {
        let now = source.instant
        return reports(core.snapshot(at: now), at: now)
    }

    private func reports(_ snapshot: PresenceCore.Snapshot, at now: Instant) -> [RegionReport] {
        zip(snapshot.regions, snapshot.judgements).map { region, judgements in
            RegionReport(
                region, judgements, since: snapshot.changes[region.region.region.identifier],
                mistakes: silences.report(region: region.region.region.identifier, now: source.now), now: now)
        }
    }

    var beacons: [BeaconReport] { BeaconReport.list(core, at: source.instant, within: Self.airTime) }

    var prompts: PromptsReport {
        get async {
            let waiting = await homecoming.waiting
            return PromptsReport(waiting: waiting.prompts.map(PromptReport.init), never: waiting.refused)
        }
    }

    func events() -> AsyncStream<Event> { hub.events() }

    func answered(_ id: String, _ answer: PromptAnswer) async throws(PromptAnswerError) {
        try await homecoming.answered(id, answer)
    }

    func neverCleared(ssid: String) async -> Bool { await homecoming.neverCleared(ssid: ssid) }
}
