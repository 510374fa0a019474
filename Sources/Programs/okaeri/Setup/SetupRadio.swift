import IBeacon
import Logging
import OkaeriBluetooth
import OkaeriClient
import OkaeriEvents
import OkaeriListening
import OkaeriPlumbing
import OkaeriSetup
import RegionMonitoring
import ServiceLifecycle
import Synchronization

/// The receptions of a set-up: those of a daemon if one runs, otherwise those of the adapter itself.
actor SetupRadio: SetupReceiver {
    /// A beacon that was not received for so long cannot be chosen any more.
    private static let recent = Duration.seconds(10)
    private static let interval = Duration.milliseconds(500)
    private static let calibration = Duration.seconds(20)
    /// The length of a measurement of the filtered signal, in seconds.
    private static let measurement = 60
    private static let patience = Duration.seconds(10)
    /// The number of receptions that wait; of more the oldest are dropped.
    private static let backlog = 16

    private let source: SourceOptions
    private let client: APIClient
    private let logger: Logger
    /// The stream of the last ``listen()`` or ``measure()``.
    private let receptions = Mutex<AsyncStream<SetupReception>.Continuation?>(nil)

    private var hasDaemon = false
    private var plan: PowerPlan?
    /// Switches Bluetooth on; `nil` before that.
    private var switching: Task<SetupBluetooth, Never>?
    /// The task that listens, and the way to end it: in order, because the scan has to be switched off.
    private var listening: (task: Task<Void, Never>, stop: AsyncStream<Void>.Continuation, isCancellable: Bool)?

    init(_ source: SourceOptions, client: APIClient, logger: Logger) {
        (self.source, self.client, self.logger) = (source, client, logger)
    }

    // MARK: Bluetooth

    func bluetooth() async -> SetupBluetooth {
        if source.capture != nil { return .on }
        if source.adapter == nil, let status: StatusReport = try? await client.get(Route.briefStatus),
            status.bluetooth.state == .poweredOn, status.simulated.isEmpty
        {
            hasDaemon = true
            return .on
        }
        let update = await BluetoothManager(adapter: source.adapter).authorize(within: Self.patience)
        guard update.state == .poweredOff, let adapter = update.adapter else { return SetupBluetooth(update) }
        do throws(PowerFailure) {
            let plan = try PowerPlan(adapter: adapter)
            self.plan = plan
            return .off(intention: Self.intention(plan))
        } catch {
            return SetupBluetooth(error)
        }
    }

    /// Returns the steps as a part of the question.
    private static func intention(_ plan: PowerPlan) -> String {
        Terminal.language(plan.steps.contains(.unblock) ? SetupPhrase.unblock : .switchOn, plan.adapter.name)
    }

    /// In a task of its own: it goes to its end, also if the wait is cancelled.
    func switchOn() async -> SetupBluetooth {
        let task = Task { await carryOut() }
        switching = task
        return await task.value
    }

    private func carryOut() async -> SetupBluetooth {
        do throws(PowerFailure) {
            try await plan?.carryOut()
            return SetupBluetooth(await BluetoothManager(adapter: source.adapter).poweredOn(within: Self.patience))
        } catch {
            return SetupBluetooth(error)
        }
    }

    /// As it was found. A failure is reported: it stays on then.
    func switchBack() async {
        guard let switching, let plan else { return }
        _ = await switching.value
        do throws(PowerFailure) {
            try await plan.takeBack()
        } catch {
            Terminal.printNotice("Bluetooth stays on: \(error.reason)")
        }
    }

    // MARK: Beacons

    func listen() async -> AsyncStream<SetupReception> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: SetupReception.self, bufferingPolicy: .bufferingNewest(Self.backlog))
        receptions.withLock { receptions in
            receptions?.finish()
            receptions = continuation
        }
        begin()
        return stream
    }

    /// The noise of the filtered signal is known to within a fifth after a minute.
    func measure() async -> AsyncStream<SetupReception> {
        await stop()
        let stream = await listen()
        Task {
            for second in 0..<Self.measurement {
                report(.left(.seconds(Self.measurement - second)))
                try? await Task.sleep(for: .seconds(1))
            }
            report(.left(.zero))
            receptions.withLock { $0?.finish() }
        }
        return stream
    }

    private func begin() {
        guard listening == nil else { return }
        if hasDaemon { return begin(isCancellable: true) { [self] _ in await follow() } }
        guard let session = session() else { return }
        begin { [self] stop in
            let services: [any Service] = [Until(stop: stop), Watch(session: session, report: report)]
            do {
                try await session.run(with: services)
            } catch {
                report(.trouble("\(error)"))
            }
        }
    }

    nonisolated private func report(_ reception: SetupReception) {
        receptions.withLock { _ = $0?.yield(reception) }
    }

    /// Returns when nothing is listened to any more.
    func stop() async {
        receptions.withLock { $0?.finish() }
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

    private func follow() async {
        while !Task.isCancelled {
            do throws(APIClient.Failure) {
                let beacons: [BeaconReport] = try await client.get(Route.beacons)
                report(.trouble(nil))
                report(.beacons(beacons.filter { $0.age <= Self.recent / .seconds(1) }))
            } catch {
                report(.trouble(error.sentence(in: Terminal.language)))
            }
            try? await Task.sleep(for: Self.interval)
        }
    }

    // MARK: Calibration

    func calibrate(_ beacons: BeaconConstraint, identifier: String) async -> Result<Int8, Mistake> {
        guard let session = session() else {
            return .failure(Mistake(Terminal.language(SetupPhrase.cannotListen)))
        }
        let region = MonitoredRegion(BeaconRegion(identifier: identifier, constraint: beacons))
        let question = CalibrationSummary.Question(region: region, distance: nil, duration: Self.calibration)
        let (results, result) = AsyncStream.makeStream(of: Result<Int8, Mistake>.self)
        begin { stop in
            result.yield(await Self.calibrate(session, beacons, question, until: stop))
            result.finish()
        }
        // It ends without an element when the wait is cancelled.
        return await results.first { _ in true } ?? .failure(Mistake(""))
    }

    private static func calibrate(
        _ session: ListeningSession, _ beacons: BeaconConstraint, _ question: CalibrationSummary.Question,
        until stop: AsyncStream<Void>
    ) async -> Result<Int8, Mistake> {
        do {
            let services: [any Service] = [Until(stop: stop), Verdict(events: session.events())]
            let measured = try await session.calibrate(beacons, for: calibration, with: services) {
                CalibrateCommand.show(left: $0, readings: $1)
            }
            do throws(Calibration.Failure) {
                return .success(try measured.level().measuredPower)
            } catch {
                return .failure(Mistake(Terminal.language.sentence(CalibrationSummary.sentence(error, question))))
            }
        } catch let nothing as NoBluetooth {
            return .failure(Mistake(nothing.localized ?? nothing.reason))
        } catch {
            return .failure(Mistake("\(error)"))
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
        let report: @Sendable (SetupReception) -> Void

        func run() async throws {
            let events = session.events()
            try? await cancelWhenGracefulShutdown {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        for await event in events {
                            guard case .bluetoothStateDidUpdate(let update) = event.kind else { continue }
                            let reason = Terminal.language.bluetooth(
                                code: update.cause.rawValue, adapter: update.adapter, reason: update.reason)
                            report(.trouble(update.state == .poweredOn ? nil : reason))
                        }
                    }
                    group.addTask {
                        while true {
                            report(.beacons(session.beacons(within: recent)))
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

extension SetupBluetooth {
    fileprivate init(_ update: AdapterUpdate) {
        self =
            update.state == .poweredOn
            ? .on
            : .unusable(
                reason: Terminal.language.bluetooth(
                    code: update.cause.rawValue, adapter: update.adapter, reason: update.reason),
                isPermission: update.state == .unauthorized)
    }

    fileprivate init(_ failure: PowerFailure) {
        self = .unusable(reason: failure.reason, isPermission: failure.cause == .notPermitted)
    }
}
