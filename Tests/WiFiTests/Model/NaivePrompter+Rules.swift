@testable import WiFi

extension NaivePrompter {
    // MARK: Answers

    mutating func determined(_ ticket: Int, _ condition: NetworkCondition, at now: Instant) -> [PrompterAction] {
        guard let index = networks.firstIndex(where: { $0.question?.ticket == ticket }) else { return [] }
        let isOld = networks[index].question?.isOld ?? false
        networks[index].question = nil
        let isPrompting = networks[index].prompt != nil
        switch condition {
        case .alreadyConnected:
            networks[index].isDone = true
            return isPrompting ? close(index, .connected) : note(index, .alreadyConnected)
        case .ready where !isPrompting: return offer(index, isOld: isOld, at: now)
        case .unavailable(let failure) where !isPrompting && !isOld:
            networks[index].look = (now.advanced(by: networks[index].delay), true)
            networks[index].delay = min(networks[index].delay * 2, .seconds(600))
            return note(index, .unavailable(failure))
        case .unavailable(let failure) where !isPrompting:
            return note(index, .unavailable(failure)) + [ask(index)]
        case .ready, .unavailable: return isOld ? [ask(index)] : []
        }
    }

    mutating func answered(
        _ id: String, _ answer: PromptAnswer
    ) throws(PromptAnswerError) -> [PrompterAction] {
        guard let index = networks.firstIndex(where: { $0.prompt?.id == id }), let prompt = networks[index].prompt
        else {
            if let (prompt, reason) = over.suffix(64).last(where: { $0.prompt.id == id }) {
                throw .closed(prompt, reason)
            }
            throw .noSuchPrompt(id: id)
        }
        let withdrawal = close(index, .answered(answer))
        networks[index].question = nil
        if answer == .join { return withdrawal + [start(index, prompt)] }
        if answer == .never { never.insert(SSID(prompt.ssid)) }
        networks[index].isDone = true
        return withdrawal
    }

    mutating func finished(_ id: Int, _ result: Result<JoinedNetwork, JoinFailure>, at now: Instant) -> [PrompterAction]
    {
        guard let index = networks.firstIndex(where: { $0.join?.attempt.id == id }), let join = networks[index].join
        else {
            return []
        }
        networks[index].join = nil
        networks[index].isDone = true
        guard case .failure(let failure) = result else { return [.joined(join.attempt, Scene.joined)] }
        let failed = PrompterAction.joinFailed(join.attempt, failure)
        guard !networks[index].inside.isEmpty else { return [failed] }
        if networks[index].arrivals != join.arrival { return [failed] + begin(index, at: now) }
        if failure.isPassing {
            networks[index].isDone = false
            networks[index].look = (now.advanced(by: .seconds(300)), false)
        }
        return [failed]
    }

    // MARK: Steps

    /// The configuration of a network whose region is inside has changed.
    mutating func configured(_ index: Int, _ network: HomeNetwork, at now: Instant) -> [PrompterAction] {
        networks[index].current = network
        if networks[index].prompt == nil { return begin(index, at: now) }
        return network.join == .prompt ? [] : close(index, .reconfigured) + begin(index, at: now)
    }

    /// The region whose policy held was left, and the next one has another.
    mutating func wordPassed(_ index: Int, at now: Instant) -> [PrompterAction] {
        networks[index].promptBefore = nil
        let network = networks[index]
        let isCoolingDown = network.look.map { !$0.orChange } ?? false
        if network.prompt != nil {
            return close(index, .departed) + (network.current.join == .auto ? [ask(index)] : begin(index, at: now))
        }
        if network.join != nil || network.isDone && !network.isOff { return [] }
        return isCoolingDown && network.current.join != .off ? [] : begin(index, at: now)
    }

    mutating func begin(_ index: Int, at now: Instant) -> [PrompterAction] {
        if networks[index].join != nil { return [] }
        let network = networks[index].current
        (networks[index].look, networks[index].question, networks[index].isDone) = (nil, nil, true)
        networks[index].isOff = network.join == .off
        if network.join == .off { return [] }
        if never.contains(network.name) { return note(index, .refused) }
        networks[index].isDone = false
        if let end = networks[index].lastOffer?.advanced(by: .seconds(300)), now < end {
            networks[index].look = (end, false)
            return note(index, .coolingDown)
        }
        return [ask(index)]
    }

    mutating func ask(_ index: Int) -> PrompterAction {
        tickets += 1
        networks[index].look = nil
        networks[index].question = (tickets, false)
        return .determineCondition(ticket: tickets, networks[index].current)
    }

    private mutating func offer(_ index: Int, isOld: Bool, at now: Instant) -> [PrompterAction] {
        let network = networks[index]
        guard network.current.join != .off else {
            networks[index].isDone = true
            return []
        }
        networks[index].lastOffer = now
        guard network.current.join == .prompt else { return [start(index, nil)] }
        let prompt = Prompt(
            id: network.promptBefore ?? "\(nextPrompt)", ssid: network.ssid, regions: network.inside.map(\.name),
            arrival: network.arrivals)
        if network.promptBefore == nil { nextPrompt += 1 }
        networks[index].promptBefore = nil
        networks[index].prompt = prompt
        // An answer to a request from before the change of Wi-Fi does not show whether another program has connected
        // since.
        return [.announce(prompt)] + (isOld ? [ask(index)] : [])
    }

    private mutating func start(_ index: Int, _ prompt: Prompt?) -> PrompterAction {
        attempts += 1
        let network = networks[index]
        let attempt = JoinAttempt(
            id: attempts, network: network.current, regions: network.inside.map(\.name), prompt: prompt)
        networks[index].join = (attempt, network.arrivals)
        return .startJoin(attempt)
    }

    mutating func close(_ index: Int, _ reason: PromptWithdrawal) -> [PrompterAction] {
        guard let prompt = networks[index].prompt else { return [] }
        networks[index].prompt = nil
        over.append((prompt, reason))
        return [.withdraw(prompt, reason)]
    }

    mutating func note(_ index: Int, _ reason: PrompterAction.Reason) -> [PrompterAction] {
        if networks[index].noted.contains(reason) { return [] }
        networks[index].noted.append(reason)
        return [.note(ssid: networks[index].ssid, regions: networks[index].inside.map(\.name), reason)]
    }

    // MARK: Restart

    func memory(at now: Instant) -> PromptMemory {
        PromptMemory(
            refused: never, nextPrompt: nextPrompt,
            visits: networks.map { network in
                let sinceLastOffer = network.lastOffer.map { ($0.duration(to: now) / .seconds(1)).rounded() }
                if var before = network.before {
                    before.sinceLastOffer = sinceLastOffer
                    return before
                }
                return PromptMemory.Visit(
                    ssid: network.ssid, regions: network.inside.map(\.name), arrival: network.arrivals,
                    isSettled: network.isDone && network.join == nil && !network.inside.isEmpty,
                    prompt: network.prompt?.id ?? network.promptBefore,
                    sinceLastOffer: sinceLastOffer)
            })
    }

    /// The program ended, and another one goes on with these regions.
    func restarted(_ regions: [String: HomeNetwork], at now: Instant) -> NaivePrompter {
        var next = NaivePrompter()
        (next.never, next.nextPrompt) = (never, nextPrompt)
        for visit in memory(at: now).prompts.visits {
            guard let network = regions.values.first(where: { $0.ssid == visit.ssid }) else { continue }
            var known = Network(ssid: visit.ssid, current: network)
            known.arrivals = max(visit.arrival, 1)
            known.lastOffer = visit.sinceLastOffer.map { now.advanced(by: .zero - .seconds($0)) }
            var before = visit
            (before.arrival, before.regions) = (
                known.arrivals, visit.regions.filter { regions[$0]?.ssid == visit.ssid }
            )
            known.before = before.regions.isEmpty ? nil : before
            next.networks.append(known)
        }
        return next
    }
}
