import Logging
import OkaeriEvents
import OkaeriPlumbing
import ServiceLifecycle
import SystemPackage

/// Stores what must outlive the daemon: the memory of each of its parts.
actor StateStore: Service {
    private let file: StateFile
    private let writer: StateWriter
    private let validFor: Duration
    private let parts: [any Persistable]
    private let events: AsyncStream<Event>
    private let caughtUp: @Sendable () async -> Void
    private let logger: Logger

    /// Coalesces pending changes.
    private let occasions = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    private var restoration = Restoration.nothing
    private var plan: WritingPlan
    private let alarm = Alarm()
    private var failure: Errno?

    /// - Parameters:
    ///   - directory: The directory of the file.
    ///   - validFor: The age up to which state is valid at a start.
    ///   - parts: The parts with a memory, in the order in which they are asked and restored.
    ///   - events: all that happens but ranging, from the beginning.
    ///   - caughtUp: returns when all that has happened is published.
    init(
        directory: String, validFor: Duration, parts: [any Persistable], events: AsyncStream<Event>,
        caughtUp: @escaping @Sendable () async -> Void, logger: Logger
    ) {
        let file = StateFile(directory: directory)
        self.init(
            file: file, validFor: validFor, parts: parts, events: events, caughtUp: caughtUp,
            replace: { text throws(Errno) in try file.write(text) }, logger: logger)
    }

    /// - Parameter replace: puts a text in the place of the file's, on a thread that may wait for the disk.
    init(
        file: StateFile, validFor: Duration, parts: [any Persistable], events: AsyncStream<Event>,
        caughtUp: @escaping @Sendable () async -> Void, replace: @escaping StateWriter.Replace, logger: Logger
    ) {
        self.file = file
        writer = StateWriter(replace: replace)
        self.validFor = validFor
        plan = WritingPlan(validFor: validFor)
        self.parts = parts
        self.events = events
        self.caughtUp = caughtUp
        self.logger = logger
    }

    /// Goes on from what was kept, before anything else happens.
    func restore() async {
        do throws(StateFileError) {
            guard let state = try file.read(parts.map { $0.memoryType }) else { return }
            restoration = Restoration.judge(state.written, at: .now, validFor: validFor)
            let past = PersistedPast(age: restoration.age, isStale: restoration.isStale)
            for (part, memory) in zip(parts, state.parts) { await part.restore(any: memory, from: past) }
        } catch {
            restoration = .refused(error, setAside: file.moveAside(error))
        }
        report(restoration)
    }

    private func report(_ restoration: Restoration) {
        let sentence: Logger.Message = "the persisted state \(file.path) \(restoration)"
        switch restoration {
        case .nothing: break
        case .restored: logger.notice(sentence)
        case .stale, .refused: logger.warning(sentence)
        }
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                group.addTask { for await event in self.events where event.kind.isKept { self.mayHaveChanged() } }
                for await _ in self.occasions.stream { await self.keep() }
                group.cancelAll()
            }
        }
        alarm.clear()
        await write(await state)
        writer.end()
    }

    /// Reports that a part's memory may have changed, or that the wall clock was set, which gives the age of the state
    /// after the machine's next start.
    nonisolated func mayHaveChanged() { occasions.continuation.yield() }

    private var state: PersistedState {
        get async {
            var memories: [any PersistedMemory] = []
            for part in parts { memories.append(await part.memory) }
            let state = PersistedState(written: .now, parts: memories)
            // The listeners have handled the event before the state of its region is written. If the state was written
            // first, an arrival would never be announced after an end in between.
            await caughtUp()
            return state
        }
    }

    private func keep() async {
        let due = plan.looked(at: await state, hasFailed: failure != nil, .now)
        wakeUp(at: plan.due)
        guard let due else { return }
        await write(due)
        guard failure != nil else { return }
        plan.failed(.now)
        wakeUp(at: plan.due)
    }

    private func wakeUp(at due: ContinuousClock.Instant?) {
        guard let due else { return }
        alarm.set(due) { [weak self] in self?.mayHaveChanged() }
    }

    /// Logs once that nothing can be stored, and once that it can again.
    private func write(_ state: PersistedState) async {
        guard !restoration.forbidsWriting else { return }
        do throws(Errno) {
            try await writer.write(state)
            if failure != nil { logger.notice("the state is stored again, in \(file.path)") }
            failure = nil
        } catch {
            guard failure == nil else { return }
            failure = error
            logger.warning(
                "the state cannot be stored in \(file.path): \(error); the regions are monitored all the same, and a restart goes on from what was stored before"
            )
        }
    }

    /// The path of the persisted state, the result of its restoration, and its present problem.
    var report: StatusReport.Kept {
        StatusReport.Kept(
            file: file.path, start: restoration.word, age: restoration.age.map { ($0 / .seconds(1)).rounded() },
            reason: "\(restoration)", problem: failure?.description)
    }
}

extension Persistable {
    fileprivate var memoryType: any PersistedMemory.Type { Memory.self }

    fileprivate func restore(any memory: any PersistedMemory, from past: PersistedPast) async {
        if let memory = memory as? Memory { await restore(memory, from: past) }
    }
}

extension Event.Kind {
    /// Whether kept state may be another one after it.
    fileprivate var isKept: Bool {
        switch name {
        case .didDetermineState, .didEnterRegion, .didExitRegion, .wifiPrompt, .wifiPromptAnswered,
            .wifiPromptWithdrawn, .wifiJoined,
            .wifiJoinFailed, .wifiActionCompleted, .wifiActionFailed, .peripheralDidConnect, .peripheralDidDisconnect:
            true
        case .didStartMonitoring, .didRangeBeacons, .monitoringDidFail,
            .rangingBeaconsDidFail, .bluetoothStateDidUpdate, .wifiUnavailable, .wifiAccessLimited,
            .peripheralDidFailToConnect, .didDetermineRoom:
            false
        }
    }
}

/// Passes changes on.
struct ChangesService: Service {
    let changes: AsyncStream<Void>
    let changed: @Sendable () -> Void

    func run() async throws {
        await cancelWhenGracefulShutdown { for await _ in changes { changed() } }
        try await gracefulShutdown()
    }
}

/// Reports once that the clock was set, with the first event by the new time, ranging included. A quiet house is not
/// woken for it.
struct ClockWatchService: Service {
    /// The events from now on.
    let events: AsyncStream<Event>
    /// Called when the clock was set.
    let wasSet: @Sendable () -> Void
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var watch = ClockWatch(at: .now)
            for await _ in events {
                guard let step = watch.looked(at: .now) else { continue }
                let direction = step > .zero ? "forward by \(step.roughly)" : "back by \((.zero - step).roughly)"
                logger.notice(
                    "the clock was set \(direction): events have the new time from now on, and the states of regions do not depend on it"
                )
                wasSet()
            }
        }
        try await gracefulShutdown()
    }
}
