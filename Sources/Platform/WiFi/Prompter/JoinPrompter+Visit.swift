import Plumbing

extension JoinPrompter {
    /// The values of one network.
    struct Visit: Sendable {
        /// The network by the region that has been inside the longest; the last one that was, if none is.
        private(set) var network: HomeNetwork

        /// The regions that are inside, in the order of their arrival, each with its settings of the network.
        var regions: [(name: String, network: HomeNetwork)] = [] {
            didSet { if let first = regions.first { network = first.network } }
        }

        var arrivals = 0

        /// The time of the last prompt or of the last join without a prompt. Outlives the arrival.
        var lastOffer: Instant?

        /// The same for departures.
        var lastDeparture: Instant?

        /// The region that was left last.
        var left: String?

        /// Whether the configuration has ended the visit while an action ran: no departure follows.
        var isCancelled = false

        /// Whether the condition of the network was determined in this arrival or departure.
        var isLookedAt = false

        /// The notes that this arrival has published.
        var noted: Set<PrompterAction.Reason> = []

        /// The visit before a restart, until one of its regions is received again or all are left.
        var recalled: PromptMemory.Visit?

        /// The prompt of before a restart that is to be put again in this visit.
        var renewed: String?

        /// The delay before the next look.
        var retry: BackOff

        /// The time of the arrival.
        var begin: Instant?

        /// The prompt that was answered with join, until the network is joined or the join failed for good.
        var consent: Prompt?

        /// The number of joins in this arrival that began again after an interruption.
        var restarts = 0

        /// The signal and the time for which a join waits that failed at a weaker one.
        var awaited: (strength: Int, until: Instant)?

        /// Whether the network was joined without a question and the connection was lost.
        var wasHeld = false

        /// The delay before a lost connection is made again.
        var holdDelay: BackOff

        /// The causes of failed joins that this arrival has reported.
        var reported: Set<JoinFailure.Code> = []

        /// Forgets what belongs to one arrival.
        mutating func arrivalBegan(at now: Instant) {
            (noted, reported) = ([], [])
            retry.reset()
            holdDelay.reset()
            (renewed, consent, awaited, restarts, begin, wasHeld) = (nil, nil, nil, 0, now, false)
            (isCancelled, isLookedAt) = (false, false)
        }

        var phase = Phase.away

        var isInside: Bool { !regions.isEmpty }

        /// The action of this arrival or this departure.
        var action: NetworkAction? { isInside ? network.onArrival : network.onDeparture }

        /// The phase of an arrival or a departure that is done with.
        var done: Phase { isInside ? .settled() : .away }

        /// The regions that a prompt names.
        var names: [String] { isInside ? regions.map(\.name) : left.map { [$0] } ?? [] }

        /// Whether the last region was left and what a departure does is not done yet.
        var isDeparting: Bool {
            if isInside { return false }
            if case .away = phase { return false }
            return network.onDeparture != nil && !isCancelled
        }

        var prompt: Prompt? {
            switch phase {
            case .prompting(let prompt, _, _): prompt
            case .away, .coolingDown, .determining, .waiting, .joining, .holding, .settled: nil
            }
        }

        /// The prompt that waits, or that was answered with join while the network is not joined: it is put again after a restart.
        var pending: Prompt? {
            if case .joining(let attempt, _) = phase {
                return attempt.action.isOfDeparture == isInside ? nil : attempt.prompt
            }
            return prompt ?? consent
        }

        var isSettled: Bool {
            switch phase {
            case .holding, .settled: true
            case .away, .coolingDown, .determining, .waiting, .prompting, .joining: false
            }
        }

        var isHeld: Bool {
            if case .holding = phase { true } else { false }
        }

        var deadline: Instant? {
            switch phase {
            case .coolingDown(let instant), .waiting(let instant): instant
            case .away, .determining, .prompting, .joining, .holding, .settled: nil
            }
        }
    }

    /// The state of an arrival, or of a departure: after the last region was left, the phases from `coolingDown` to `joining` lead to the
    /// end of what a departure does, and then to `away`. Leaving the last region leads to `away`, or with an action of departures to
    /// `coolingDown` or `determining`, from all but `joining`.
    enum Phase: Sendable {
        /// No region is inside. → `determining`, `coolingDown` or `settled` on arrival
        case away

        /// Inside, too soon after the last offer. → `determining` when the time is up
        case coolingDown(until: Instant)

        /// The condition is asked for. `again`: Wi-Fi has changed since.
        /// → `prompting`, `joining`, `coolingDown`, `waiting` or `settled` with the answer
        case determining(ticket: Int, again: Bool)

        /// It cannot be joined now. → `determining` when the time is up or Wi-Fi changes
        case waiting(until: Instant)

        /// A prompt waits. The ticket asks whether another program has connected since; `again`: Wi-Fi has changed
        /// since it was asked. → `joining` or `settled` with an answer, `settled` when connected
        case prompting(Prompt, ticket: Int?, again: Bool)

        /// A join or another action runs. `arrival` is the one it was started in. → `settled`, `holding`, `coolingDown`, `waiting`; if
        /// the last region was left, or one was entered since, what follows from that
        case joining(JoinAttempt, arrival: Int)

        /// Joined without a question. The ticket asks whether it is still connected; `again`: Wi-Fi has changed since it was asked.
        /// → `waiting` or `joining` if the connection is lost, `settled` if a user ended it
        case holding(since: Instant, ticket: Int?, again: Bool)

        /// This arrival is done with; `byPolicy`: because the deciding region wants nothing, which another one may.
        /// → `away`
        case settled(byPolicy: Bool = false)
    }
}
