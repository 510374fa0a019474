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
                visits[index].phase = visits[index].done
                return [close(prompt, .connected)]
            case .holding(let since, ticket: ticket, let again):
                return held(index, condition, since: since, again: again, at: now)
            case .away, .coolingDown, .determining, .waiting, .prompting, .joining, .holding, .settled:
                continue
            }
        }
        return []
    }

    private mutating func determined(
        _ index: Int, _ condition: NetworkCondition, again: Bool, at now: Instant
    ) -> [PrompterAction] {
        let isFirstLook = !visits[index].isLookedAt
        visits[index].isLookedAt = true
        switch condition {
        case .alreadyConnected:
            let holds = visits[index].network.join == .auto && visits[index].action?.connects == true
            visits[index].phase = holds ? .holding(since: now, ticket: nil, again: false) : visits[index].done
            return visits[index].action == .join ? note(index, .alreadyConnected) : []
        case .connecting:
            return wait(index, [], again: again, at: now)
        case .unavailable(let failure):
            return wait(index, note(index, .unavailable(failure)), again: again, at: now)
        case .switchedOff(let isCountryUnset, let other)
        where visits[index].network.join == .prompt && visits[index].consent == nil:
            if let other, !mayOffer(index) {
                return wait(index, note(index, .otherConnection(other)), again: again, at: now)
            }
            let isHotspot = visits[index].action == .hotspot
            let situation: PromptSituation = isHotspot ? .hotspotRadioOff : isCountryUnset ? .countryUnset : .radioOff
            return offer(index, situation, again: again, at: now)
        case .switchedOff(_, let other) where isFirstLook && visits[index].network.onDeparture == .radioOff:
            // The last departure has switched it off.
            if let other, !mayOffer(index) {
                return wait(index, note(index, .otherConnection(other)), again: again, at: now)
            }
            return offer(index, nil, again: again, at: now)
        case .switchedOff:
            return wait(index, note(index, .unavailable(.radioOff)), again: again, at: now)
        case .ready(let readiness) where readiness.isDisconnectedByUser && visits[index].wasHeld:
            visits[index].phase = .settled()
            return note(index, .disconnectedByUser)
        case .ready(let readiness):
            if let end = delay(index, readiness, at: now) {
                if again { return [determine(index)] }
                visits[index].phase = .waiting(until: end)
                return []
            }
            if visits[index].consent == nil, let other = readiness.otherConnection, !mayOffer(index) {
                return wait(index, note(index, .otherConnection(other)), again: again, at: now)
            }
            if visits[index].action == .radioOff, isRadioUsed(besides: index) {
                return wait(index, [], again: again, at: now)
            }
            let situation = readiness.situation(visits[index].action ?? .join)
            return offer(index, situation, mustAsk: readiness.isLoggedInOver, again: again, at: now)
        }
    }

    /// Whether an arrival asks, or joins without a question, while another connection works. A question is counted.
    private mutating func mayOffer(_ index: Int) -> Bool {
        let network = visits[index].network
        let isRepeated = visits[index].renewed != nil
        switch network.whenOnline {
        case .never: return false
        case .always: break
        case .once:
            guard network.join == .prompt, isRepeated || !askedWhileOnline.contains(network.name) else { return false }
        }
        if network.join == .prompt { askedWhileOnline.insert(network.name) }
        return true
    }

    /// Whether Wi-Fi stays on for a region of another network that is inside, or was before a restart; or its end is under way already.
    private func isRadioUsed(besides index: Int) -> Bool {
        visits.indices.contains { other in
            guard other != index, visits[other].network.join != .off else { return false }
            if visits[other].isInside || visits[other].recalled != nil { return true }
            if case .joining(let attempt, _) = visits[other].phase, attempt.action == .radioOff { return true }
            return visits[other].prompt?.action == .radioOff
        }
    }

    /// Waits for the next look, or a change of Wi-Fi.
    private mutating func wait(
        _ index: Int, _ notes: [PrompterAction], again: Bool, at now: Instant
    ) -> [PrompterAction] {
        if again { return notes + [determine(index)] }
        visits[index].phase = .waiting(until: now.advanced(by: visits[index].retry.next()))
        return notes
    }

    /// Returns the end of the wait for a stronger signal; `nil` if the signal suffices, or nothing is waited for any more.
    private func delay(_ index: Int, _ readiness: JoinReadiness, at now: Instant) -> Instant? {
        if let awaited = visits[index].awaited, now < awaited.until, readiness.strength < awaited.strength {
            return awaited.until
        }
        guard visits[index].network.join == .auto, readiness.strength < SignalStrength.reliable else { return nil }
        let end = visits[index].begin?.advanced(by: Self.patience)
        return end.flatMap { now < $0 ? $0 : nil }
    }

    /// Handles the condition of a network that was joined without a question.
    private mutating func held(
        _ index: Int, _ condition: NetworkCondition, since: Instant, again: Bool, at now: Instant
    ) -> [PrompterAction] {
        switch condition {
        case .alreadyConnected, .connecting:
            visits[index].phase = .holding(since: since, ticket: nil, again: false)
            guard again else { return [] }
            let action = askCondition(index)
            visits[index].phase = .holding(since: since, ticket: lastTicket, again: false)
            return [action]
        case .ready(let readiness) where readiness.isDisconnectedByUser:
            visits[index].phase = .settled()
            return note(index, .disconnectedByUser)
        case .ready, .switchedOff, .unavailable:
            break
        }
        // At once after the first connection and one that lasted; after short ones with growing delays, because the network may be broken.
        if since.duration(to: now) >= Self.longestRetry { visits[index].holdDelay.reset() }
        let isFirst = !visits[index].wasHeld || since.duration(to: now) >= Self.longestRetry
        visits[index].wasHeld = true
        if isFirst { return [determine(index)] }
        visits[index].phase = .coolingDown(until: now.advanced(by: visits[index].holdDelay.next()))
        return []
    }

    private mutating func offer(
        _ index: Int, _ situation: PromptSituation?, mustAsk: Bool = false, again: Bool, at now: Instant
    ) -> [PrompterAction] {
        let visit = visits[index]
        if visit.network.join != .off {
            if visit.isInside { visits[index].lastOffer = now } else { visits[index].lastDeparture = now }
        }
        switch visit.network.join {
        case .auto where !mustAsk:
            return [start(index, prompt: nil)]
        case .prompt, .auto:
            if let consent = visit.consent, !mustAsk || consent.situation?.namesLogin == true {
                return [start(index, prompt: consent)]
            }
            visits[index].consent = nil
            let prompt = Prompt(
                id: visit.renewed ?? String(nextPrompt), ssid: visit.network.ssid, regions: visit.names,
                arrival: visit.arrivals, situation: situation)
            if visit.renewed == nil { nextPrompt += 1 }
            visits[index].renewed = nil
            visits[index].phase = .prompting(prompt, ticket: nil, again: false)
            // Another program may have connected after the check.
            return [.announce(prompt)] + (again ? [determine(index, prompting: prompt)] : [])
        case .off:
            visits[index].phase = visit.isInside ? .settled(byPolicy: true) : .away
            return []
        }
    }
}
