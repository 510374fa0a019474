import IBeacon
import Logging
import NIOPosix
import RegionMonitoring
import ServiceLifecycle
import SystemPackage
import WiFi

/// Keeps what must outlive the daemon: where everybody is, what was learned, and what was answered.
actor StateKeeper: Service {
    private let file: StateFile
    private let validFor: Duration
    private let core: PresenceCore
    private let homecoming: Homecoming
    private let serviceWatch: ServiceWatch
    private let instant: @Sendable () -> Instant
    private let hub: EventHub
    private let events: AsyncStream<Event>
    private let logger: Logger

    /// Something may have changed; more often than once is once.
    private let occasions = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    private var restoration = Restoration.nothing
    private var plan: WritingPlan
    private var timer: Task<Void, Never>?
    private var failure: Errno?

    /// - Parameters:
    ///   - directory: where the file is.
    ///   - validFor: how old state may be at a start to be believed.
    ///   - instant: the present on the clock that drives the core.
    init(
        directory: String, validFor: Duration, core: PresenceCore, homecoming: Homecoming, serviceWatch: ServiceWatch,
        instant: @escaping @Sendable () -> Instant, hub: EventHub, logger: Logger
    ) {
        file = StateFile(directory: directory)
        self.validFor = validFor
        plan = WritingPlan(validFor: validFor)
        self.core = core
        self.homecoming = homecoming
        self.serviceWatch = serviceWatch
        self.instant = instant
        self.hub = hub
        events = hub.events(backlog: .max)
        self.logger = logger
    }

    /// Goes on from what was kept, before anything else happens.
    func restore() async {
        do throws(StateFileError) {
            guard let state = try file.read() else { return }
            let verdict = Restoration.judge(state.written, at: .now, validFor: validFor)
            let regions = try state.regionMemory(isStale: verdict.isStale)
            let prompts = try state.promptMemory(age: verdict.age)
            restoration = verdict
            core.restore(regions)
            let inside = core.snapshot(at: instant()).regions.filter { $0.lastKnown == .inside }
                .map(\.region.region.identifier)
            await homecoming.restore(prompts, inside: Set(inside))
            await serviceWatch.restore(verdict.isStale ? [] : state.peripherals ?? [])
        } catch {
            let isAside = error.isOurs && file.moveAside()
            restoration = .refused(error, setAside: isAside ? file.setAside : nil)
        }
        tell()
    }

    private func tell() {
        let sentence: Logger.Message = "the kept state \(file.path) \(restoration)"
        switch restoration {
        case .nothing: break
        case .restored: logger.notice(sentence)
        case .stale, .refused: logger.warning(sentence)
        }
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                group.addTask { for await event in self.events where event.kind.isKept { self.occur() } }
                group.addTask { for await _ in self.homecoming.changes { self.occur() } }
                for await _ in self.occasions.stream { await self.keep() }
                group.cancelAll()
            }
        }
        timer?.cancel()
        let state = await state
        settle { () throws(Errno) in try file.write(state) }
    }

    /// Somebody set the wall clock, by which the age of what is kept is told after the machine's next start.
    nonisolated func clockWasSet() { occur() }

    private nonisolated func occur() { occasions.continuation.yield() }

    private var state: KeptState {
        get async {
            // The regions first: what the prompter does not know of yet is asked about after a restart.
            let regions = core.memory(at: instant())
            let state = KeptState(
                regions, await homecoming.memory, await serviceWatch.memory, written: .now)
            // The core knows an arrival before anybody is told. Kept before, it would never be, if the end came between.
            await hub.caughtUp()
            return state
        }
    }

    private func keep() async {
        let state = await state
        let isDue = plan.looked(at: state, hasFailed: failure != nil, .now)
        wakeUp(at: plan.due)
        guard isDue else { return }
        // A card may take its time: nobody else is to wait for it.
        let file = file
        let result = try? await NIOThreadPool.singleton.runIfActive { () -> Result<Void, Errno> in
            Result { () throws(Errno) in try file.write(state) }
        }
        guard let result else { return }
        settle { () throws(Errno) in try result.get() }
        guard failure != nil else { return }
        plan.failed(.now)
        wakeUp(at: plan.due)
    }

    private func wakeUp(at due: ContinuousClock.Instant?) {
        timer?.cancel()
        timer = due.map { due in
            Task {
                guard (try? await Task.sleep(until: due, clock: .continuous)) != nil else { return }
                self.occur()
            }
        }
    }

    /// Says once that nothing can be kept, and once that it can again.
    private func settle(_ write: () throws(Errno) -> Void) {
        do throws(Errno) {
            try write()
            if failure != nil { logger.notice("the state is kept again, in \(file.path)") }
            failure = nil
        } catch {
            guard failure == nil else { return }
            failure = error
            logger.warning(
                "the state cannot be kept in \(file.path): \(error). The regions are watched all the same; after a restart it goes on from what was kept before"
            )
        }
    }

    /// What `okaeri status` tells of it.
    var report: StatusReport.Kept {
        .init(
            file: file.path, start: restoration.word, age: restoration.age.map { ($0 / .seconds(1)).rounded() },
            reason: "\(restoration)",
            problem: failure?.description)
    }
}

extension Event.Kind {
    /// Whether kept state may be another one after it.
    fileprivate var isKept: Bool {
        switch self {
        case .didDetermineState, .wifiPrompt, .wifiPromptAnswered, .wifiJoined, .wifiJoinFailed,
            .peripheralDidConnect, .peripheralDidDisconnect:
            true
        case .didStartMonitoring, .didEnterRegion, .didExitRegion, .didRangeBeacons, .monitoringDidFail,
            .rangingBeaconsDidFail, .bluetoothStateDidUpdate:
            false
        }
    }
}
