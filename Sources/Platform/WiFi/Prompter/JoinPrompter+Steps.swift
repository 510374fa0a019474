import Plumbing

extension JoinPrompter {
    static var longestMemory: Int { 64 }

    /// An arrival starts, or starts over.
    mutating func begin(_ index: Int, at now: Instant) -> [PrompterAction] {
        if case .joining = visits[index].phase { return [] }
        visits[index].consent = nil
        let network = visits[index].network
        guard network.join != .off else {
            visits[index].phase = visits[index].isInside ? .settled(byPolicy: true) : .away
            return []
        }
        guard !refused.contains(network.name) else {
            visits[index].phase = visits[index].done
            return note(index, .refused)
        }
        if let end = coolDownEnd(index), now < end {
            visits[index].phase = .coolingDown(until: end)
            return note(index, .coolingDown)
        }
        return [determine(index)]
    }

    /// The last region was left: what a departure does begins.
    mutating func leave(_ index: Int, at now: Instant) -> [PrompterAction] {
        visits[index].phase = .away
        guard visits[index].network.onDeparture != nil else { return [] }
        visits[index].arrivalBegan(at: now)
        return begin(index, at: now)
    }

    mutating func determine(_ index: Int) -> PrompterAction {
        let action = askCondition(index)
        visits[index].phase = .determining(ticket: lastTicket, again: false)
        return action
    }

    /// Requests the condition of the network, which another program may have joined while `prompt` waits.
    mutating func determine(_ index: Int, prompting prompt: Prompt) -> PrompterAction {
        let action = askCondition(index)
        visits[index].phase = .prompting(prompt, ticket: lastTicket, again: false)
        return action
    }

    mutating func askCondition(_ index: Int) -> PrompterAction {
        lastTicket += 1
        return .determineCondition(
            ticket: lastTicket, visits[index].network, visits[index].action ?? visits[index].network.onArrival)
    }

    mutating func start(_ index: Int, prompt: Prompt?) -> PrompterAction {
        lastAttempt += 1
        let visit = visits[index]
        let attempt = JoinAttempt(
            id: lastAttempt, network: visit.network, regions: visit.names, prompt: prompt,
            action: prompt?.action ?? visit.action ?? visit.network.onArrival)
        visits[index].phase = .joining(attempt, arrival: visit.arrivals)
        return .startAction(attempt)
    }

    mutating func close(_ prompt: Prompt, _ reason: PromptWithdrawal) -> PrompterAction {
        closed.append((prompt, reason))
        if closed.count > Self.longestMemory { closed.removeFirst() }
        return .withdraw(prompt, reason)
    }

    mutating func note(_ index: Int, _ reason: PrompterAction.Reason) -> [PrompterAction] {
        guard visits[index].noted.insert(reason).inserted else { return [] }
        return [.note(ssid: visits[index].network.ssid, regions: visits[index].names, reason)]
    }

    func coolDownEnd(_ index: Int) -> Instant? {
        let last = visits[index].isInside ? visits[index].lastOffer : visits[index].lastDeparture
        return last?.advanced(by: Self.coolDown)
    }

    func find(region: String) -> (visit: Int, place: Int)? {
        for (index, visit) in visits.enumerated() {
            if let place = visit.regions.firstIndex(where: { $0.name == region }) { return (index, place) }
        }
        return nil
    }

    mutating func visit(_ network: HomeNetwork) -> Int {
        if let index = visits.firstIndex(where: { $0.network.name == network.name }) { return index }
        let delay = BackOff(Self.firstRetry, limit: Self.longestRetry)
        visits.append(Visit(network: network, retry: delay, holdDelay: delay))
        return visits.count - 1
    }
}
