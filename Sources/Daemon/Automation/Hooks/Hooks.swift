package import Logging
package import OkaeriConfiguration
package import OkaeriEvents
package import OkaeriPlumbing
import ServiceLifecycle

/// Runs the commands that the configuration names for an event.
package actor Hooks: Service {
    private var regions: [Configuration.Region]
    private var services: [Configuration.ServiceRule]
    private var house: Configuration.House
    private var occupancy: HouseOccupancy
    private var queue = HookQueue()
    private var counted = HookTally(
        keys: Hook.Trigger.allCases.map(\.rawValue), causes: HookFailure.Cause.allCases.map(\.rawValue))

    /// From the very beginning: a region may be entered before ``run()`` is.
    private let events: AsyncStream<Event>
    private let runner: HookRunner
    private let logger: Logger

    /// One each time ``memory`` may have become another; for one listener.
    package nonisolated let changes: AsyncStream<Void>
    private let changed: AsyncStream<Void>.Continuation

    /// The hooks to run, handed to ``run()``'s task group.
    private let work = AsyncStream.makeStream(of: Hook.self)

    package init(
        _ configuration: Configuration, hub: EventHub, runner: HookRunner,
        logger: Logger
    ) {
        regions = configuration.regions
        services = configuration.services
        house = configuration.house
        occupancy = HouseOccupancy(
            regions: configuration.regions.map(\.identifier), followsHouse: configuration.kind != .receiver)
        events = hub.eventsButRanging(backlog: .max)
        self.runner = runner
        self.logger = logger
        (changes, changed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                group.addTask { for await event in self.events { await self.happened(event) } }
                for await hook in self.work.stream { group.addTask { await self.carryOut(hook) } }
                group.cancelAll()
            }
        }
        let waiting = queue.stopped()
        if !waiting.isEmpty {
            logger.warning(
                "\(quantity(waiting.count, "hook that waited is", plural: "hooks that waited are")) not run: the daemon stops"
            )
        }
    }

    /// The numbers of hooks that were run and that wait.
    package var tally: HookTally {
        var tally = counted
        let counts = queue.counts
        (tally.running, tally.waiting, tally.dropped) = (counts.running, counts.waiting, UInt64(counts.dropped))
        return tally
    }

    private func happened(_ event: Event) {
        if let hook = Hook(for: event, regions: regions, services: services) { perform(queue.arrived(hook)) }
        let before = occupancy.lastKnown
        let trigger = occupancy.happened(event.kind)
        if occupancy.lastKnown != before { changed.yield() }
        guard let trigger else { return }
        let hook = Hook(subject: .house(house), trigger: trigger, event: event)
        if !hook.command.isEmpty { perform(queue.arrived(hook)) }
    }

    private func perform(_ actions: [HookQueue.Action]) {
        for action in actions {
            switch action {
            case .run(let hook): work.continuation.yield(hook)
            case .dropped(let hook, let total):
                logger.warning(
                    "\(hook.trigger.rawValue) is not run for the event of \(Timestamp.text(hook.event.time)): events come faster than the hook ends; make it faster",
                    metadata: hook.owner.metadata.merging(["dropped": "\(total)"]) { $1 })
            }
        }
    }

    /// Runs a hook, outside of the actor's own time.
    private func carryOut(_ hook: Hook) async {
        let metadata = hook.owner.metadata.merging(["hook": "\(hook.trigger.rawValue)"]) { $1 }
        counted.runs[hook.trigger.rawValue, default: 0] += 1
        logger.debug("running \(hook.command)", metadata: metadata)
        do throws(HookFailure) {
            try await runner.run(hook) { [logger] stream, line in
                switch stream {
                case .output: logger.info("\(line)", metadata: metadata)
                case .errors: logger.warning("\(line)", metadata: metadata)
                }
            }
        } catch {
            counted.failures[error.cause.rawValue, default: 0] += 1
            logger.warning("\(hook.command[0]): \(error)", metadata: metadata)
        }
        if !Task.isCancelled { perform(queue.finished(hook.owner)) }
    }
}

extension Hooks: Configured {
    /// A waiting hook was due under the old configuration, and runs by it.
    package func configured(_ configuration: Configuration) {
        regions = configuration.regions
        services = configuration.services
        house = configuration.house
        occupancy.configured(
            regions: regions.map(\.identifier), followsHouse: configuration.kind != .receiver)
        changed.yield()
    }
}

extension Hooks: Persistable {
    package var memory: OccupancyMemory { OccupancyMemory(occupied: occupancy.lastKnown) }

    package func restore(_ memory: OccupancyMemory, from past: PersistedPast) {
        occupancy.restored(past.isStale ? nil : memory.occupied)
    }
}

extension Hook.Owner {
    fileprivate var metadata: Logger.Metadata {
        switch self {
        case .region(let identifier): ["region": "\(identifier)"]
        case .service(let label): ["service": "\(label)"]
        case .house: ["scope": "house"]
        }
    }
}
