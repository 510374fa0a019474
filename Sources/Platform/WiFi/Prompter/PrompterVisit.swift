import OkaeriPlumbing

extension JoinPrompter {
    /// The numbers that name requests, attempts and prompts.
    struct Numbers: Sendable {
        var nextPrompt = 1
        private(set) var ticket = 0
        private var attempt = 0

        mutating func newTicket() -> Int {
            ticket += 1
            return ticket
        }

        mutating func newAttempt() -> Int {
            attempt += 1
            return attempt
        }

        mutating func newPrompt() -> String {
            defer { nextPrompt += 1 }
            return String(nextPrompt)
        }
    }

    /// The state of an arrival, or of a departure: after the last region was left, the phases from `coolingDown` to `acting` lead to the
    /// end of what a departure does, and then to `away`. Leaving the last region leads to `away`, or with an action of departures to
    /// `coolingDown` or `determining`, from all but `acting`.
    enum Phase: Sendable {
        /// No region is inside. → `determining`, `coolingDown` or `settled` on arrival
        case away

        /// Inside, too soon after the last offer. → `determining` when the time is up
        case coolingDown(until: Instant, NetworkCoolDown.Cause)

        /// The condition is requested. `again`: Wi-Fi has changed since.
        /// → `prompting`, `acting`, `coolingDown`, `waiting` or `settled` with the answer
        case determining(ticket: Int, again: Bool)

        /// The action is not possible now. → `determining` when the time is up or Wi-Fi changes
        case waiting(until: Instant)

        /// A prompt waits. The ticket asks whether another program has connected since; `again`: Wi-Fi has changed
        /// since it was asked. → `acting` or `settled` with an answer, `settled` when connected
        case prompting(Prompt, ticket: Int?, again: Bool)

        /// A join or another action runs. `arrival` is the one it was started in. → `settled`, `holding`, `coolingDown`, `waiting`; if
        /// the last region was left, or one was entered since, what follows from that
        case acting(JoinAttempt, arrival: Int)

        /// Joined without a question. The ticket asks whether it is still connected; `again`: Wi-Fi has changed since it was asked.
        /// → `waiting` or `acting` if the connection is lost, `settled` if a user ended it
        case holding(since: Instant, ticket: Int?, again: Bool)

        /// This arrival is done with; `byPolicy`: because the deciding region wants nothing, which another one may.
        /// → `away`
        case settled(byPolicy: Bool = false)
    }

    /// The state of one network, and the steps that concern no other network.
    struct Visit: Sendable {
        /// Before a network that could not be joined is looked at again; doubled each time, up to the longest.
        static var firstRetry: Duration { .seconds(30) }
        private static var longestRetry: Duration { .seconds(600) }
        /// For a stronger signal, before a join without a question.
        private static var patience: Duration { .seconds(20) }
        /// Actions that began again after an interruption in one arrival, before the next one waits for the cool-down and a new answer.
        private static var mostRestarts: Int { 5 }

        /// The network by the region that has been inside the longest; the last one that was, if none is.
        private(set) var network: HomeNetwork

        /// The regions that are inside, in the order of their arrival, each with its settings of the network.
        var regions: [(name: String, network: HomeNetwork)] = [] {
            didSet { if let first = regions.first { network = first.network } }
        }

        var arrivals = 0

        var phase = Phase.away

        /// The time of the last prompt or of the last join without a prompt. Outlives the arrival.
        var lastOffer: Instant?

        /// The same for departures.
        var lastDeparture: Instant?

        /// The number of prompts that were put since the start of this prompter.
        private(set) var prompts = 0

        /// The region that was left last.
        var left: String?

        /// Whether the configuration has ended the visit while an action ran: no departure follows.
        var isCancelled = false

        /// Whether the condition of the network was determined in this arrival or departure.
        var isLookedAt = false

        /// The visit before a restart, until one of its regions is received again or all are left.
        var recalled: PromptMemory.Visit?

        /// The number of the prompt from before a restart that is to be put again in this visit.
        var renewed: String?

        /// The prompt that was answered with join, until its action is completed or has failed for good.
        var consent: Prompt?

        /// The notes that this arrival has published.
        private var noted: Set<PrompterAction.Reason> = []

        /// The causes of failed actions that this arrival has reported.
        private var reported: Set<JoinFailure.Code> = []

        /// The delay before the next look.
        private var retry = BackOff(Self.firstRetry, limit: Self.longestRetry)

        /// The time of the arrival.
        private var begin: Instant?

        /// The number of actions in this arrival that began again after an interruption.
        private var restarts = 0

        /// The signal and the time for which a join waits that failed at a weaker one.
        private var awaited: (strength: Int, until: Instant)?

        /// Whether the network was joined without a question and the connection was lost.
        private(set) var wasHeld = false

        /// The delay before a lost connection is made again.
        private var holdDelay = BackOff(Self.firstRetry, limit: Self.longestRetry)

        init(_ network: HomeNetwork) { self.network = network }

        // MARK: Reading

        var isInside: Bool { !regions.isEmpty }

        /// The action of this arrival or this departure.
        var action: NetworkAction? { isInside ? network.onArrival : network.onDeparture }

        /// Whether the action is asked about. What a network of ``JoinPolicy/once`` has made ends without a question.
        var asks: Bool { network.join == .prompt || network.join == .once && isInside }

        /// The phase of an arrival or a departure that is done with.
        var done: Phase { isInside ? .settled() : .away }

        /// The regions that a prompt names.
        private var names: [String] { isInside ? regions.map(\.name) : left.map { [$0] } ?? [] }

        /// Whether the last region was left and what a departure does is not done yet.
        var isDeparting: Bool {
            if isInside { return false }
            if case .away = phase { return false }
            return network.onDeparture != nil && !isCancelled
        }

        var isActing: Bool { if case .acting = phase { true } else { false } }

        var prompt: Prompt? { if case .prompting(let prompt, _, _) = phase { prompt } else { nil } }

        var deadline: Instant? {
            switch phase {
            case .coolingDown(let instant, _), .waiting(let instant): instant
            case .away, .determining, .prompting, .acting, .holding, .settled: nil
            }
        }

        var coolDownEnd: Instant? { (isInside ? lastOffer : lastDeparture)?.advanced(by: coolDown) }

        /// The time until which no prompt comes, and the reason; `nil` if nothing delays one.
        func pendingCoolDown(at now: Instant) -> (until: Instant, cause: NetworkCoolDown.Cause)? {
            if case .coolingDown(let end, let cause) = phase { return now < end ? (end, cause) : nil }
            // It holds for the next arrival, too.
            guard let end = lastOffer?.advanced(by: coolDown), now < end else { return nil }
            return (end, .recentOffer)
        }

        // MARK: Steps

        /// Forgets what belongs to one arrival.
        mutating func arrivalBegan(at now: Instant) {
            (noted, reported) = ([], [])
            retry.reset()
            holdDelay.reset()
            (renewed, consent, awaited, restarts, begin, wasHeld) = (nil, nil, nil, 0, now, false)
            (isCancelled, isLookedAt) = (false, false)
        }

        /// The configuration has just been changed: the log shows that never still holds.
        mutating func repeatRefusal() { noted.remove(.refused) }

        mutating func note(_ reason: PrompterAction.Reason) -> [PrompterAction] {
            guard noted.insert(reason).inserted else { return [] }
            return [.note(ssid: network.ssid, regions: names, reason)]
        }

        mutating func determine(_ numbers: inout Numbers) -> PrompterAction {
            phase = .determining(ticket: numbers.newTicket(), again: false)
            return request(numbers.ticket)
        }

        /// Requests the condition of the network, which another program may have joined while `prompt` waits.
        mutating func determine(prompting prompt: Prompt, _ numbers: inout Numbers) -> PrompterAction {
            phase = .prompting(prompt, ticket: numbers.newTicket(), again: false)
            return request(numbers.ticket)
        }

        /// Requests whether a network that was joined without a question is still connected.
        mutating func hold(since: Instant, _ numbers: inout Numbers) -> PrompterAction {
            phase = .holding(since: since, ticket: numbers.newTicket(), again: false)
            return request(numbers.ticket)
        }

        private func request(_ ticket: Int) -> PrompterAction {
            .determineCondition(ticket: ticket, network, action ?? network.onArrival)
        }

        /// Waits for the next look, or a change of Wi-Fi.
        ///
        /// - Parameter reason: The reason, which is reported.
        mutating func wait(
            _ reason: PrompterAction.Reason?, again: Bool, at now: Instant, _ numbers: inout Numbers
        ) -> [PrompterAction] {
            let notes = reason.map { note($0) } ?? []
            if again { return notes + [determine(&numbers)] }
            waitForRetry(at: now)
            return notes
        }

        mutating func waitForRetry(at now: Instant) { phase = .waiting(until: now.advanced(by: retry.next())) }

        /// Returns the end of the wait for a stronger signal; `nil` if the signal suffices, or nothing is waited for any more.
        func delay(_ readiness: JoinReadiness, at now: Instant) -> Instant? {
            if let awaited, now < awaited.until, readiness.strength < awaited.strength { return awaited.until }
            guard network.join == .auto, readiness.strength < SignalStrength.reliable else { return nil }
            let end = begin?.advanced(by: Self.patience)
            return end.flatMap { now < $0 ? $0 : nil }
        }

        mutating func start(prompt: Prompt?, _ numbers: inout Numbers) -> PrompterAction {
            let attempt = JoinAttempt(
                id: numbers.newAttempt(), network: network, regions: names, prompt: prompt,
                action: prompt?.action ?? action ?? network.onArrival)
            phase = .acting(attempt, arrival: arrivals)
            return .startAction(attempt)
        }

        /// Puts the prompt, or starts the action if no question is needed.
        mutating func offer(
            _ situation: PromptSituation?, mustAsk: Bool = false, again: Bool, at now: Instant,
            _ numbers: inout Numbers
        ) -> [PrompterAction] {
            if network.join != .off { if isInside { lastOffer = now } else { lastDeparture = now } }
            switch network.join {
            case .auto where !mustAsk, .once where !mustAsk && !asks:
                return [start(prompt: nil, &numbers)]
            case .prompt, .once, .auto:
                if let consent, !mustAsk || consent.situation?.namesLogin == true {
                    return [start(prompt: consent, &numbers)]
                }
                consent = nil
                let prompt = Prompt(
                    id: renewed ?? numbers.newPrompt(), ssid: network.ssid, regions: names, arrival: arrivals,
                    situation: situation)
                renewed = nil
                phase = .prompting(prompt, ticket: nil, again: false)
                prompts += 1
                // Another program may have connected after the check.
                return [.announce(prompt)] + (again ? [determine(prompting: prompt, &numbers)] : [])
            case .off:
                phase = isInside ? .settled(byPolicy: true) : .away
                return []
            }
        }

        /// Handles the condition of a network that was joined without a question.
        mutating func held(
            _ condition: NetworkCondition, since: Instant, again: Bool, at now: Instant, _ numbers: inout Numbers
        ) -> [PrompterAction] {
            switch condition {
            case .alreadyConnected, .connecting:
                phase = .holding(since: since, ticket: nil, again: false)
                return again ? [hold(since: since, &numbers)] : []
            case .ready(let readiness) where readiness.isDisconnectedByUser:
                phase = .settled()
                return note(.disconnectedByUser)
            case .ready, .switchedOff, .unavailable:
                break
            }
            // At once after the first connection and one that lasted; after short ones with growing delays, because the network may be broken.
            let hasLasted = since.duration(to: now) >= Self.longestRetry
            if hasLasted { holdDelay.reset() }
            let isFirst = !wasHeld || hasLasted
            wasHeld = true
            if isFirst { return [determine(&numbers)] }
            phase = .coolingDown(until: now.advanced(by: holdDelay.next()), .lostConnection)
            return []
        }

        /// The action was completed in the arrival or the departure that it belongs to.
        mutating func completed(_ attempt: JoinAttempt, at now: Instant) {
            (consent, awaited) = (nil, nil)
            let isHeld = isInside && attempt.prompt == nil && network.join == .auto && attempt.action.connects
            if isHeld { phase = .holding(since: now, ticket: nil, again: false) }
        }

        /// The action failed in the arrival or the departure that it belongs to.
        mutating func failed(_ attempt: JoinAttempt, _ failure: JoinFailure, at now: Instant) -> [PrompterAction] {
            // The first failure of an answer is reported. Of an action that begins again and again, each cause is reported once an arrival.
            let isFirst = attempt.prompt != nil && consent == nil
            let isReported = reported.insert(failure.code).inserted || isFirst
            let report: [PrompterAction] = isReported ? [.actionFailed(attempt, failure)] : []
            if failure.isInterruption, restarts < Self.mostRestarts {
                restarts += 1
                consent = attempt.prompt
                waitForRetry(at: now)
                return report
            }
            consent = nil
            guard failure.isPassing || failure.isInterruption else { return report }
            let end = now.advanced(by: coolDown)
            if let strength = failure.strength {
                consent = attempt.prompt
                awaited = (min(strength + SignalStrength.improvement, SignalStrength.strong), end)
                phase = .waiting(until: end)
            } else {
                phase = .coolingDown(until: end, .failure)
            }
            return report
        }

        /// Something about Wi-Fi has changed.
        mutating func wifiChanged(_ numbers: inout Numbers) -> PrompterAction? {
            switch phase {
            case .waiting:
                return determine(&numbers)
            case .determining(let ticket, again: false):
                phase = .determining(ticket: ticket, again: true)
            case .prompting(let prompt, ticket: nil, _):
                return determine(prompting: prompt, &numbers)
            case .prompting(let prompt, let ticket, again: false):
                phase = .prompting(prompt, ticket: ticket, again: true)
            case .holding(let since, ticket: nil, _):
                return hold(since: since, &numbers)
            case .holding(let since, let ticket, again: false):
                phase = .holding(since: since, ticket: ticket, again: true)
            case .away, .coolingDown, .determining, .prompting, .acting, .holding, .settled:
                break
            }
            return nil
        }

        // MARK: The memory

        func memory(at now: Instant) -> PromptMemory.Visit {
            PromptMemory.Visit(
                ssid: network.ssid, regions: recalled?.regions ?? (isInside || isDeparting ? names : []),
                arrival: arrivals, isSettled: recalled?.isSettled ?? isSettled,
                prompt: recalled?.prompt ?? pending?.id ?? (isActing ? nil : renewed),
                sinceLastOffer: lastOffer.map { KeptDuration.seconds($0.duration(to: now)) },
                isHeld: recalled?.isHeld ?? (isHeld ? true : nil), isDeparting: isDeparting ? true : nil,
                sinceLastDeparture: lastDeparture.map { KeptDuration.seconds($0.duration(to: now)) })
        }

        /// The prompt that waits, or that was answered with join while the action is not completed: it is put again after a restart.
        private var pending: Prompt? {
            if case .acting(let attempt, _) = phase {
                return attempt.action.isOfDeparture == isInside ? nil : attempt.prompt
            }
            return prompt ?? consent
        }

        private var isHeld: Bool { if case .holding = phase { true } else { false } }

        private var isSettled: Bool { if case .settled = phase { true } else { isHeld } }
    }
}
