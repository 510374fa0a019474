@testable import OkaeriWiFi

extension NaivePrompter {
    // MARK: Answers

    mutating func determined(_ ticket: Int, _ condition: NetworkCondition, at now: Instant) -> [PrompterAction] {
        guard let index = networks.firstIndex(where: { $0.question?.ticket == ticket }) else { return [] }
        let isOld = networks[index].question?.isOld ?? false
        networks[index].question = nil
        if networks[index].held != nil { return determinedHeld(index, condition, isOld: isOld, at: now) }
        guard networks[index].prompt == nil else {
            guard condition == .alreadyConnected else { return isOld ? [ask(index)] : [] }
            networks[index].isDone = true
            return close(index, .connected)
        }
        let network = networks[index]
        let isFirst = !network.isLookedAt
        networks[index].isLookedAt = true
        switch condition {
        case .alreadyConnected:
            networks[index].isDone = true
            let isConnection = network.action == .join || network.action == .hotspot
            if network.current.join == .auto, isConnection { networks[index].held = now }
            return network.action == .join ? note(index, .alreadyConnected) : []
        case .connecting: return wait(index, nil, isOld: isOld, at: now)
        case .switchedOff(let isCountryUnset, let other)
        where network.isAsked && network.consent == nil:
            if let other, !mayOffer(index) { return wait(index, .otherConnection(other), isOld: isOld, at: now) }
            let question: PromptSituation = isCountryUnset ? .countryUnset : .radioOff
            return offer(index, network.action == .hotspot ? .hotspotRadioOff : question, isOld: isOld, at: now)
        case .switchedOff(_, let other) where isFirst && network.current.onDeparture == .radioOff:
            if let other, !mayOffer(index) { return wait(index, .otherConnection(other), isOld: isOld, at: now) }
            return offer(index, nil, isOld: isOld, at: now)
        case .switchedOff: return wait(index, .unavailable(.radioOff), isOld: isOld, at: now)
        case .unavailable(let failure): return wait(index, .unavailable(failure), isOld: isOld, at: now)
        case .ready(let readiness) where readiness.isDisconnectedByUser && network.wasHeld:
            networks[index].isDone = true
            return note(index, .disconnectedByUser)
        case .ready(let readiness):
            var ends: [Instant] = []
            if let awaited = network.awaited, readiness.strength < awaited.strength { ends.append(awaited.until) }
            if network.current.join == .auto, readiness.strength < 30, let began = network.began {
                ends.append(began.advanced(by: .seconds(20)))
            }
            if let end = ends.first(where: { now < $0 }) {
                if isOld { return [ask(index)] }
                networks[index].look = (end, true)
                return []
            }
            if network.consent == nil, let other = readiness.otherConnection, !mayOffer(index) {
                return wait(index, .otherConnection(other), isOld: isOld, at: now)
            }
            let isUsed = networks.indices.contains { other in
                guard other != index, networks[other].current.join != .off else { return false }
                return !networks[other].inside.isEmpty || networks[other].before != nil
                    || networks[other].join?.attempt.action == .radioOff
                    || networks[other].prompt?.situation?.action == .radioOff
            }
            if network.action == .radioOff, isUsed { return wait(index, nil, isOld: isOld, at: now) }
            let isLoggedIn = readiness.isLoggedInOver
            let situations: [NetworkAction: PromptSituation?] = [
                .join: readiness.otherConnection == .ethernet ? .ethernet : nil,
                .hotspot: readiness.endsConnection ? .hotspotInstead : .hotspot, .radioOn: .switchOn,
                .leave: isLoggedIn ? .leaveLoggedIn : .leave,
                .hotspotOff: isLoggedIn ? .hotspotOffLoggedIn : .hotspotOff,
                .radioOff: isLoggedIn ? .switchOffLoggedIn : .switchOff,
            ]
            return offer(
                index, situations[network.action] ?? nil, isLoggedIn: isLoggedIn, isOld: isOld, at: now)
        }
    }

    private mutating func mayOffer(_ index: Int) -> Bool {
        let network = networks[index]
        let isNew = network.promptBefore != nil || !askedWhileOnline.contains(network.current.name)
        let mayAsk = network.isAsked && isNew
        let goesOn = [.always: true, .once: mayAsk, .never: false][network.current.whenOnline] ?? false
        if goesOn, network.isAsked { askedWhileOnline.insert(network.current.name) }
        return goesOn
    }

    private mutating func determinedHeld(
        _ index: Int, _ condition: NetworkCondition, isOld: Bool, at now: Instant
    ) -> [PrompterAction] {
        if condition == .alreadyConnected || condition == .connecting { return isOld ? [ask(index)] : [] }
        let since = networks[index].held ?? now
        networks[index].held = nil
        if case .ready(let readiness) = condition, readiness.isDisconnectedByUser {
            return note(index, .disconnectedByUser)
        }
        networks[index].isDone = false
        let isLong = since.duration(to: now) >= .seconds(600)
        if isLong { networks[index].holdDelay = .seconds(30) }
        defer { networks[index].wasHeld = true }
        if !networks[index].wasHeld || isLong { return [ask(index)] }
        networks[index].look = (now.advanced(by: networks[index].holdDelay), false)
        networks[index].lull = .lostConnection
        networks[index].holdDelay = min(networks[index].holdDelay * 2, .seconds(600))
        return []
    }

    private mutating func wait(
        _ index: Int, _ reason: PrompterAction.Reason?, isOld: Bool, at now: Instant
    ) -> [PrompterAction] {
        let notes = reason.map { note(index, $0) } ?? []
        if isOld { return notes + [ask(index)] }
        sleep(index, orChange: true, at: now)
        return notes
    }

    private mutating func sleep(_ index: Int, orChange: Bool, at now: Instant) {
        networks[index].look = (now.advanced(by: networks[index].delay), orChange)
        networks[index].delay = min(networks[index].delay * 2, .seconds(600))
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
        let isInside = !networks[index].inside.isEmpty
        if !isInside, networks[index].isCancelled {
            if case .failure(let failure) = result { return [.actionFailed(join.attempt, failure)] }
            return [.actionCompleted(join.attempt, Scene.joined)]
        }
        if join.attempt.action.isOfDeparture == isInside {
            var report = PrompterAction.actionCompleted(join.attempt, Scene.joined)
            if case .failure(let failure) = result { report = .actionFailed(join.attempt, failure) }
            return [report] + (isInside ? begin(index, at: now) : leave(index, at: now))
        }
        guard case .failure(let failure) = result else {
            (networks[index].consent, networks[index].awaited) = (nil, nil)
            let isHeld =
                join.attempt.prompt == nil && networks[index].current.join == .auto
                && (join.attempt.action == .join || join.attempt.action == .hotspot)
            if isHeld, !networks[index].inside.isEmpty { networks[index].held = now }
            return [.actionCompleted(join.attempt, Scene.joined)]
        }
        let failed = PrompterAction.actionFailed(join.attempt, failure)
        if networks[index].arrivals != join.arrival { return [failed] + begin(index, at: now) }
        let isFirst = join.attempt.prompt != nil && networks[index].consent == nil
        let reports = isFirst || !networks[index].reported.contains(failure.code) ? [failed] : []
        networks[index].reported.append(failure.code)
        networks[index].consent = nil
        let isInterruption = failure == .radioOff || failure == .interrupted
        if isInterruption, networks[index].restarts < 5 {
            networks[index].restarts += 1
            (networks[index].consent, networks[index].isDone) = (join.attempt.prompt, false)
            sleep(index, orChange: true, at: now)
        } else if let strength = failure.strength, strength < 50 {
            let end = now.advanced(by: .seconds(300))
            (networks[index].consent, networks[index].isDone) = (join.attempt.prompt, false)
            networks[index].awaited = (min(strength + 17, 50), end)
            networks[index].look = (end, true)
        } else if failure.isPassing || isInterruption {
            networks[index].isDone = false
            networks[index].look = (now.advanced(by: .seconds(300)), false)
            networks[index].lull = .failure
        }
        return reports
    }

    mutating func neverCleared(_ ssid: String, at now: Instant) -> [PrompterAction] {
        let isNews = [never.remove(SSID(ssid)), askedWhileOnline.remove(SSID(ssid))].contains { $0 != nil }
        guard isNews, let index = networks.firstIndex(where: { $0.ssid == ssid }) else { return [] }
        let network = networks[index]
        let isIdle = network.isDone && network.join == nil && network.held == nil || network.look?.orChange == true
        return network.inside.isEmpty || !isIdle ? [] : begin(index, at: now)
    }

    // MARK: Steps

    /// The configuration of a network whose region is inside has changed.
    mutating func configured(_ index: Int, _ network: HomeNetwork, at now: Instant) -> [PrompterAction] {
        networks[index].current = network
        if networks[index].prompt == nil { return begin(index, at: now) }
        let asked = networks[index].prompt?.situation?.action ?? .join
        return [.prompt, .once].contains(network.join) && asked == network.onArrival
            ? [] : close(index, .reconfigured) + begin(index, at: now)
    }

    /// The region whose policy held was left, and the next one has another.
    mutating func decidingRegionChanged(_ index: Int, at now: Instant) -> [PrompterAction] {
        (networks[index].promptBefore, networks[index].consent) = (nil, nil)
        if networks[index].held != nil { (networks[index].held, networks[index].question) = (nil, nil) }
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
        (networks[index].consent, networks[index].held) = (nil, nil)
        networks[index].isOff = network.join == .off && !networks[index].inside.isEmpty
        if network.join == .off { return [] }
        if never.contains(network.name) { return note(index, .refused) }
        networks[index].isDone = false
        let last = networks[index].inside.isEmpty ? networks[index].lastDeparture : networks[index].lastOffer
        if let end = last?.advanced(by: .seconds(300)), now < end {
            networks[index].look = (end, false)
            networks[index].lull = .recentOffer
            return note(index, .coolingDown)
        }
        return [ask(index)]
    }

    mutating func ask(_ index: Int) -> PrompterAction {
        tickets += 1
        networks[index].look = nil
        networks[index].question = (tickets, false)
        return .determineCondition(ticket: tickets, networks[index].current, networks[index].action)
    }

    private mutating func offer(
        _ index: Int, _ situation: PromptSituation?, isLoggedIn: Bool = false, isOld: Bool, at now: Instant
    ) -> [PrompterAction] {
        let network = networks[index]
        guard network.current.join != .off else {
            (networks[index].isDone, networks[index].isOff) = (true, !network.inside.isEmpty)
            return []
        }
        if network.inside.isEmpty { networks[index].lastDeparture = now } else { networks[index].lastOffer = now }
        guard network.isAsked || isLoggedIn else { return [start(index, nil)] }
        let named: [PromptSituation?] = [.leaveLoggedIn, .hotspotOffLoggedIn, .switchOffLoggedIn]
        if let consent = network.consent, !isLoggedIn || named.contains(consent.situation) {
            return [start(index, consent)]
        }
        networks[index].consent = nil
        let prompt = Prompt(
            id: network.promptBefore ?? "\(nextPrompt)", ssid: network.ssid, regions: network.names,
            arrival: network.arrivals, situation: situation)
        if network.promptBefore == nil { nextPrompt += 1 }
        networks[index].promptBefore = nil
        networks[index].prompt = prompt
        networks[index].asked += 1
        // An answer to a request from before the change of Wi-Fi does not show whether another program has connected
        // since.
        return [.announce(prompt)] + (isOld ? [ask(index)] : [])
    }

    private mutating func start(_ index: Int, _ prompt: Prompt?) -> PrompterAction {
        attempts += 1
        let network = networks[index]
        let attempt = JoinAttempt(
            id: attempts, network: network.current, regions: network.names, prompt: prompt,
            action: prompt.map { $0.situation?.action ?? .join } ?? network.action)
        networks[index].join = (attempt, network.arrivals)
        return .startAction(attempt)
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
        return [.note(ssid: networks[index].ssid, regions: networks[index].names, reason)]
    }

    // MARK: Reports

    func reports(at now: Instant) -> [NetworkPrompts<Instant>] {
        networks.map { network in
            var lull = network.lastOffer.map { ($0.advanced(by: .seconds(300)), NetworkCoolDown.Cause.recentOffer) }
            if let look = network.look, !look.orChange, let cause = network.lull { lull = (look.at, cause) }
            if let end = lull?.0, end <= now { lull = nil }
            return NetworkPrompts(
                name: SSID(network.ssid), prompts: network.asked, coolDownEnd: lull?.0, cause: lull?.1)
        }
    }

    // MARK: Restart

    func memory(at now: Instant) -> PromptMemory {
        PromptMemory(
            refused: never, nextPrompt: nextPrompt,
            visits: networks.map { network in
                let sinceLastOffer = network.lastOffer.map { ($0.duration(to: now) / .seconds(1)).rounded() }
                let sinceLastDeparture = network.lastDeparture.map { ($0.duration(to: now) / .seconds(1)).rounded() }
                if var before = network.before {
                    before.sinceLastOffer = sinceLastOffer
                    before.sinceLastDeparture = sinceLastDeparture
                    return before
                }
                return PromptMemory.Visit(
                    ssid: network.ssid, regions: network.isDeparting ? network.names : network.inside.map(\.name),
                    arrival: network.arrivals,
                    isSettled: network.isDone && network.join == nil && !network.inside.isEmpty,
                    prompt: network.join.map {
                        $0.attempt.action.isOfDeparture == !network.inside.isEmpty ? nil : $0.attempt.prompt?.id
                    } ?? network.prompt?.id ?? network.consent?.id
                        ?? network.promptBefore,
                    sinceLastOffer: sinceLastOffer, isHeld: network.held == nil ? nil : true,
                    isDeparting: network.isDeparting ? true : nil, sinceLastDeparture: sinceLastDeparture)
            }, askedWhileOnline: askedWhileOnline)
    }

    /// The program ended, and another one goes on with these regions.
    func restarted(_ regions: [String: HomeNetwork], at now: Instant) -> NaivePrompter {
        var next = NaivePrompter()
        (next.never, next.nextPrompt, next.askedWhileOnline) = (never, nextPrompt, askedWhileOnline)
        for visit in memory(at: now).prompts.visits {
            let last = visit.isDeparting == true ? visit.regions.first { regions[$0]?.ssid == visit.ssid } : nil
            let any = regions.first { $0.value.ssid == visit.ssid }?.value
            guard let network = visit.isDeparting == true ? last.flatMap({ regions[$0] }) : any else { continue }
            var known = Network(ssid: visit.ssid, current: network)
            known.arrivals = max(visit.arrival, 1)
            known.lastOffer = visit.sinceLastOffer.map { now.advanced(by: .zero - .seconds($0)) }
            known.lastDeparture = visit.sinceLastDeparture.map { now.advanced(by: .zero - .seconds($0)) }
            var before = visit
            (before.arrival, before.regions) = (
                known.arrivals, visit.regions.filter { regions[$0]?.ssid == visit.ssid }
            )
            if visit.isDeparting == true, network.onDeparture != nil {
                (known.left, known.promptBefore) = (last, visit.prompt)
                (known.look, known.isDone) = ((now.advanced(by: .seconds(30)), false), false)
                known.lull = .restart
            } else if visit.isDeparting != true {
                known.before = before.regions.isEmpty ? nil : before
            }
            next.networks.append(known)
        }
        return next
    }
}
