import Logging
import NIOPosix
import OkaeriAutomation
import OkaeriClient
import OkaeriConfiguration
import OkaeriEvents
import OkaeriHistory
import OkaeriListening
import OkaeriPresence
import OkaeriServer
import OkaeriSystemd
import OkaeriWiFi
package import ServiceLifecycle
import UnixSignals

extension Daemon {
    /// The time that the parts may take to end, one after another. What hangs then is not waited for.
    private static let shutdownLimit = Duration.seconds(15)

    /// Runs until SIGTERM or SIGINT.
    ///
    /// - Parameter others: Other services to run, started before any event and stopped after all of them.
    /// - Throws: ``DaemonError`` when another daemon serves the socket or writes in the state directory, or when the
    ///   directory is not root's.
    package func run(with others: [any Service]) async throws {
        let lock = try takeLock()
        let stateLock = try takeStateLock()
        await stateStore?.restore()
        let services = services(others, isServed: lock != nil).map { service in
            // A restart is an end in order, with an error.
            ServiceGroupConfiguration.ServiceConfiguration(
                service: service,
                failureTerminationBehavior: service is RestartService ? .gracefullyShutdownGroup : .cancelGroup)
        }
        var configuration = ServiceGroupConfiguration(
            services: services, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        configuration.maximumGracefulShutdownDuration = Self.shutdownLimit
        try await ServiceGroup(configuration: configuration).run()
        withExtendedLifetime((lock, stateLock)) {}
    }

    /// In the order in which they start; they stop in the other.
    private func services(_ others: [any Service], isServed: Bool) -> [any Service] {
        var services = others + [HubService(hub: hub)]
        if let stateStore {
            services +=
                [stateStore]
                + [arrivalJoin.changes, hooks.changes, logins.changes, broker.changes].map {
                    ChangesService(changes: $0) { stateStore.mayHaveChanged() }
                }
        }
        if let recorder, let directory = options.stateDirectory {
            let loop = { @Sendable [hub, silences, source, logger] in
                silences.recall(from: directory, at: source.now, logger: logger)
                recorder.run { hub.publish($0) }
            }
            services.append(ThreadService(loop: loop, stop: { recorder.stop() }))
        }
        if options.capture == nil {
            services.append(
                ClockWatchService(
                    events: hub.events(), wasSet: { [stateStore] in stateStore?.mayHaveChanged() },
                    logger: logger))
            services.append(batteryReading)
        }
        services += [
            ThreadService(loop: { [self] in runSource() }, stop: { [source] in source.stop() }),
            ThreadService(loop: { [wifi] in wifi.run() }, stop: { [wifi] in wifi.stop() }),
            AntennaService(
                wifi: wifi, hold: { [source] in source.hold($0) },
                wifiChanged: { [source] in source.wifiChanged(isUsed: $0) }),
            arrivalJoin, hooks, notifications, serviceWatch,
            ReloadService(reload: { [reloader] in await reloader.reload() }),
            StartupPages(),
        ]
        definitions.use { [reloader] in await reloader.reload() }
        services += [broker, definitions, PromptAnswersService(answers, to: arrivalJoin, logger: logger)]
        if options.restarts { services.append(restart) }
        // A capture is not a machine to be found.
        if options.capture == nil { services.append(announcer) }
        let enroller = options.capture == nil ? PhoneEnroller(enrollmentDependencies, logger: logger) : nil
        if let enroller { services.append(enroller) }
        // Each may take two seconds to stop.
        services.append(ConcurrentServices(services: servers(isServed: isServed, enroller)))
        // The last to start is the first to stop: the service manager is notified of the end when it begins.
        if let supervision { services.append(supervision) }
        return services
    }

    /// A capture has no beacons to connect.
    private var batteryReading: BatteryReading {
        BatteryReading(
            adapter: { [reloader] in reloader.configuration.adapter },
            next: { [presence, source, stateStore] in
                guard let beacon = presence.driver.batteryReadingBegan(at: source.instant) else { return nil }
                // A restart must not repeat the reading, however the daemon ends.
                stateStore?.mayHaveChanged()
                return beacon
            },
            read: { [presence, source] in presence.driver.batteryRead($0, percent: $1, at: source.instant) },
            logger: logger)
    }

    private var enrollmentDependencies: PhoneEnroller.Dependencies {
        var dependencies = PhoneEnroller.Dependencies()
        dependencies.adapter = { [reloader] in reloader.configuration.adapter }
        dependencies.receptions = { [self] in receptions(of: $0, phone: $1) }
        return dependencies
    }

    /// - Parameters:
    ///   - isServed: whether this daemon holds the socket.
    ///   - enroller: Enrolls phones; `nil` if a capture stands in for the adapter.
    private func servers(isServed: Bool, _ enroller: PhoneEnroller?) -> [any Service] {
        let endpoints = endpoints(enroller)
        let loop = MultiThreadedEventLoopGroup.oneLoop
        var servers: [any Service] = []
        if isServed {
            servers.append(
                APIServer(endpoints, socket: options.socket, eventLoopGroup: loop, logger: logger))
        }
        let configuration = reloader.configuration
        let web = ListenerSupervisor(
            "web", configuration.web, address: \.listen, listeners: listeners, logger: logger
        ) { [logins, logger] web, listeners in
            WebServer(
                endpoints, address: web.listen, isOpen: web.isOpen, ingress: web.ingress, users: web.users,
                names: [NodeName.local] + web.hosts, logins: logins, listeners: listeners, eventLoopGroup: loop,
                logger: logger)
        }
        let metrics = ListenerSupervisor(
            "metrics", configuration.metrics, address: \.self, listeners: listeners, logger: logger
        ) { [logger] metrics, listeners in
            MetricsServer(
                endpoints, address: metrics, names: [NodeName.local], listeners: listeners, eventLoopGroup: loop,
                logger: logger)
        }
        self.servers.follow {
            web.set($0.web)
            metrics.set($0.metrics)
        }
        servers += [web, metrics]
        return servers
    }

    private func takeLock() throws(DaemonError) -> InstanceLock? {
        do throws(InstanceLock.Failure) {
            return try InstanceLock(socket: options.socket)
        } catch {
            if case .taken = error { throw DaemonError(description: error.description) }
            logger.error("\(error)")
            return nil
        }
    }

    private func takeStateLock() throws(DaemonError) -> StateLock? {
        guard let directory = options.stateDirectory else { return nil }
        do throws(StateLock.Failure) {
            return try StateLock(directory: directory)
        } catch {
            guard case .unusable = error else { throw DaemonError(description: error.description) }
            logger.error("\(error)")
            return nil
        }
    }

    private func runSource() {
        defer { presence.summarizeMinute() }
        do {
            if try source.run(presence.driver) {
                logger.notice("\(source.name) has ended; the states do not change any more")
                supervision?.sourceEnded("\(source.name) has ended", isFault: false)
            }
        } catch {
            logger.error("\(error)")
            supervision?.sourceEnded("\(error)", isFault: options.capture == nil)
        }
    }
}

/// Reads the configuration again on SIGHUP.
struct ReloadService: Service {
    let reload: @Sendable () async -> Void

    func run() async throws {
        await cancelWhenGracefulShutdown {
            for await _ in await UnixSignalsSequence(trapping: .sighup) { await reload() }
        }
    }
}

/// Services that start and stop at the same time.
struct ConcurrentServices: Service {
    let services: [any Service]

    func run() async throws {
        try await withThrowingDiscardingTaskGroup { group in
            for service in services { group.addTask { try await service.run() } }
        }
    }
}
