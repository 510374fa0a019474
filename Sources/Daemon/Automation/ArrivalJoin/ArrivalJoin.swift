package import Logging
package import OkaeriConfiguration
package import OkaeriEvents
package import OkaeriPlumbing
package import OkaeriWiFi
import RegionMonitoring
import ServiceLifecycle

/// Offers the Wi-Fi on arrival: carries out what the ``WiFi/JoinPrompter`` decides.
package actor ArrivalJoin: Service {
    private var prompter = JoinPrompter<Instant>()
    private var networks: [String: HomeNetwork]
    private let wifi: any WiFiService
    private let hub: EventHub

    /// From the very beginning: a region may be entered before ``run()`` is.
    private let events: AsyncStream<Event>

    /// The regions that are inside now, as the events had it. Tracked here and not requested from the driver: a region may be
    /// entered between the answer and its arrival.
    private var inside: Set<String> = []
    private let lastInside: @Sendable () -> Set<String>
    private let clock: PrompterClock
    private let logger: Logger

    private let accessLimit: Duration

    /// The slow actions, handed to ``run()``'s task group.
    private let work = AsyncStream.makeStream(of: PrompterAction.self)
    private let alarm = Alarm()

    /// One each time ``memory`` may have become another; for one listener.
    package nonisolated let changes: AsyncStream<Void>
    private let changed: AsyncStream<Void>.Continuation

    /// - Parameters:
    ///   - lastInside: the regions that were inside before a restart, once the region monitor is restored.
    ///   - clock: The clock of the decisions, and of the times that events of ours are stamped with.
    ///   - accessLimit: the time after a join for NetworkManager's check of the Internet. NetworkManager ends a check
    ///     after 20 s, and repeats one that failed after 1, 2, 4 … seconds.
    package init(
        regions: [Configuration.Region], wifi: any WiFiService, hub: EventHub,
        lastInside: @escaping @Sendable () -> Set<String> = { [] }, clock: PrompterClock,
        accessLimit: Duration = .seconds(30), logger: Logger
    ) {
        self.accessLimit = accessLimit
        networks = Self.networks(regions)
        self.lastInside = lastInside
        self.clock = clock
        self.wifi = wifi
        self.hub = hub
        events = hub.eventsButRanging(backlog: .max)
        self.logger = logger
        (changes, changed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                group.addTask { for await event in self.events { await self.happened(event) } }
                group.addTask { for await _ in self.wifi.states() { await self.wifiChanged() } }
                for await action in self.work.stream { group.addTask { await self.carryOut(action) } }
                group.cancelAll()
            }
        }
        alarm.clear()
    }

    /// The prompts that wait, and the networks that are not asked about any more.
    package var prompts: PromptsReport {
        PromptsReport(waiting: prompter.prompts, never: prompter.refused.sorted().map(\.text))
    }

    /// The prompts of each configured network, and the cool-down that delays its next one. A network that is connected has
    /// none: its arrivals have nothing to ask.
    package var reports: [NetworkPromptsReport] {
        let (instant, wall) = (clock.instant, clock.moment().wall)
        let known = Dictionary(
            prompter.networks(at: instant).map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        return names.sorted().map { name in
            var report = NetworkPromptsReport(ssid: name.text, prompts: known[name]?.prompts ?? 0)
            guard let network = known[name], let end = network.coolDownEnd, !wifi.state.isConnected(to: name) else {
                return report
            }
            let left = instant.duration(to: end).clampedNanoseconds
            report.coolDownUntil = Timestamp.text(wall.addingClamped(left))
            report.coolDownCode = network.cause?.rawValue
            report.coolDownReason = network.cause?.description
            return report
        }
    }

    /// The names of the networks that arrivals offer.
    package var names: Set<SSID> { Set(networks.values.map(\.name)) }

    /// Handles the answer to a prompt.
    package func answered(_ id: String, _ answer: PromptAnswer) throws(PromptAnswerError) {
        perform(try prompter.answered(id, answer, at: clock.instant))
    }

    /// Takes back `never`, or that a network was asked about beside another connection. Returns whether there was one.
    package func neverCleared(ssid: String) -> Bool {
        guard let actions = prompter.neverCleared(ssid: ssid, at: clock.instant) else { return false }
        perform(actions)
        return true
    }

    private func replace(_ regions: [Configuration.Region]) {
        let old = networks
        networks = Self.networks(regions)
        inside.formIntersection(regions.map(\.identifier))
        for identifier in old.keys where networks[identifier] == nil {
            perform(prompter.departed(region: identifier, isReconfigured: true, at: clock.instant))
        }
        perform(prompter.configured(Set(networks.values)))
        for (identifier, network) in networks where inside.contains(identifier) {
            perform(prompter.arrived(region: identifier, network: network, at: clock.instant))
        }
    }

    private static func networks(_ regions: [Configuration.Region]) -> [String: HomeNetwork] {
        Dictionary(
            regions.compactMap { region in region.network.map { (region.identifier, $0) } },
            uniquingKeysWith: { first, _ in first })
    }

    /// An arrival is a region that is inside now; an unknown state is neither an arrival nor a departure.
    private func happened(_ event: Event) {
        if case .didStartMonitoring(let region) = event.kind { inside.remove(region) }
        guard case .didDetermineState(let region, let state) = event.kind else { return }
        if state == .inside { inside.insert(region) } else { inside.remove(region) }
        guard let network = networks[region] else { return }
        switch state {
        case .inside: perform(prompter.arrived(region: region, network: network, at: clock.instant))
        case .outside: perform(prompter.departed(region: region, at: clock.instant))
        case .unknown: break
        }
    }

    private func wifiChanged() {
        perform(prompter.wifiChanged(at: clock.instant))
    }

    /// Asks what takes time, outside of the actor's own.
    private func carryOut(_ action: PrompterAction) async {
        switch action {
        case .determineCondition(let ticket, let network, let action):
            let condition = await wifi.condition(of: network, for: action)
            perform(prompter.conditionDetermined(ticket: ticket, condition, at: clock.instant))
        case .startAction(let attempt):
            let result = await wifi.carryOut(attempt.action, attempt.network, consent: attempt.consent)
            perform(prompter.actionFinished(attempt.id, result: result, at: clock.instant))
            if attempt.action == .join, case .success(let joined) = result,
                let internet = await limitedAccess(through: attempt.network.name, on: joined.device)
            {
                publish(attempt, internet)
            }
        case .announce, .withdraw, .actionCompleted, .actionFailed, .note: break
        }
    }

    /// Returns what limits the access to the Internet through the network that has just been joined, or nil if nothing does.
    ///
    /// A captive portal is a result at once. Another limitation is one only when the time is over, because the first checks
    /// fail until names can be resolved.
    private func limitedAccess(through name: SSID, on device: String?) async -> InternetAccess? {
        await withTaskGroup(of: InternetAccess?.self) { [wifi, accessLimit] group in
            group.addTask {
                var isJoined = false
                for await state in wifi.states() {
                    let wasJoined = isJoined
                    let internet = state.internet(through: name, on: device)
                    isJoined = internet != nil
                    if wasJoined && !isJoined { return nil }
                    if internet?.limitation == .captivePortal { return internet }
                }
                return nil
            }
            group.addTask {
                guard await accessLimit.elapsed() else { return nil }
                return wifi.state.internet(through: name, on: device)
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }

    private func perform(_ actions: [PrompterAction]) {
        for action in actions {
            switch action {
            case .determineCondition, .startAction: work.continuation.yield(action)
            case .announce, .withdraw, .actionCompleted, .actionFailed, .note: publish(action)
            }
        }
        changed.yield()
        guard let deadline = prompter.nextDeadline else { return alarm.clear() }
        alarm.set(.now + clock.delay(until: deadline)) { [weak self] in await self?.advance() }
    }

    private func advance() { perform(prompter.advanced(to: clock.instant)) }
}

extension ArrivalJoin: Configured {
    /// Regions that are inside count as arrivals at their new network.
    package func configured(_ configuration: Configuration) { replace(configuration.regions) }
}

extension ArrivalJoin: Persistable {
    package var memory: PromptMemory { prompter.memory(at: clock.instant) }

    /// The region monitor must have been restored before.
    package func restore(_ memory: PromptMemory, from past: PersistedPast) {
        let inside = lastInside()
        prompter.restored(memory, age: past.age, networks: networks, inside: inside, at: clock.instant)
    }
}

// MARK: Events

extension ArrivalJoin {
    private func publish(_ action: PrompterAction) {
        switch action {
        case .announce(let prompt):
            publish(.wifiPrompt(.init(prompt)))
        case .withdraw(let prompt, .answered(let answer)):
            publish(.wifiPromptAnswered(.init(prompt), answer: answer))
        case .withdraw(let prompt, let reason):
            publish(.wifiPromptWithdrawn(.init(prompt), code: reason.code))
        case .actionCompleted(let attempt, let joined) where attempt.action != .join:
            publish(.wifiActionCompleted(.init(attempt), action: attempt.action, device: joined.device))
        case .actionCompleted(let attempt, let joined):
            publish(.wifiJoined(.init(attempt), device: joined.device))
        case .actionFailed(let attempt, let failure) where attempt.action != .join:
            publish(
                .wifiActionFailed(
                    .init(attempt), action: attempt.action, code: failure.code.rawValue, reason: failure.description))
        case .actionFailed(let attempt, let failure):
            publish(.wifiJoinFailed(.init(attempt), code: failure.code.rawValue, reason: failure.description))
        case .note(let ssid, let regions, .unavailable(let failure)):
            let event = Event.WiFi(id: nil, ssid: ssid, region: regions.first)
            publish(.wifiUnavailable(event, code: failure.code.rawValue, reason: failure.description))
        case .note(let ssid, _, .coolingDown) where wifi.state.isConnected(to: SSID(ssid)):
            // Nothing is to be asked.
            break
        case .note(let ssid, let regions, let reason):
            logger.notice(
                "no prompt for “\(ssid)”: \(reason)", metadata: ["region": "\(regions.joined(separator: ","))"])
        case .determineCondition, .startAction:
            break
        }
    }

    private func publish(_ attempt: JoinAttempt, _ internet: InternetAccess) {
        guard let limitation = internet.limitation, let reason = internet.reason else { return }
        publish(.wifiAccessLimited(.init(attempt), code: limitation.rawValue, reason: reason))
    }

    private func publish(_ kind: Event.Kind) {
        hub.happened(kind, at: clock.moment().wall)
    }
}

extension Event.WiFi {
    fileprivate init(_ prompt: Prompt) {
        self.init(id: prompt.id, ssid: prompt.ssid, region: prompt.regions.first, situation: prompt.situation)
    }

    fileprivate init(_ attempt: JoinAttempt) {
        self.init(id: attempt.prompt?.id, ssid: attempt.network.ssid, region: attempt.regions.first)
    }
}

/// Answers to prompts on their way from the broker's thread to the prompter.
package final class PromptAnswers: Sendable {
    private let stream = AsyncStream.makeStream(
        of: (prompt: String, word: String).self, bufferingPolicy: .bufferingNewest(16))

    package init() {}

    package func give(_ prompt: String, _ word: String) { stream.continuation.yield((prompt, word)) }

    /// The shortest time between two messages about wrong answers. Any client of the broker can publish them.
    private static let pause = Duration.seconds(60)

    /// Passes the answers to the prompter until the task is cancelled.
    func deliver(to arrivalJoin: ArrivalJoin, _ logger: Logger) async {
        var loggedAt: ContinuousClock.Instant?
        func isQuiet() -> Bool { loggedAt.map { ContinuousClock.now - $0 < Self.pause } ?? false }
        for await (prompt, word) in stream.stream {
            do throws(PromptAnswerError) {
                if let answer = PromptAnswer(rawValue: word) {
                    try await arrivalJoin.answered(prompt, answer)
                } else if !isQuiet() {
                    loggedAt = .now
                    logger.warning("an answer to a prompt over MQTT is ignored: it is not join, later or never")
                }
            } catch {
                guard !isQuiet() else { continue }
                loggedAt = .now
                logger.notice("\(error)")
            }
        }
    }
}

package struct PromptAnswersService: Service {
    private let answers: PromptAnswers
    private let arrivalJoin: ArrivalJoin
    private let logger: Logger

    package init(_ answers: PromptAnswers, to arrivalJoin: ArrivalJoin, logger: Logger) {
        self.answers = answers
        self.arrivalJoin = arrivalJoin
        self.logger = logger
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown { await answers.deliver(to: arrivalJoin, logger) }
        try await gracefulShutdown()
    }
}
