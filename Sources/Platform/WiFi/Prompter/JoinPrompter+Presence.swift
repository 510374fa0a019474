import Plumbing

extension JoinPrompter {
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
            // The configuration has just been changed: the log shows that never still holds.
            visits[held].noted.remove(.refused)
            guard let prompt = visits[held].prompt else { return begin(held, at: now) }
            if visits[held].network.join == .prompt, prompt.action == network.onArrival { return [] }
            return [close(prompt, .reconfigured)] + begin(held, at: now)
        }
        let index = visit(network)
        // A prompt that waits while no region is inside is that of a departure.
        let waiting = visits[index].isInside ? nil : visits[index].prompt
        let withdrawals = waiting.map { [close($0, .arrived)] } ?? []
        visits[index].regions.append((region, network))
        guard visits[index].regions.count == 1 else { return [] }
        if case .joining = visits[index].phase {} else { visits[index].phase = .away }
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
            visits[index].phase = .waiting(until: now.advanced(by: visits[index].retry.next()))
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
        if case .joining = visits[index].phase {
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
            if case .joining = visits[index].phase {
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
            return [withdrawal, determine(index)]
        case .determining, .waiting, .settled(byPolicy: true):
            return begin(index, at: now)
        case .coolingDown where policy == .off:
            return begin(index, at: now)
        case .holding:
            visits[index].phase = .settled()
            return []
        case .away, .coolingDown, .joining, .settled:
            return []
        }
    }

    /// The clock has come to `now`.
    public mutating func advanced(to now: Instant) -> [PrompterAction] {
        var actions: [PrompterAction] = []
        for index in visits.indices {
            if let deadline = visits[index].deadline, deadline <= now { actions.append(determine(index)) }
        }
        return actions
    }

    /// Something about Wi-Fi has changed; see ``WiFiService/states()``.
    public mutating func wifiChanged(at now: Instant) -> [PrompterAction] {
        var actions: [PrompterAction] = []
        for index in visits.indices {
            switch visits[index].phase {
            case .waiting:
                actions.append(determine(index))
            case .determining(let ticket, again: false):
                visits[index].phase = .determining(ticket: ticket, again: true)
            case .prompting(let prompt, ticket: nil, _):
                actions.append(determine(index, prompting: prompt))
            case .prompting(let prompt, let ticket, again: false):
                visits[index].phase = .prompting(prompt, ticket: ticket, again: true)
            case .holding(let since, ticket: nil, _):
                actions.append(askCondition(index))
                visits[index].phase = .holding(since: since, ticket: lastTicket, again: false)
            case .holding(let since, let ticket, again: false):
                visits[index].phase = .holding(since: since, ticket: ticket, again: true)
            case .away, .coolingDown, .determining, .prompting, .joining, .holding, .settled:
                break
            }
        }
        return actions
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
        case .away, .coolingDown, .determining, .prompting, .joining, .holding: return []
        }
    }
}
