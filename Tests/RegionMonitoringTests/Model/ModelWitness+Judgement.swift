import IBeacon
import RegionMonitoring

extension ModelWitness {
    /// Each action is one that the event can lead to, and follows from the region's state.
    mutating func take(_ actions: [RegionMonitor.Action], after event: ModelEvent) {
        var news: RegionMonitor.Action?
        for action in actions {
            if fault == nil, !isLegal(action, after: event, news: news) {
                fault = "\(action) in \(actions), with \(regions)"
            }
            news = nil
            switch action {
            case .didStartMonitoring(let name): regions[name] = Region(state: .unknown, lastKnown: .unknown)
            case .didEnterRegion, .didExitRegion: news = action
            case .didDetermineState(let name, let state):
                regions[name]?.state = state
                if state != .unknown { regions[name]?.lastKnown = state }
            case .didRangeBeacons, .rangingBeaconsDidFail, .silenceDidEnd: break
            }
        }
        if news != nil { fault = "news without a state: \(actions)" }
    }

    /// - Parameter news: the crossing that was announced just before.
    private func isLegal(
        _ action: RegionMonitor.Action, after event: ModelEvent, news: RegionMonitor.Action?
    ) -> Bool {
        let cause = String("\(event)".prefix { $0 != "(" })
        switch action {
        case .didStartMonitoring: return cause == "replaced"
        case .didEnterRegion(let name, let beacon):
            return cause == "sighted" && regions[name]?.lastKnown != .inside && heard[beacon.identity] == now
        case .didExitRegion(let name):
            return ["sighted", "advanced"].contains(cause) && regions[name]?.lastKnown == .inside
        case .didDetermineState(let name, let state):
            guard let region = regions[name], let watched = watched.first(where: { $0.identifier == name })
            else {
                return false
            }
            switch state {
            case .unknown: return cause == "replaced" || cause == "adapterLost" && region.state != .unknown
            case .inside:
                let isNews = if case .didEnterRegion(name, _) = news { true } else { false }
                return cause == "sighted" && region.state != .inside
                    && isNews == (region.lastKnown != .inside && watched.notifyOnEntry)
            case .outside:
                return ["sighted", "advanced"].contains(cause) && region.state != .outside
                    && (news == .didExitRegion(region: name)) == (region.lastKnown == .inside && watched.notifyOnExit)
                    && (cause == "sighted" ? region.state == .inside : leaps || wasSilentLongEnough(watched))
            }
        case .didRangeBeacons(let name, let beacons):
            let region = watched.first { $0.identifier == name }
            let isFresh = beacons.allSatisfy { beacon in
                heard[beacon.identity].map { leaps || $0.duration(to: now) <= RegionMonitor.rangingMemory } ?? false
            }
            return cause == "advanced" && hasAdapter && region?.ranging != .off && isFresh
                && Set(beacons.map(\.identity)).count == beacons.count
                && beacons.allSatisfy { region?.constraint?.matches($0.identity) ?? false }
        case .rangingBeaconsDidFail(let name):
            return cause == "adapterLost" && watched.contains { $0.identifier == name && $0.ranging != .off }
        case .silenceDidEnd(let name, let silence):
            return cause == "sighted" && regions[name]?.state == .inside && (leaps || silence.length > .zero)
                && Sensitivity.allCases.allSatisfy { bounds($0).contains(silence.exitTimes[$0]) }
        }
    }

    private func bounds(_ sensitivity: Sensitivity) -> ClosedRange<Duration> {
        sensitivity.shortestExitAfter...MonitoredRegion.longestExitAfter
    }

    /// No region is left before the shortest time.
    private func wasSilentLongEnough(_ region: MonitoredRegion) -> Bool {
        guard let index = watched.firstIndex(of: region) else { return false }
        return silences[index].duration(to: now) >= region.exitAfter ?? region.sensitivity.shortestExitAfter
    }

    /// Returns the error in the monitor's values, if there is one.
    func judgement(after event: ModelEvent) -> String? {
        let ours = monitor.beaconSnapshots(since: Instant(nanoseconds: .min)).filter { $0.identity.uuid == uuid }
        if ours.map(\.count).reduce(0, +) != count { return "\(ours) were heard \(count) times" }
        if ours.contains(where: { heard[$0.identity] != $0.lastHeard }) { return "\(ours) were heard at \(heard)" }
        if case .advanced = event, !isAstray, let next = monitor.nextDeadline, next <= now {
            return "the deadline \(next) is past"
        }
        for snapshot in monitor.regionSnapshots {
            let region = regions[snapshot.region.identifier]
            guard snapshot.state == region?.state, snapshot.lastKnown == region?.lastKnown,
                (snapshot.beacon != nil) == (snapshot.state == .inside)
            else { return "\(snapshot) should be \(region as Any)" }
            if case .advanced = event, !leaps, world.neighbours < 5, !clock.isPaused, snapshot.state == .inside,
                let last = snapshot.beacon?.lastHeard,
                clock.listened(at: now) - clock.listened(at: last) >= MonitoredRegion.longestExitAfter
            {
                return "\(snapshot) is silent for too long"
            }
        }
        return nil
    }

    /// Returns the error in its judgement of the beacons, if there is one.
    func judgementOfBeacons() -> String? {
        for (snapshot, judgements) in zip(monitor.regionSnapshots, monitor.judgements(at: now, limit: .max)) {
            guard judgements.filter(\.keepsInside).map(\.beacon) == [snapshot.beacon].compactMap(\.self) else {
                return "\(judgements) are the beacons of \(snapshot)"
            }
            let isLearned = snapshot.region.exitAfter == nil
            let learned = isLearned ? [snapshot.exitTime] + judgements.map(\.exit.time) : []
            guard learned.allSatisfy(bounds(snapshot.region.sensitivity).contains) else { return "\(learned)" }
            let times = judgements.map(\.exitTimes)
            guard times.allSatisfy({ $0.quick <= $0.balanced && $0.balanced <= $0.patient }) else { return "\(times)" }
        }
        return nil
    }
}
