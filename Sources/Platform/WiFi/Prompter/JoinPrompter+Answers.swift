import Plumbing

extension JoinPrompter {
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
            guard case .joining(let attempt, let arrival) = visits[index].phase, attempt.id == id else { continue }
            let isInside = visits[index].isInside
            visits[index].phase = visits[index].done
            if !isInside, visits[index].isCancelled { return [PrompterAction(attempt, result)] }
            if attempt.action.isOfDeparture == isInside {
                // The last region was left while an arrival's action ran, or one was entered while a departure's ran.
                let report = PrompterAction(attempt, result)
                return [report] + (isInside ? begin(index, at: now) : leave(index, at: now))
            }
            switch result {
            case .success:
                (visits[index].consent, visits[index].awaited) = (nil, nil)
                let isHeld =
                    isInside && attempt.prompt == nil && visits[index].network.join == .auto && attempt.action.connects
                if isHeld { visits[index].phase = .holding(since: now, ticket: nil, again: false) }
                return [PrompterAction(attempt, result)]
            case .failure(let failure):
                if visits[index].arrivals != arrival {
                    return [.actionFailed(attempt, failure)] + begin(index, at: now)
                }
                return failed(index, attempt, failure, at: now)
            }
        }
        return []
    }

    private mutating func failed(
        _ index: Int, _ attempt: JoinAttempt, _ failure: JoinFailure, at now: Instant
    ) -> [PrompterAction] {
        // The first failure of an answer is reported. Of a join that begins again and again, each cause is reported once an arrival.
        let isFirst = attempt.prompt != nil && visits[index].consent == nil
        let isReported = visits[index].reported.insert(failure.code).inserted || isFirst
        let report: [PrompterAction] = isReported ? [.actionFailed(attempt, failure)] : []
        if failure.isInterruption, visits[index].restarts < Self.mostRestarts {
            visits[index].restarts += 1
            visits[index].consent = attempt.prompt
            visits[index].phase = .waiting(until: now.advanced(by: visits[index].retry.next()))
            return report
        }
        visits[index].consent = nil
        guard failure.isPassing || failure.isInterruption else { return report }
        let end = now.advanced(by: Self.coolDown)
        if let failed = failure.strength {
            let strength = min(failed + SignalStrength.improvement, SignalStrength.strong)
            visits[index].consent = attempt.prompt
            visits[index].awaited = (strength, end)
            visits[index].phase = .waiting(until: end)
        } else {
            visits[index].phase = .coolingDown(until: end)
        }
        return report
    }
}

extension PrompterAction {
    fileprivate init(_ attempt: JoinAttempt, _ result: Result<JoinedNetwork, JoinFailure>) {
        switch result {
        case .success(let joined): self = .actionCompleted(attempt, joined)
        case .failure(let failure): self = .actionFailed(attempt, failure)
        }
    }
}
