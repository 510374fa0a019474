package import HCI
package import IBeacon
package import Logging
import OkaeriBluetooth
import OkaeriConfiguration
package import OkaeriEvents
import OkaeriPlumbing
package import OkaeriPresence
package import RegionMonitoring
package import ServiceLifecycle
package import SystemPackage
import UnixSignals

/// Listening without the rest of the daemon: what `scan`, `range`, `record`, `calibrate` and `locate` do.
package final class ListeningSession: Sendable {
    private let source: any PresenceSource
    private let quietPeriod: Duration
    private let driver: PresenceDriver
    private let hub = EventHub(node: NodeName.local)
    private let logger: Logger

    /// - Parameters:
    ///   - regions: The regions to watch; empty to receive every beacon.
    ///   - adapter: the adapter's name; nil: the first that is up.
    ///   - capture: a capture in place of an adapter.
    ///   - speed: The factor by which the capture runs faster than it was recorded; `nil`: without pauses.
    ///   - quietPeriod: The longest silence before the controller is asked whether it works; `nil`: as the regions
    ///     allow.
    /// - Throws: An error if the process has no file descriptor left.
    package init(
        regions: [MonitoredRegion], adapter: String?, capture: String? = nil, speed: Double? = 1,
        quietPeriod: Duration? = nil, logger: Logger
    ) throws {
        self.logger = logger
        let usual = RadioLiveness.quietPeriod(for: regions)
        let quietPeriod = quietPeriod.map { min($0, usual) } ?? usual
        self.quietPeriod = quietPeriod
        source =
            try capture.map { try CaptureSource(file: $0, speed: speed, logger: logger) }
            ?? AdapterSource(adapter: adapter, scan: .automatic(), quietPeriod: quietPeriod)
        driver =
            PresencePublisher(
                regions: regions, clock: source,
                outputs: .init(publish: { [hub] kind, time in hub.happened(kind, at: time) })
            ).driver
    }

    /// All events from now on: ask before ``run(with:)`` to miss none.
    package func events() -> AsyncStream<Event> { hub.events(backlog: .max) }

    /// The beacons that were received after an instant, by identity; all of them without one.
    package func beacons(after instant: Instant?) -> [BeaconReport] {
        let start = instant?.advanced(by: .nanoseconds(1)) ?? Instant(nanoseconds: .min)
        return BeaconReport.list(driver.beacons(since: start), at: source.instant)
    }

    /// The beacons heard within `duration`, by identity.
    package func beacons(within duration: Duration) -> [BeaconReport] {
        let now = source.instant
        return BeaconReport.list(driver.beacons(since: now.advanced(by: .zero - duration)), at: now)
    }

    /// The present on the wall, RFC 3339; the capture's own in a replay.
    package var time: String { Timestamp.text(source.now) }

    /// An instant of the source on the wall, RFC 3339.
    package func time(of instant: Instant) -> String { Timestamp.text(source.wallTime(of: instant)) }

    /// Listens until the capture ends, one of the others is done, or SIGTERM or SIGINT.
    package func run(with others: [any Service]) async throws {
        try await run(driver, with: others) { [driver, source] in driver.endRanging(at: source.instant) }
    }

    /// Records what is heard to a btsnoop capture, until one of the others is done, or SIGTERM or SIGINT.
    ///
    /// - Parameters:
    ///   - file: The file of the capture; the caller closes it.
    ///   - isRedacted: Whether each address is replaced, by the same one throughout the capture.
    /// - Returns: The number of recorded events.
    /// - Throws: `Errno` when the file cannot be written any more.
    package func record(to file: FileDescriptor, isRedacted: Bool = false, with others: [any Service]) async throws
        -> UInt64
    {
        let recorder = Recorder(
            to: file, wallClock: source, redaction: isRedacted ? .random() : nil,
            updated: { [hub, source] in hub.happened(.bluetoothStateDidUpdate($0), at: source.now) },
            failed: { [source] in source.stop() })
        try await run(recorder, with: others)
        recorder.flush()
        if let failure = recorder.result.failure { throw failure }
        return recorder.result.count
    }

    /// Lists the phones in range, until one of the others is done, or SIGTERM or SIGINT.
    package func survey(_ survey: PhoneSurvey, with others: [any Service]) async throws {
        try await runToCut(survey, with: others)
    }

    /// A survey of the phones in range, whose changes of the adapter are events of this session.
    ///
    /// - Parameter identities: The known phones, by their key files.
    package func phoneSurvey(_ identities: [String: DeviceIdentity]) -> PhoneSurvey {
        PhoneSurvey(
            identities, updated: { [hub, source] in hub.happened(.bluetoothStateDidUpdate($0), at: source.now) })
    }

    /// The present on the clock of the survey's instants.
    package var instant: Instant { source.instant }

    /// Measures how strong the beacon is, until the capture ends, one of the others is done, or SIGTERM or
    /// SIGINT.
    ///
    /// - Parameters:
    ///   - duration: The time to listen, at the source's clock.
    ///   - progress: Receives once a second the time left and the number of readings.
    package func calibrate(
        _ constraint: BeaconConstraint, for duration: Duration, with others: [any Service],
        progress: @escaping @Sendable (_ left: Duration, _ readings: Int) -> Void
    ) async throws -> Calibration {
        let calibrator = Calibrator(
            constraint, duration: duration,
            updated: { [hub, source] in hub.happened(.bluetoothStateDidUpdate($0), at: source.now) },
            progress: progress,
            finished: { [source] in source.stop() })
        try await runToCut(calibrator, with: others)
        return calibrator.calibration
    }

    /// Finds out which of the regions this machine is in, until the answer is known, the capture ends, one of the
    /// others is done, or SIGTERM or SIGINT.
    ///
    /// - Parameter limit: The longest time to listen, at the source's clock.
    package func locate(
        _ regions: [MonitoredRegion], within limit: Duration, with others: [any Service]
    ) async throws -> LocateAnswer {
        let locator = Locator(
            regions, within: limit, quietPeriod: source is AdapterSource ? quietPeriod : nil,
            updated: { [hub, source] update, time in
                hub.happened(.bluetoothStateDidUpdate(update), at: source.wallTime(of: time))
            },
            finished: { [source] in source.stop() })
        try await runToCut(locator, with: others)
        return locator.answer(at: source.instant)
    }

    /// Listens as ``run(with:)`` does. A cut capture is only logged: what stands before the cut was received.
    private func runToCut(_ delegate: some ScannerDelegate, with others: [any Service]) async throws {
        do {
            try await run(delegate, with: others)
        } catch let error as CaptureFileError where error.isCut {
            logger.warning("\(error)")
        }
    }

    /// - Parameter ended: Is called at the end of the source, before the hub closes.
    private func run(
        _ delegate: some ScannerDelegate, with others: [any Service], ended: @escaping @Sendable () -> Void = {}
    ) async throws {
        let listening = ThreadService(
            loop: { [source] in
                defer { ended() }
                _ = try source.run(delegate)
            }, stop: { [source] in source.stop() }, endsWithLoop: true)
        let services: [any Service] = others + [HubService(hub: hub), listening]
        let group = ServiceGroup(
            configuration: .init(
                services: services.map {
                    .init(
                        service: $0, successTerminationBehavior: .gracefullyShutdownGroup,
                        failureTerminationBehavior: .gracefullyShutdownGroup)
                },
                gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
        try await group.run()
    }
}

/// Closes the hub when all that publishes has stopped, so that listeners end after the last event.
package struct HubService: Service {
    private let hub: EventHub

    package init(hub: EventHub) {
        self.hub = hub
    }

    package func run() async throws {
        defer { hub.close() }
        try await gracefulShutdown()
    }
}

/// Gives a blocking loop a thread of its own, and stops it when the daemon stops.
package struct ThreadService: Service {
    package let loop: @Sendable () throws -> Void
    package let stop: @Sendable () -> Void

    /// Whether the service is done when the loop is; otherwise only the daemon's end ends it.
    package let endsWithLoop: Bool

    /// - Parameters:
    ///   - endsWithLoop: whether the service is done when the loop is.
    ///   - loop: The function that blocks.
    ///   - stop: ends it, from any thread.
    package init(
        loop: @escaping @Sendable () throws -> Void, stop: @escaping @Sendable () -> Void, endsWithLoop: Bool = false
    ) {
        self.loop = loop
        self.stop = stop
        self.endsWithLoop = endsWithLoop
    }

    package func run() async throws {
        try await withTaskCancellationOrGracefulShutdownHandler {
            try await BlockingThread.run({ BlockingThread.StartError(code: $0) }, loop)
        } onCancelOrGracefulShutdown: {
            stop()
        }
        if !endsWithLoop { try await gracefulShutdown() }
    }
}
