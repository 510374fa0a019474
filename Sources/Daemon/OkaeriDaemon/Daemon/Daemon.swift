import FoundationEssentials
package import Logging
import OkaeriAutomation
package import OkaeriBluetooth
package import OkaeriConfiguration
import OkaeriDBus
package import OkaeriEvents
import OkaeriHistory
import OkaeriHouse
package import OkaeriListening
import OkaeriNetworkManager
import OkaeriPlumbing
package import OkaeriPresence
import OkaeriServer
package import OkaeriSystemd
import OkaeriWiFi
import RegionMonitoring

/// The whole of `okaeri monitor`: its parts, and their connections. They do the work.
package final class Daemon: Sendable {
    /// The options of the command line.
    package struct Options: Sendable {
        /// The configuration's file, to read it again on SIGHUP.
        package var configurationFile: String
        /// The regions in the configuration that the page has saved.
        package var saved: SavedReport
        /// A capture in place of an adapter.
        package var capture: String?
        /// The factor by which the capture runs faster than it was recorded.
        package var speed: Double
        /// Whether a make-believe Wi-Fi stands in for NetworkManager.
        package var simulatesWiFi: Bool
        /// The path of the local API's socket.
        package var socket: String
        /// The directory of the persisted state; `nil`: none.
        package var stateDirectory: String?
        /// The service manager to notify of readiness and status, or `nil` outside systemd.
        package var serviceManager: ServiceManager?
        /// Whether the runtime of a container starts the daemon again after it has ended on request.
        package var isRestarted: Bool
        /// This machine's name in every event.
        package var node: String
        /// This program's number, and what it was built from.
        package var version, commit: String
        /// Writes the backups of the page; `nil` without a state directory.
        package var writeBackup: BackupWriter?

        package init(
            configurationFile: String, saved: SavedReport = SavedReport(), capture: String? = nil, speed: Double = 1,
            simulatesWiFi: Bool = false,
            socket: String, stateDirectory: String? = nil, serviceManager: ServiceManager? = nil,
            isRestarted: Bool = false, node: String = "",
            version: String = "", commit: String = "", writeBackup: BackupWriter? = nil
        ) {
            self.configurationFile = configurationFile
            self.saved = saved
            self.capture = capture
            self.speed = speed
            self.simulatesWiFi = simulatesWiFi
            self.socket = socket
            self.stateDirectory = stateDirectory
            (self.serviceManager, self.isRestarted) = (serviceManager, isRestarted)
            self.node = node
            (self.version, self.commit) = (version, commit)
            self.writeBackup = writeBackup
        }

        /// Whether the daemon may end on request, because it is started again.
        var restarts: Bool { serviceManager != nil || isRestarted }

        /// Both clocks of a replay are the capture's.
        func moment(at wall: Int64) -> Moment {
            capture == nil ? Moment(instant: KernelClock.boottime, wall: wall) : Moment(recorded: wall)
        }
    }

    package let options: Options
    package let hub: EventHub
    let recorder: HistoryRecorder?
    let silences = SilenceLedger()
    package let source: any PresenceSource
    package let presence: PresencePublisher
    let wifi: any WiFiService
    let arrivalJoin: ArrivalJoin
    let hooks: Hooks
    let notifications: Notifications
    let serviceWatch: ServiceWatch
    let broker: BrokerSupervisor
    let answers = PromptAnswers()
    let restart = RestartService()
    let definitions: HouseDefinitions
    let logins = LoginStore(digest: Checksum.sha256)
    let answerLinks = AnswerLinks(digest: Checksum.sha256)
    let listeners: Listeners
    /// The address of the page.
    let reachablePage: ReachablePage
    let announcer: PageAnnouncer
    /// In nanoseconds since the machine's start: the wall clock may be set later.
    let started = KernelClock.boottime
    /// The listeners over TCP, once they are made.
    let servers: ConfiguredServers
    let stateStore: StateStore?
    let supervision: Supervision?
    let reader: ConfigurationReader
    let reloader: Reloader
    package let logger: Logger

    /// - Throws: An error if the process has no file descriptor left.
    package convenience init(_ configuration: Configuration, options: Options, logger: Logger) throws {
        try self.init(configuration, options: options, kernel: LinuxKernel(), logger: logger)
    }

    /// The same with another kernel's adapters.
    package init(
        _ configuration: Configuration, options: Options, kernel: some BluetoothKernel, logger: Logger
    ) throws {
        self.options = options
        self.logger = logger
        let regions = configuration.regions.map(\.monitored)
        let quietPeriod = RadioLiveness.quietPeriod(for: regions)
        let source: any PresenceSource =
            try options.capture.map { try CaptureSource(file: $0, speed: options.speed, logger: logger) }
            ?? AdapterSource(
                adapter: configuration.adapter, scan: configuration.scan, quietPeriod: quietPeriod,
                powerCyclePeriod: .seconds(3600), kernel: kernel)
        self.source = source
        let now = { @Sendable in source.now }
        let hub = EventHub(node: options.name(in: configuration))
        self.hub = hub
        let recorder = options.stateDirectory.flatMap { directory in
            configuration.history.keep > 0
                ? HistoryRecorder(
                    directory: directory, settings: configuration.history, now: { options.moment(at: now()) },
                    logger: logger)
                : nil
        }
        self.recorder = recorder
        if let recorder { hub.record { recorder.record($0) } }
        definitions = HouseDefinitions(directory: options.stateDirectory, logger: logger)
        let broker = try Self.broker(
            configuration, options: options, hub: hub, answered: answers, restart: restart, definitions: definitions,
            logger: logger)
        self.broker = broker
        let radioNames = RadioNames()
        let presence = PresencePublisher(
            regions: regions, identities: configuration.identities, clock: source,
            quietPeriod: options.capture == nil ? quietPeriod : nil, radioNames: radioNames,
            outputs: .init(
                publish: { [silences] kind, time in
                    if case .didStartMonitoring = kind { silences.began(at: options.moment(at: time)) }
                    let publish = { hub.happened(kind, at: time) }
                    if let broker = broker.current { broker.determined(kind, publish: publish) } else { publish() }
                }, summarize: recorder.map { recorder in { @Sendable minutes in recorder.record(minutes) } },
                silenceEnded: { [silences] silence in
                    silences.add(silence)
                    recorder?.record(silence)
                },
                heard: broker.listener(radioNames)))
        self.presence = presence
        wifi = options.simulatesWiFi ? Self.simulatedWiFi(configuration) : NetworkManagerService()
        let page = ReachablePage(configuration)
        reachablePage = page
        let notifications = Notifications(
            configuration, hub: hub, language: Language(environment: ProcessInfo.processInfo.environment),
            answers: { [answerLinks, page] in page.addresses(answering: $0, answerLinks) }, logger: logger)
        self.notifications = notifications
        arrivalJoin = ArrivalJoin(
            regions: configuration.regions, wifi: wifi, hub: hub,
            lastInside: { presence.driver.lastInside },
            clock: PrompterClock(speed: options.capture.map { _ in options.speed }) { options.moment(at: now()) },
            logger: logger)
        broker.connect(
            .init(
                engine: Self.engine(presence.driver, source),
                present: { [arrivalJoin] in $0.takeOver(presence.driver, await arrivalJoin.prompts.waiting) },
                listen: { presence.driver.pass(to: $0) }, gone: { presence.driver.radiosLost(at: source.instant) }))
        // A capture has no peripherals.
        serviceWatch = ServiceWatch(
            rules: options.capture == nil ? configuration.services : [], adapter: configuration.adapter, hub: hub,
            now: now, logger: logger)
        hooks = Hooks(
            configuration, hub: hub, runner: HookRunner(socket: SocketPath.absolute(options.socket)), logger: logger)
        let keptPresence = PersistablePresence(driver: presence.driver, source: source)
        let keptBatteries = PersistableBatteries(driver: presence.driver, source: source)
        stateStore = options.stateDirectory.map { [arrivalJoin, hooks, serviceWatch, logins] directory in
            StateStore(
                directory: directory, validFor: .seconds(configuration.state.validFor),
                // The regions first: what the prompter does not know of yet is asked about after a restart.
                parts: [keptPresence, keptBatteries, arrivalJoin, hooks, serviceWatch, hub, logins, broker],
                events: hub.eventsButRanging(backlog: .max),
                caughtUp: { await recorder?.caughtUp() }, logger: logger)
        }
        let servers = ConfiguredServers()
        self.servers = servers
        let announcer = PageAnnouncer(configuration, version: options.version) { options.name(in: $0) }
        self.announcer = announcer
        listeners = Listeners { report in
            guard report.name == WebServer.name else { return }
            announcer.listened(report)
            page.listened(report)
        } removed: { name in
            guard name == WebServer.name else { return }
            announcer.listened(nil)
            page.listened(nil)
        }
        let supervision = options.serviceManager.map { manager in
            Supervision(manager, events: hub.eventsButRanging()) {
                await source.turns(presence.driver) && recorder?.isAlive ?? true
            }
        }
        self.supervision = supervision
        reader = ConfigurationReader(
            file: options.configurationFile, directory: options.stateDirectory, used: options.saved, logger: logger)
        reloader = Reloader(
            file: options.configurationFile, reader: reader, configuration: configuration,
            // The consumers of events have the new regions before there are events about them.
            parts: [ConfiguredName(hub: hub, options: options), page, hooks, notifications, arrivalJoin]
                + (options.capture == nil ? [serviceWatch] : [])
                + [broker, ConfiguredPresence(presence: presence, source: source), servers, announcer]
                + (recorder.map { [$0] } ?? []), supervision: supervision, logger: logger)
    }

    private static func simulatedWiFi(_ configuration: Configuration) -> SimulatedWiFi {
        SimulatedWiFi(inSight: Set(configuration.regions.compactMap(\.network?.name)))
    }

    /// All events from now on: ask before ``run(with:)`` to miss none.
    package func allEvents() -> AsyncStream<Event> { hub.events(backlog: .max) }
}

/// The reason why a daemon does not run: another one serves the socket or writes in the state directory, or that
/// directory cannot be used.
package struct DaemonError: Error, Sendable, CustomStringConvertible {
    package let description: String
}
