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

        /// The notes that this arrival has published.
        var noted: Set<PrompterAction.Reason> = []

        /// The visit before a restart, until one of its regions is received again or all are left.
        var recalled: PromptMemory.Visit?

        /// The prompt of before a restart that is to be put again in this visit.
        var renewed: String?

        /// The delay before the next look.
        var retry: BackOff

        var phase = Phase.away

        var names: [String] { regions.map(\.name) }

        var prompt: Prompt? {
            switch phase {
            case .prompting(let prompt, _, _): prompt
            case .away, .coolingDown, .determining, .waiting, .joining, .settled: nil
            }
        }

        var isSettled: Bool {
            switch phase {
            case .settled: true
            case .away, .coolingDown, .determining, .waiting, .prompting, .joining: false
            }
        }

        var deadline: Instant? {
            switch phase {
            case .coolingDown(let instant), .waiting(let instant): instant
            case .away, .determining, .prompting, .joining, .settled: nil
            }
        }
    }

    /// The state of an arrival. Leaving the last region leads to `away` from all but `joining`.
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

        /// A join runs. `arrival` is the one it was started in. → `settled`, `coolingDown`; `away` if left since
        case joining(JoinAttempt, arrival: Int)

        /// This arrival is done with; `byPolicy`: because the region that has the word wants nothing, which another one may.
        /// → `away`
        case settled(byPolicy: Bool = false)
    }
}
