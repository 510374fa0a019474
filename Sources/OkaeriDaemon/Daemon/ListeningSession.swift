import BeaconLocation
import Bluetooth
import IBeacon
public import Logging
public import RegionMonitoring
public import ServiceLifecycle
public import SystemPackage
import UnixSignals

/// Listening without the rest of the daemon: what `scan`, `range`, `record`, `calibrate` and `locate` do.
public final class ListeningSession: Sendable {
    private let source: any PresenceSource
    private let patience: Duration
    private let core: PresenceCore
    private let hub = EventHub()
    private let logger: Logger

    /// - Parameters:
    ///   - regions: what to watch; none to hear everything.
    ///   - adapter: the adapter's name; nil: the first that is up.
    ///   - capture: a capture in place of an adapter.
    ///   - speed: how many times faster than it was recorded the capture runs; nil: as fast as it goes.
    ///   - patience: how long a silence may be at most before the controller is asked whether it lives; nil: as the
    ///     regions allow.
    /// - Throws: when the process has no file descriptor left.
    public init(
        regions: [MonitoredRegion], adapter: String?, capture: String? = nil, speed: Double? = 1,
        patience: Duration? = nil, logger: Logger
    ) throws {
        self.logger = logger
        let usual = Vitality.patience(for: regions)
        let patience = patience.map { min($0, usual) } ?? usual
        self.patience = patience
        source =
            try capture.map { CaptureSource(file: $0, speed: speed, logger: logger) }
            ?? AdapterSource(adapter: adapter, scan: .init(), patience: patience)
        core = PresenceCore(regions: regions, wallClock: source, publish: { [hub] in hub.publish($0) })
    }

    /// All events from now on: ask before ``run(with:)`` to miss none.
    public func events() -> AsyncStream<Event> { hub.events(backlog: .max) }

    /// The beacons heard within `duration`, by identity.
    public func beacons(within duration: Duration) -> [BeaconReport] {
        BeaconReport.list(core, at: source.instant, within: duration)
    }

    /// The present on the wall, RFC 3339; the capture's own in a replay.
    public var time: String { Timestamp.text(source.now) }

    /// Listens until the capture ends, one of the others is done, or SIGTERM or SIGINT.
    public func run(with others: [any Service]) async throws {
        try await run(core, with: others)
    }

    /// Records what is heard to a btsnoop capture, until one of the others is done, or SIGTERM or SIGINT.
    ///
    /// - Parameter file: where the capture goes; it is the caller's to close.
    /// - Returns: how many events were recorded.
    /// - Throws: `Errno` when the file cannot be written any more.
    public func record(to file: FileDescriptor, with others: [any Service]) async throws -> UInt64 {
        let recorder = Recorder(
            to: file, wallClock: source,
            tell: { [hub, source] in hub.publish(Event($0, time: source.now)) },
            failed: { [source] in source.stop() })
        try await run(recorder, with: others)
        recorder.flush()
        if let failure = recorder.result.failure { throw failure }
        return recorder.result.count
    }

    /// Measures how strong the region's beacon is, until the capture ends, one of the others is done, or SIGTERM or SIGINT.
    ///
    /// - Parameters:
    ///   - duration: how long to listen, at the source's clock.
    ///   - progress: is told once a second how long it still takes, and how many readings there are.
    public func calibrate(
        _ region: MonitoredRegion, for duration: Duration, with others: [any Service],
        progress: @escaping @Sendable (_ left: Duration, _ readings: Int) -> Void
    ) async throws -> Calibration {
        let calibrator = Calibrator(
            region.region.constraint, duration: duration,
            tell: { [hub, source] in hub.publish(Event($0, time: source.now)) }, progress: progress,
            finished: { [source] in source.stop() })
        do {
            try await run(calibrator, with: others)
        } catch let error as CaptureFileError where error.isCut {
            // What stood before the cut was heard.
            logger.warning("\(error)")
        }
        return calibrator.calibration
    }

    /// Finds out which of the regions this machine is in, until the answer is known, the capture ends, one of the others
    /// is done, or SIGTERM or SIGINT.
    ///
    /// - Parameter limit: how long to listen at most, at the source's clock.
    public func locate(
        _ regions: [MonitoredRegion], within limit: Duration, with others: [any Service]
    ) async throws -> Location {
        let locator = Locator(
            regions, within: limit, patience: source is AdapterSource ? patience : nil,
            tell: { [hub, source] update, time in hub.publish(Event(update, time: source.wallTime(of: time))) },
            finished: { [source] in source.stop() })
        do {
            try await run(locator, with: others)
        } catch let error as CaptureFileError where error.isCut {
            // What stood before the cut was heard.
            logger.warning("\(error)")
        }
        return locator.location(at: source.instant)
    }

    private func run(_ receiver: some PacketReceiver, with others: [any Service]) async throws {
        let listening = ThreadService(
            loop: { [source] in _ = try source.run(receiver) }, stop: { [source] in source.stop() }, endsWithLoop: true)
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

extension Event {
    /// What became of the adapter.
    fileprivate init(_ update: AdapterUpdate, time: Int64) {
        self.init(
            time: time,
            kind: .bluetoothStateDidUpdate(
                state: update.state.rawValue, adapter: update.adapter, reason: update.reason))
    }
}
