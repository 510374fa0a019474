import OkaeriWiFi

/// The prompts and joins of ``JoinPrompter``, by the rules as they are written down: no phases, but facts about each
/// network, from which every rule is evaluated anew.
struct NaivePrompter {
    struct Network {
        let ssid: String
        /// The policy of the region that is inside the longest, or was last.
        var current: HomeNetwork
        /// The regions that are inside, in the order of their arrival.
        var inside: [(name: String, network: HomeNetwork)] = []
        var arrivals = 0
        var noted: [PrompterAction.Reason] = []
        /// The last prompt, or join without a question.
        var lastOffer: Instant?
        /// The same of departures.
        var lastDeparture: Instant?
        /// The prompts that were put since the start.
        var asked = 0
        /// The reason why the next look is later, while it is a cool-down.
        var lull: NetworkCoolDown.Cause?
        /// The region that was left last.
        var left: String?
        /// The configuration has ended it while an action ran.
        var isCancelled = false
        /// The condition was determined since the arrival or the departure.
        var isLookedAt = false
        /// This arrival is done with.
        var isDone = true
        /// The policy of the region that decides is neither a prompt nor a join.
        var isOff = false
        var delay = Duration.seconds(30)
        /// The time of the next look, and whether a change of Wi-Fi is waited for as well.
        var look: (at: Instant, orChange: Bool)?
        /// The question that is on its way, and whether Wi-Fi has changed since.
        var question: (ticket: Int, isOld: Bool)?
        var prompt: Prompt?
        var join: (attempt: JoinAttempt, arrival: Int)?
        /// The visit before a restart, and the prompt to repeat.
        var before: PromptMemory.Visit?
        var promptBefore: String?
        /// The prompt that was answered with join, while the join begins again.
        var consent: Prompt?
        var restarts = 0
        /// The signal that is waited for, and until when.
        var awaited: (strength: Int, until: Instant)?
        var began: Instant?
        /// Since when it is connected by a join without a question, which holds.
        var held: Instant?
        /// Whether such a connection was lost in this arrival, and the delay before it is made again.
        var wasHeld = false
        var holdDelay = Duration.seconds(30)
        /// The causes of failed joins that were reported.
        var reported: [JoinFailure.Code] = []

        /// The present arrival or departure does this.
        /// A question precedes the action: of "once" only at an arrival.
        var isAsked: Bool { current.join == .prompt || current.join == .once && !inside.isEmpty }
        var action: NetworkAction { (inside.isEmpty ? current.onDeparture : nil) ?? current.onArrival }
        var isDeparting: Bool {
            inside.isEmpty && current.onDeparture != nil && !isCancelled && (join != nil || !isDone)
        }
        var names: [String] { inside.isEmpty ? [left].compactMap(\.self) : inside.map(\.name) }

        /// An arrival or a departure knows nothing of the one before.
        mutating func begins(at now: Instant) {
            (noted, delay, isOff, consent, restarts, awaited) = ([], .seconds(30), false, nil, 0, nil)
            (began, held, wasHeld, holdDelay, reported, promptBefore) = (now, nil, false, .seconds(30), [], nil)
            (isCancelled, isLookedAt) = (false, false)
        }
    }

    var networks: [Network] = []
    var never: Set<SSID> = []
    var askedWhileOnline: Set<SSID> = []
    var nextPrompt = 1
    var tickets = 0
    var attempts = 0
    /// The prompts that do not wait any more; the last 64 are remembered.
    var over: [(prompt: Prompt, reason: PromptWithdrawal)] = []

    var prompts: [Prompt] { networks.compactMap(\.prompt) }
    // No key path through an optional: the standard library copies what is behind it onto itself, and the address sanitizer
    // ends there.
    var nextDeadline: Instant? { networks.compactMap { $0.look?.at }.min() }

    // MARK: Presence

    mutating func arrived(_ region: String, _ network: HomeNetwork, at now: Instant) -> [PrompterAction] {
        if let held = networks.firstIndex(where: { $0.inside.contains { $0.name == region } }) {
            let place = networks[held].inside.firstIndex { $0.name == region } ?? 0
            if networks[held].inside[place].network == network { return [] }
            if networks[held].ssid != network.ssid {
                return departed(region, isReconfigured: true, at: now) + arrived(region, network, at: now)
            }
            networks[held].inside[place].network = network
            if place > 0 { return [] }
            networks[held].noted.removeAll { $0 == .refused }
            return configured(held, network, at: now)
        }
        if !networks.contains(where: { $0.ssid == network.ssid }) {
            networks.append(Network(ssid: network.ssid, current: network))
        }
        let index = networks.firstIndex { $0.ssid == network.ssid } ?? 0
        let withdrawn = networks[index].inside.isEmpty ? close(index, .arrived) : []
        networks[index].inside.append((region, network))
        guard networks[index].inside.count == 1 else { return [] }
        networks[index].current = network
        (networks[index].look, networks[index].question, networks[index].isDone) = (nil, nil, true)
        networks[index].begins(at: now)
        let before = networks[index].before
        networks[index].before = nil
        guard let before else {
            networks[index].arrivals += 1
            return withdrawn + radioWanted(at: now) + begin(index, at: now)
        }
        if before.isSettled, before.isHeld == true, network.join == .auto, !never.contains(network.name) {
            networks[index].held = now
            return [ask(index)]
        }
        if before.isSettled {
            return network.join == .auto && never.contains(network.name) ? note(index, .refused) : []
        }
        // It was put already: the cool-down does not concern it.
        if let prompt = before.prompt, network.join == .prompt || network.join == .once, !never.contains(network.name) {
            networks[index].isDone = false
            networks[index].promptBefore = prompt
            return [ask(index)]
        }
        return begin(index, at: now)
    }

    mutating func departed(_ region: String, isReconfigured: Bool = false, at now: Instant) -> [PrompterAction] {
        var ended: Int?
        for index in networks.indices {
            networks[index].before?.regions.removeAll { $0 == region }
            guard networks[index].before?.regions.isEmpty == true else { continue }
            networks[index].before = nil
            if networks[index].inside.isEmpty { ended = index }
        }
        guard let index = networks.firstIndex(where: { $0.inside.contains { $0.name == region } }) else {
            guard let ended, !isReconfigured else { return [] }
            networks[ended].left = region
            return leave(ended, at: now)
        }
        networks[index].inside.removeAll { $0.name == region }
        networks[index].left = region
        if let first = networks[index].inside.first {
            let old = networks[index].current
            networks[index].current = first.network
            let isSame = first.network.join == old.join && first.network.onArrival == old.onArrival
            return isSame ? [] : decidingRegionChanged(index, at: now)
        }
        (networks[index].isDone, networks[index].look, networks[index].question) = (true, nil, nil)
        networks[index].held = nil
        if networks[index].join != nil {
            networks[index].isCancelled = isReconfigured
            return []
        }
        return close(index, .departed) + (isReconfigured ? [] : leave(index, at: now))
    }

    /// Something is inside: no question whether to switch Wi-Fi off waits.
    private mutating func radioWanted(at now: Instant) -> [PrompterAction] {
        var actions: [PrompterAction] = []
        for index in networks.indices
        where networks[index].inside.isEmpty && networks[index].prompt?.situation?.action == .radioOff {
            actions += close(index, .arrived)
            networks[index].question = nil
            networks[index].look = (now.advanced(by: networks[index].delay), true)
            networks[index].delay = min(networks[index].delay * 2, .seconds(600))
        }
        return actions
    }

    /// The last region was left, and a departure may do something.
    mutating func leave(_ index: Int, at now: Instant) -> [PrompterAction] {
        if networks[index].current.onDeparture == nil { return [] }
        networks[index].begins(at: now)
        return begin(index, at: now)
    }

    /// Departures of networks that are not configured any more end.
    mutating func configured(_ known: Set<HomeNetwork>) -> [PrompterAction] {
        var actions: [PrompterAction] = []
        for index in networks.indices
        where networks[index].isDeparting && !known.contains(networks[index].current) {
            if networks[index].join != nil {
                networks[index].isCancelled = true
                continue
            }
            actions += close(index, .reconfigured)
            (networks[index].isDone, networks[index].look, networks[index].question) = (true, nil, nil)
        }
        return actions
    }

    mutating func wifiChanged() -> [PrompterAction] {
        var actions: [PrompterAction] = []
        for index in networks.indices {
            if networks[index].question != nil {
                networks[index].question?.isOld = true
            } else if networks[index].prompt != nil || networks[index].look?.orChange == true
                || networks[index].held != nil
            {
                actions.append(ask(index))
            }
        }
        return actions
    }

    mutating func advanced(to now: Instant) -> [PrompterAction] {
        networks.indices.filter { networks[$0].look.map { $0.at <= now } ?? false }.map { ask($0) }
    }
}
