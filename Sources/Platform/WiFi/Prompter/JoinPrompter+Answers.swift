import Plumbing

extension JoinPrompter {
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
                    return again ? [determine(index, prompting: prompt)] : []
                }
                visits[index].phase = .settled()
                return [close(prompt, .connected)]
            case .away, .coolingDown, .determining, .waiting, .prompting, .joining, .settled:
                continue
            }
        }
        return []
    }

    public mutating func answered(
        _ id: String, _ answer: PromptAnswer, at now: Instant
    ) throws(PromptAnswerError) -> [PrompterAction] {
        for index in visits.indices {
            guard let prompt = visits[index].prompt, prompt.id == id else { continue }
            let withdrawal = close(prompt, .answered(answer))
            switch answer {
            case .join:
                return [withdrawal, start(index, prompt: prompt)]
            case .later:
                visits[index].phase = .settled()
            case .never:
                refused.insert(SSID(prompt.ssid))
                visits[index].phase = .settled()
            }
            return [withdrawal]
        }
        if let (prompt, reason) = closed.last(where: { $0.prompt.id == id }) { throw .closed(prompt, reason) }
        throw .noSuchPrompt(id: id)
    }

    /// The attempt `id` has ended. An attempt that does not run counts for nothing.
    public mutating func joinFinished(
        _ id: Int, result: Result<JoinedNetwork, JoinFailure>, at now: Instant
    ) -> [PrompterAction] {
        for index in visits.indices {
            guard case .joining(let attempt, let arrival) = visits[index].phase, attempt.id == id else { continue }
            let isInside = !visits[index].regions.isEmpty
            visits[index].phase = isInside ? .settled() : .away
            switch result {
            case .success(let joined):
                return [.joined(attempt, joined)]
            case .failure(let failure):
                let failed = PrompterAction.joinFailed(attempt, failure)
                guard isInside else { return [failed] }
                if visits[index].arrivals != arrival { return [failed] + begin(index, at: now) }
                if failure.isPassing { visits[index].phase = .coolingDown(until: now.advanced(by: Self.coolDown)) }
                return [failed]
            }
        }
        return []
    }

    private mutating func determined(
        _ index: Int, _ condition: NetworkCondition, again: Bool, at now: Instant
    ) -> [PrompterAction] {
        switch condition {
        case .alreadyConnected:
            visits[index].phase = .settled()
            return note(index, .alreadyConnected)
        case .unavailable(let failure):
            let notes = note(index, .unavailable(failure))
            if again { return notes + [determine(index)] }
            visits[index].phase = .waiting(until: now.advanced(by: visits[index].retry.next()))
            return notes
        case .ready:
            return offer(index, again: again, at: now)
        }
    }

    private mutating func offer(_ index: Int, again: Bool, at now: Instant) -> [PrompterAction] {
        let visit = visits[index]
        if visit.network.join != .off { visits[index].lastOffer = now }
        switch visit.network.join {
        case .prompt:
            let prompt = Prompt(
                id: visit.renewed ?? String(nextPrompt), ssid: visit.network.ssid, regions: visit.names,
                arrival: visit.arrivals)
            if visit.renewed == nil { nextPrompt += 1 }
            visits[index].renewed = nil
            visits[index].phase = .prompting(prompt, ticket: nil, again: false)
            // Another program may have connected after the check.
            return [.announce(prompt)] + (again ? [determine(index, prompting: prompt)] : [])
        case .auto:
            return [start(index, prompt: nil)]
        case .off:
            visits[index].phase = .settled(byPolicy: true)
            return []
        }
    }
}
