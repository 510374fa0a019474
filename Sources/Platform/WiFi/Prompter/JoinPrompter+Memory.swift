extension JoinPrompter {
    private static var credible: ClosedRange<Int> { 1...1_000_000_000 }

    package func memory(at now: Instant) -> PromptMemory {
        PromptMemory(
            refused: refused, nextPrompt: nextPrompt,
            visits: visits.map { visit in
                PromptMemory.Visit(
                    ssid: visit.network.ssid,
                    regions: visit.recalled?.regions ?? (visit.isInside || visit.isDeparting ? visit.names : []),
                    arrival: visit.arrivals,
                    isSettled: visit.recalled?.isSettled ?? visit.isSettled,
                    prompt: visit.recalled?.prompt ?? visit.pending?.id ?? visit.renewed,
                    sinceLastOffer: visit.lastOffer.map { ($0.duration(to: now) / .seconds(1)).rounded() },
                    isHeld: visit.recalled?.isHeld ?? (visit.isHeld ? true : nil),
                    isDeparting: visit.isDeparting ? true : nil,
                    sinceLastDeparture: visit.lastDeparture.map { ($0.duration(to: now) / .seconds(1)).rounded() })
            }, askedWhileOnline: askedWhileOnline)
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
        nextPrompt = memory.prompts.next.clamped(to: Self.credible)
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
            visits[index].phase = .coolingDown(until: now.advanced(by: Self.firstRetry))
        }
    }

    /// A visit of before the restart goes on.
    mutating func resume(_ index: Int, _ recalled: PromptMemory.Visit, at now: Instant) -> [PrompterAction] {
        if recalled.isSettled, recalled.isHeld == true, visits[index].network.join == .auto,
            !refused.contains(visits[index].network.name)
        {
            let action = askCondition(index)
            visits[index].phase = .holding(since: now, ticket: lastTicket, again: false)
            return [action]
        }
        if recalled.isSettled {
            visits[index].phase = .settled()
            let isSurprising = visits[index].network.join == .auto && refused.contains(visits[index].network.name)
            return isSurprising ? note(index, .refused) : []
        }
        let asks = visits[index].network.join == .prompt && !refused.contains(SSID(recalled.ssid))
        guard asks, let prompt = recalled.prompt else { return begin(index, at: now) }
        // It was asked already: the cool-down does not apply.
        visits[index].renewed = prompt
        return [determine(index)]
    }

    /// `region` was left, and does not belong to a visit before the restart any more. Returns the visit that is over with it.
    mutating func recallEnded(region: String) -> Int? {
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
