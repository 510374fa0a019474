/// Decides when to ask about a network, and when to join it. It does no I/O: events come in with their instant, the
/// actions they lead to go out, and the driver carries those out in order.
///
/// One prompt an arrival. An arrival at a network is the first of its regions to be entered, and it lasts until the
/// last one is left; several regions may name the same network. The rules in between:
///
/// - `later` is silence until the next arrival, `never` until ``neverCleared(ssid:at:)``.
/// - Between two prompts (or two joins without a question) for a network lies the cool-down, so that a beacon that
///   comes and goes, forged or not, cannot flood the user. An arrival in that time is put off, not lost.
/// - Connected already, or about to be: no prompt. Not to be joined now: asked again after a growing delay and when Wi-Fi changes.
/// - While another connection works, ``OnlinePolicy`` decides.
/// - Wi-Fi that is switched off is asked about, too, if the user may switch it on. Without a question it stays off.
/// - A failed join is reported and not repeated before the next arrival, unless its cause passes by itself
///   (``JoinFailure/isPassing``): then it is offered again after the cool-down.
/// - The answer `join` is valid until the arrival ends: after an interruption (``JoinFailure/isInterruption``) or a handshake that
///   failed at a weak signal, the join begins again without another question.
/// - A network that was joined without a question is joined again if the connection is lost, unless a user ended it.
/// - A join that runs is not stopped by leaving.
/// - When the last region of a network is left, its departure's action follows, asked about or not as an arrival's, with a cool-down
///   of its own. It is asked about in any case while a user is logged in over a connection that it ends. An arrival ends it.
///   Wi-Fi is not switched off while a region of another network is inside.
/// - Of several regions that are inside the policy of the one that came first holds. When it is left and the
///   next one has another, a prompt that waits is withdrawn, and that policy decides. What was answered or joined stays
///   so.
///
/// A region's newly configured network is reported as an arrival, or as a departure if there is none.
public struct JoinPrompter<Instant: InstantProtocol>: Sendable where Instant.Duration == Duration {
    /// Between two prompts, or two joins without a question, for the same network.
    static var coolDown: Duration { .seconds(300) }

    /// The number of closed prompts that are kept.
    private static var longestMemory: Int { 64 }

    /// The networks whose prompt was answered with never.
    public private(set) var refused: Set<SSID> = []

    /// The networks that were asked about while another connection worked.
    private var askedWhileOnline: Set<SSID> = []

    /// One for each network that was ever arrived at: as many as the configuration names.
    private var visits: [Visit] = []

    /// The recently closed prompts, for the error of a late answer.
    private var closed: [(prompt: Prompt, reason: PromptWithdrawal)] = []

    private var numbers = Numbers()

    public init() {}

    public var prompts: [Prompt] { visits.compactMap(\.prompt) }

    /// The time at which ``advanced(to:)`` has something to do, if no event comes before.
    public var nextDeadline: Instant? { visits.compactMap(\.deadline).min() }

    /// Returns the prompts and the cool-down of each network that was arrived at, in the order of the first arrivals.
    public func networks(at now: Instant) -> [NetworkPrompts<Instant>] {
        visits.map { visit in
            let coolDown = visit.pendingCoolDown(at: now)
            return NetworkPrompts(
                name: visit.network.name, prompts: visit.prompts, coolDownEnd: coolDown?.until, cause: coolDown?.cause)
        }
    }

    // MARK: Arrivals and departures

    /// Handles that `region`, whose configuration names `network`, was entered, or is inside and names another network.
    public mutating func arrived(region: String, network: HomeNetwork, at now: Instant) -> [PrompterAction] {
        if let (held, place) = find(region: region) {
            guard visits[held].regions[place].network != network else { return [] }
            guard visits[held].network.name == network.name else {
                return departed(region: region, isReconfigured: true, at: now)
                    + arrived(region: region, network: network, at: now)
            }
            visits[held].regions[place].network = network
            // The policy of another region holds.
            guard place == 0 else { return [] }
            visits[held].repeatRefusal()
            guard let prompt = visits[held].prompt else { return begin(held, at: now) }
            if visits[held].network.join.asks, prompt.action == network.onArrival { return [] }
            return [close(prompt, .reconfigured)] + begin(held, at: now)
        }
        let index = visit(network)
        // A prompt that waits while no region is inside is that of a departure.
        let waiting = visits[index].isInside ? nil : visits[index].prompt
        let withdrawals = waiting.map { [close($0, .arrived)] } ?? []
        visits[index].regions.append((region, network))
        guard visits[index].regions.count == 1 else { return [] }
        if !visits[index].isActing { visits[index].phase = .away }
        visits[index].arrivalBegan(at: now)
        if let recalled = visits[index].recalled {
            visits[index].recalled = nil
            return resume(index, recalled, at: now)
        }
        visits[index].arrivals += 1
        return withdrawals + radioWanted(at: now) + begin(index, at: now)
    }

    /// A region is inside: questions whether to switch Wi-Fi off are withdrawn, and wait.
    private mutating func radioWanted(at now: Instant) -> [PrompterAction] {
        var actions: [PrompterAction] = []
        for index in visits.indices where !visits[index].isInside {
            guard let prompt = visits[index].prompt, prompt.action == .radioOff else { continue }
            actions.append(close(prompt, .arrived))
            visits[index].waitForRetry(at: now)
        }
        return actions
    }

    /// Handles that `region` was left.
    ///
    /// - Parameter isReconfigured: Whether it only names no network any more, or another one: then no action of a departure follows.
    public mutating func departed(
        region: String, isReconfigured: Bool = false, at now: Instant
    ) -> [PrompterAction] {
        let recalled = recallEnded(region: region)
        guard let (index, place) = find(region: region) else {
            guard let recalled, !isReconfigured else { return [] }
            visits[recalled].left = region
            return leave(recalled, at: now)
        }
        let policy = (visits[index].network.join, visits[index].network.onArrival)
        visits[index].regions.remove(at: place)
        visits[index].left = region
        guard !visits[index].isInside else { return decidingRegionChanged(index, from: policy, at: now) }
        if visits[index].isActing {
            visits[index].isCancelled = isReconfigured
            return []
        }
        let withdrawals = visits[index].prompt.map { [close($0, .departed)] } ?? []
        visits[index].phase = .away
        return isReconfigured ? withdrawals : withdrawals + leave(index, at: now)
    }

    /// Ends the departures of networks that are not among `networks` any more.
    public mutating func configured(_ networks: Set<HomeNetwork>) -> [PrompterAction] {
        var actions: [PrompterAction] = []
        for index in visits.indices where visits[index].isDeparting && !networks.contains(visits[index].network) {
            if visits[index].isActing {
                visits[index].isCancelled = true
                continue
            }
            if let prompt = visits[index].prompt { actions.append(close(prompt, .reconfigured)) }
            visits[index].phase = .away
        }
        return actions
    }

    /// Handles a change of the policy: the region of the old one may have been left, and the next one decides.
    private mutating func decidingRegionChanged(
        _ index: Int, from old: (join: JoinPolicy, onArrival: NetworkAction), at now: Instant
    ) -> [PrompterAction] {
        let policy = visits[index].network.join
        guard (policy, visits[index].network.onArrival) != old else { return [] }
        (visits[index].renewed, visits[index].consent) = (nil, nil)
        switch visits[index].phase {
        case .prompting(let prompt, _, _):
            let withdrawal = close(prompt, .departed)
            guard policy == .auto else { return [withdrawal] + begin(index, at: now) }
            // The cool-down lies between two prompts or two joins: this is one of each, and no more within an arrival.
            return [withdrawal, visits[index].determine(&numbers)]
        case .determining, .waiting, .settled(byPolicy: true):
            return begin(index, at: now)
        case .coolingDown where policy == .off:
            return begin(index, at: now)
        case .holding:
            visits[index].phase = .settled()
            return []
        case .away, .coolingDown, .acting, .settled:
            return []
        }
    }

    /// An arrival starts, or starts over.
    private mutating func begin(_ index: Int, at now: Instant) -> [PrompterAction] {
        if visits[index].isActing { return [] }
        visits[index].consent = nil
        let network = visits[index].network
        guard network.join != .off else {
            visits[index].phase = visits[index].isInside ? .settled(byPolicy: true) : .away
            return []
        }
        guard !refused.contains(network.name) else {
            visits[index].phase = visits[index].done
            return visits[index].note(.refused)
        }
        if let end = visits[index].coolDownEnd, now < end {
            visits[index].phase = .coolingDown(until: end, .recentOffer)
            return visits[index].note(.coolingDown)
        }
        return [visits[index].determine(&numbers)]
    }

    /// The last region was left: what a departure does begins.
    private mutating func leave(_ index: Int, at now: Instant) -> [PrompterAction] {
        visits[index].phase = .away
        guard visits[index].network.onDeparture != nil else { return [] }
        visits[index].arrivalBegan(at: now)
        return begin(index, at: now)
    }

    private func find(region: String) -> (visit: Int, place: Int)? {
        for (index, visit) in visits.enumerated() {
            if let place = visit.regions.firstIndex(where: { $0.name == region }) { return (index, place) }
        }
        return nil
    }

    private mutating func visit(_ network: HomeNetwork) -> Int {
        if let index = visits.firstIndex(where: { $0.network.name == network.name }) { return index }
        visits.append(Visit(network))
        return visits.count - 1
    }

    // MARK: Conditions

    /// The clock has come to `now`.
    public mutating func advanced(to now: Instant) -> [PrompterAction] {
        var actions: [PrompterAction] = []
        for index in visits.indices {
            if let deadline = visits[index].deadline, deadline <= now {
                actions.append(visits[index].determine(&numbers))
            }
        }
        return actions
    }

    /// Something about Wi-Fi has changed; see ``WiFiService/states()``.
    public mutating func wifiChanged(at now: Instant) -> [PrompterAction] {
        var actions: [PrompterAction] = []
        for index in visits.indices {
            if let action = visits[index].wifiChanged(&numbers) { actions.append(action) }
        }
        return actions
    }

    /// The condition asked for with `ticket` is known. A ticket that is not waited for any more has no effect.
    public mutating func conditionDetermined(
        ticket: Int, _ condition: NetworkCondition, at now: Instant
    ) -> [PrompterAction] {
        for index in visits.indices {
            switch visits[index].phase {
            case .determining(ticket, let again):
                return determined(index, condition, again: again, at: now)
            case .prompting(let prompt, ticket: ticket, let again):
                guard condition == .alreadyConnected else {
                    visits[index].phase = .prompting(prompt, ticket: nil, again: false)
                    return again ? [visits[index].determine(prompting: prompt, &numbers)] : []
                }
                visits[index].phase = visits[index].done
                return [close(prompt, .connected)]
            case .holding(let since, ticket: ticket, let again):
                return visits[index].held(condition, since: since, again: again, at: now, &numbers)
            case .away, .coolingDown, .determining, .waiting, .prompting, .acting, .holding, .settled:
                continue
            }
        }
        return []
    }

    private mutating func determined(
        _ index: Int, _ condition: NetworkCondition, again: Bool, at now: Instant
    ) -> [PrompterAction] {
        let visit = visits[index]
        visits[index].isLookedAt = true
        switch condition {
        case .alreadyConnected:
            let holds = visit.network.join == .auto && visit.action?.connects == true
            visits[index].phase = holds ? .holding(since: now, ticket: nil, again: false) : visit.done
            return visit.action == .join ? visits[index].note(.alreadyConnected) : []
        case .connecting:
            return wait(index, nil, again: again, at: now)
        case .unavailable(let failure):
            return wait(index, .unavailable(failure), again: again, at: now)
        case .switchedOff(let isCountryUnset, let other) where visit.asks && visit.consent == nil:
            if let other, !mayOffer(index) { return wait(index, .otherConnection(other), again: again, at: now) }
            let isHotspot = visit.action == .hotspot
            let situation: PromptSituation = isHotspot ? .hotspotRadioOff : isCountryUnset ? .countryUnset : .radioOff
            return visits[index].offer(situation, again: again, at: now, &numbers)
        case .switchedOff(_, let other) where !visit.isLookedAt && visit.network.onDeparture == .radioOff:
            // The last departure has switched it off.
            if let other, !mayOffer(index) { return wait(index, .otherConnection(other), again: again, at: now) }
            return visits[index].offer(nil, again: again, at: now, &numbers)
        case .switchedOff:
            return wait(index, .unavailable(.radioOff), again: again, at: now)
        case .ready(let readiness) where readiness.isDisconnectedByUser && visit.wasHeld:
            visits[index].phase = .settled()
            return visits[index].note(.disconnectedByUser)
        case .ready(let readiness):
            if let end = visit.delay(readiness, at: now) {
                if again { return [visits[index].determine(&numbers)] }
                visits[index].phase = .waiting(until: end)
                return []
            }
            if visit.consent == nil, let other = readiness.otherConnection, !mayOffer(index) {
                return wait(index, .otherConnection(other), again: again, at: now)
            }
            if visit.action == .radioOff, isRadioUsed(besides: index) {
                return wait(index, nil, again: again, at: now)
            }
            let situation = readiness.situation(visit.action ?? .join)
            return visits[index].offer(
                situation, mustAsk: readiness.isLoggedInOver, again: again, at: now, &numbers)
        }
    }

    private mutating func wait(
        _ index: Int, _ reason: PrompterAction.Reason?, again: Bool, at now: Instant
    ) -> [PrompterAction] {
        visits[index].wait(reason, again: again, at: now, &numbers)
    }

    /// Whether an arrival asks, or joins without a question, while another connection works. A question is counted.
    private mutating func mayOffer(_ index: Int) -> Bool {
        let (network, asks) = (visits[index].network, visits[index].asks)
        let isRepeated = visits[index].renewed != nil
        switch network.whenOnline {
        case .never: return false
        case .always: break
        case .once:
            guard asks, isRepeated || !askedWhileOnline.contains(network.name) else { return false }
        }
        if asks { askedWhileOnline.insert(network.name) }
        return true
    }

    /// Whether Wi-Fi stays on for a region of another network that is inside, or was before a restart; or its end is under way already.
    private func isRadioUsed(besides index: Int) -> Bool {
        visits.indices.contains { other in
            guard other != index, visits[other].network.join != .off else { return false }
            if visits[other].isInside || visits[other].recalled != nil { return true }
            if case .acting(let attempt, _) = visits[other].phase, attempt.action == .radioOff { return true }
            return visits[other].prompt?.action == .radioOff
        }
    }

    // MARK: Answers and results

    public mutating func answered(
        _ id: String, _ answer: PromptAnswer, at now: Instant
    ) throws(PromptAnswerError) -> [PrompterAction] {
        for index in visits.indices {
            guard let prompt = visits[index].prompt, prompt.id == id else { continue }
            let withdrawal = close(prompt, .answered(answer))
            switch answer {
            case .join:
                return [withdrawal, visits[index].start(prompt: prompt, &numbers)]
            case .later:
                visits[index].phase = visits[index].done
            case .never:
                refused.insert(SSID(prompt.ssid))
                visits[index].phase = visits[index].done
            }
            return [withdrawal]
        }
        if let (prompt, reason) = closed.last(where: { $0.prompt.id == id }) { throw .closed(prompt, reason) }
        throw .noSuchPrompt(id: id)
    }

    /// The attempt `id` has ended. An attempt that does not run counts for nothing.
    public mutating func actionFinished(
        _ id: Int, result: Result<JoinedNetwork, JoinFailure>, at now: Instant
    ) -> [PrompterAction] {
        for index in visits.indices {
            guard case .acting(let attempt, let arrival) = visits[index].phase, attempt.id == id else { continue }
            let isInside = visits[index].isInside
            visits[index].phase = visits[index].done
            let report = PrompterAction(attempt, result)
            if !isInside, visits[index].isCancelled { return [report] }
            if attempt.action.isOfDeparture == isInside {
                // The last region was left while an arrival's action ran, or one was entered while a departure's ran.
                return [report] + (isInside ? begin(index, at: now) : leave(index, at: now))
            }
            switch result {
            case .success:
                visits[index].completed(attempt, at: now)
                return [report]
            case .failure(let failure):
                if visits[index].arrivals != arrival { return [report] + begin(index, at: now) }
                return visits[index].failed(attempt, failure, at: now)
            }
        }
        return []
    }

    /// Takes back `never`, or the single question while another connection works. An arrival that lasts asks anew, after the cool-down.
    ///
    /// - Returns: `nil` if there was nothing to take back.
    public mutating func neverCleared(ssid: String, at now: Instant) -> [PrompterAction]? {
        let wasRefused = refused.remove(SSID(ssid)) != nil
        guard askedWhileOnline.remove(SSID(ssid)) != nil || wasRefused else { return nil }
        guard let index = visits.firstIndex(where: { $0.network.name == SSID(ssid) }), !visits[index].regions.isEmpty
        else { return [] }
        switch visits[index].phase {
        case .settled, .waiting: return begin(index, at: now)
        case .away, .coolingDown, .determining, .prompting, .acting, .holding: return []
        }
    }

    private mutating func close(_ prompt: Prompt, _ reason: PromptWithdrawal) -> PrompterAction {
        closed.append((prompt, reason))
        if closed.count > Self.longestMemory { closed.removeFirst() }
        return .withdraw(prompt, reason)
    }

    // MARK: The memory

    private static var credible: ClosedRange<Int> { 1...1_000_000_000 }

    package func memory(at now: Instant) -> PromptMemory {
        PromptMemory(
            refused: refused, nextPrompt: numbers.nextPrompt, visits: visits.map { $0.memory(at: now) },
            askedWhileOnline: askedWhileOnline)
    }

    /// Goes on from what an earlier prompter knew. To be called before any other event.
    ///
    /// A visit goes on when one of its regions is heard again: one that was done with stays so, and a prompt that
    /// waited is put again under its number. It is over when all its regions turn out to be left.
    ///
    /// - Parameters:
    ///   - age: The time since the memory was written, if it is known.
    ///   - networks: The network of each region, by the region's name. A region that names another network now is not part
    ///     of its visit any more.
    ///   - inside: The regions that were inside; `nil`: all.
    package mutating func restored(
        _ memory: PromptMemory, age: Duration? = nil, networks: [String: HomeNetwork], inside: Set<String>? = nil,
        at now: Instant
    ) {
        refused = Set(memory.prompts.never.map { SSID($0) })
        askedWhileOnline = Set((memory.prompts.askedWhileOnline ?? []).map { SSID($0) })
        numbers.nextPrompt = memory.prompts.next.clamped(to: Self.credible)
        for known in memory.prompts.visits {
            let name = SSID(known.ssid)
            var recalled = known
            recalled.regions.removeAll { networks[$0]?.name != name }
            let isDeparting = known.isDeparting == true
            let present = networks.first { $0.value.name == name && inside?.contains($0.key) != false }
            let own = recalled.regions.first.flatMap { networks[$0] }
            guard let network = isDeparting ? own : present?.value else { continue }
            let index = visit(network)
            visits[index].arrivals = known.arrival.clamped(to: Self.credible)
            func ago(_ seconds: Double) -> Instant {
                now.advanced(by: .zero - max(.zero, Duration.seconds(seconds) + (age ?? .zero)))
            }
            visits[index].lastOffer = known.sinceLastOffer.map(ago)
            visits[index].lastDeparture = known.sinceLastDeparture.map(ago)
            guard isDeparting else {
                visits[index].recalled = recalled.regions.isEmpty ? nil : recalled
                continue
            }
            guard visits[index].network.onDeparture != nil else { continue }
            visits[index].left = recalled.regions.first
            visits[index].renewed = known.prompt
            // Its region may be inside again; that shows soon.
            visits[index].phase = .coolingDown(until: now.advanced(by: Visit.firstRetry), .restart)
        }
    }

    /// A visit from before the restart goes on.
    private mutating func resume(
        _ index: Int, _ recalled: PromptMemory.Visit, at now: Instant
    ) -> [PrompterAction] {
        let network = visits[index].network
        let isRefused = refused.contains(network.name)
        if recalled.isSettled, recalled.isHeld == true, network.join == .auto, !isRefused {
            return [visits[index].hold(since: now, &numbers)]
        }
        if recalled.isSettled {
            visits[index].phase = .settled()
            let isSurprising = network.join == .auto && isRefused
            return isSurprising ? visits[index].note(.refused) : []
        }
        let asks = network.join.asks && !isRefused
        guard asks, let prompt = recalled.prompt else { return begin(index, at: now) }
        // It was asked already: the cool-down does not apply.
        visits[index].renewed = prompt
        return [visits[index].determine(&numbers)]
    }

    /// `region` was left, and does not belong to a visit before the restart any more. Returns the visit that is over with it.
    private mutating func recallEnded(region: String) -> Int? {
        var ended: Int?
        for index in visits.indices {
            visits[index].recalled?.regions.removeAll { $0 == region }
            guard visits[index].recalled?.regions.isEmpty == true else { continue }
            visits[index].recalled = nil
            if !visits[index].isInside { ended = index }
        }
        return ended
    }
}

extension Int {
    fileprivate func clamped(to range: ClosedRange<Int>) -> Int {
        Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
    }
}
