import Events
import Bluetooth
import Client
import IBeacon
import Listening
import Logging
import Plumbing
import RegionMonitoring
import ServiceLifecycle
import Setup

/// The receptions of a set-up: those of a daemon if one runs, otherwise those of the adapter itself.
actor SetupRadio {
    /// A beacon that was not received for so long cannot be chosen any more.
    private static let recent = Duration.seconds(10)
    private static let interval = Duration.milliseconds(500)
    private static let calibration = Duration.seconds(20)
    /// The length of a measurement of the filtered signal, in seconds.
    private static let measurement = 60
    private static let patience = Duration.seconds(10)

    private let source: SourceOptions
    private let client: APIClient
    private let logger: Logger
    private let report: @Sendable (SetupSession.News) -> Void

    private var hasDaemon = false
    private var plan: PowerPlan?
    private var isSwitchedOn = false
    /// The task that listens, and the way to end it: in order, because the scan has to be switched off.
    private var listening: (task: Task<Void, Never>, stop: AsyncStream<Void>.Continuation, isCancellable: Bool)?

    init(
        _ source: SourceOptions, client: APIClient, logger: Logger,
        report: @escaping @Sendable (SetupSession.News) -> Void
    ) {
        self.source = source
        self.client = client
        self.logger = logger
        self.report = report
    }

    // MARK: Bluetooth

    func find() async {
        if source.capture != nil { return found(.on) }
        if source.adapter == nil, let status: StatusReport = try? await client.get(Route.briefStatus),
            status.bluetooth.state == .poweredOn, status.simulated.isEmpty
        {
            hasDaemon = true
            return found(.on)
        }
        let update = await BluetoothManager(adapter: source.adapter).authorize(within: Self.patience)
        guard update.state == .poweredOff, let adapter = update.adapter else { return found(update) }
        do throws(PowerFailure) {
            let plan = try PowerPlan(adapter: adapter)
            self.plan = plan
            found(.off(intention: plan.intention))
        } catch {
            found(error)
        }
    }

    func switchOn() async {
        do throws(PowerFailure) {
            isSwitchedOn = true
            try await plan?.carryOut()
            found(await BluetoothManager(adapter: source.adapter).poweredOn(within: Self.patience))
        } catch {
            found(error)
        }
    }

    /// As it was found. A failure is reported: it stays on then.
    func switchBack() async {
        guard isSwitchedOn, let plan else { return }
        do throws(PowerFailure) {
            try await plan.takeBack()
        } catch {
            Terminal.complain("Bluetooth stays on: \(error.reason)")
        }
    }

    private func found(_ bluetooth: SetupDialogue.Bluetooth) { report(.event(.bluetooth(bluetooth))) }

    private func found(_ update: AdapterUpdate) {
        found(
            update.state == .poweredOn
                ? .on : .unusable(reason: update.reason, isPermission: update.state == .unauthorized))
    }

    private func found(_ failure: PowerFailure) {
        found(.unusable(reason: failure.reason, isPermission: failure.cause == .notPermitted))
    }

    // MARK: Beacons

    func listen() async {
        guard listening == nil else { return }
        if hasDaemon { return begin(isCancellable: true) { [client, report] _ in await Self.follow(client, report) } }
        guard let session = session() else { return }
        begin { [report] stop in
            let services: [any Service] = [Until(stop: stop), Watch(session: session, report: report)]
            do {
                try await session.run(with: services)
            } catch {
                report(.trouble("\(error)"))
            }
        }
    }

    /// Returns when nothing is listened to any more.
    func stop() async {
        guard let listening else { return }
        self.listening = nil
        listening.stop.finish()
        if listening.isCancellable { listening.task.cancel() }
        await listening.task.value
    }

    private func begin(isCancellable: Bool = false, _ body: @escaping @Sendable (AsyncStream<Void>) async -> Void) {
        let (ended, stop) = AsyncStream.makeStream(of: Void.self)
        listening = (Task { await body(ended) }, stop, isCancellable)
    }

    private func session() -> ListeningSession? {
        do {
            return try ListeningSession(
                regions: [], adapter: source.adapter, capture: source.capture, logger: logger)
        } catch {
            report(.trouble("\(error)"))
            return nil
        }
    }

    private static func follow(_ client: APIClient, _ report: @Sendable (SetupSession.News) -> Void) async {
        while !Task.isCancelled {
            do throws(APIClient.Failure) {
                let beacons: [BeaconReport] = try await client.get(Route.beacons)
                report(.trouble(nil))
                report(.event(.beacons(beacons.filter { $0.age <= recent / .seconds(1) })))
            } catch {
                report(.trouble(error.description))
            }
            try? await Task.sleep(for: interval)
        }
    }

    // MARK: Calibration

    func calibrate(_ beacons: BeaconConstraint, identifier: String) async {
        guard let session = session() else { return report(.event(.notCalibrated("It cannot be listened now."))) }
        let region = MonitoredRegion(BeaconRegion(identifier: identifier, constraint: beacons))
        begin { [report] stop in
            let question = CalibrationSummary.Question(region: region, distance: nil, duration: Self.calibration)
            do {
                let services: [any Service] = [Until(stop: stop), Verdict(events: session.events())]
                let calibration = try await session.calibrate(beacons, for: Self.calibration, with: services) {
                    CalibrateCommand.show(left: $0, readings: $1)
                }
                do throws(Calibration.Failure) {
                    report(.event(.calibrated(try calibration.level().measuredPower)))
                } catch {
                    report(.event(.notCalibrated("\(CalibrationSummary.sentence(error, question)).")))
                }
            } catch let nothing as NoBluetooth {
                report(.event(.notCalibrated(nothing.reason)))
            } catch {
                report(.event(.notCalibrated("\(error)")))
            }
        }
    }

    // MARK: Thresholds

    /// Listens for a minute, over which the noise of the filtered signal is known to within a fifth.
    func measureSignal() async {
        await stop()
        await listen()
        Task { [report] in
            for second in 0...Self.measurement {
                report(.left(.seconds(Self.measurement - second)))
                try? await Task.sleep(for: .seconds(1))
            }
        }
    }

    /// A service that runs until it is ended.
    private struct Until: Service {
        let stop: AsyncStream<Void>

        func run() async throws {
            await cancelWhenGracefulShutdown { for await _ in stop {} }
        }
    }

    /// Shows the beacons in range, and reports problems.
    private struct Watch: Service {
        let session: ListeningSession
        let report: @Sendable (SetupSession.News) -> Void

        func run() async throws {
            let events = session.events()
            try? await cancelWhenGracefulShutdown {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        for await event in events {
                            guard case .bluetoothStateDidUpdate(let update) = event.kind else { continue }
                            report(.trouble(update.state == .poweredOn ? nil : update.reason))
                        }
                    }
                    group.addTask {
                        while true {
                            report(.event(.beacons(session.beacons(within: recent))))
                            try await Task.sleep(for: interval)
                        }
                    }
                    try await group.waitForAll()
                }
            }
            // The events end before this service is asked to.
            try await gracefulShutdown()
        }
    }
}
