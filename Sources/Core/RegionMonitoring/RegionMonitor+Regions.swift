public import IBeacon

extension RegionMonitor {
    /// Replaces the regions. One with the same name and a common sign keeps its state; another one starts anew.
    ///
    /// - Parameters:
    ///   - memory: The memory of the regions that are new here, as in ``restored(_:)``.
    ///   - formerNames: The former identifiers of regions that have another one now, by the new one. With a common sign, such a
    ///     region keeps its state too.
    public mutating func regionsReplaced(
        with new: [MonitoredRegion], knowing memory: Memory = Memory(), formerNames: [String: String] = [:],
        at now: Instant
    ) -> [Action] {
        let earlier = Dictionary(
            regions.map { ($0.identifier, (region: $0, signs: signs[$0.signs])) },
            uniquingKeysWith: { first, _ in first })
        let start = radios.start(at: now)
        var actions: [Action] = []
        (regions, signs, lateSigns) = ([], [], [])
        for region in new {
            let former = earlier[formerNames[region.identifier] ?? region.identifier]
                .flatMap { $0.region.region.hasCommonSign(with: region) ? $0 : nil }
            add(region, continuing: former, listeningSince: start)
            let index = regions.count - 1
            if let former, former.region.identifier == region.identifier {
                actions += stateDetermined(of: index)
            } else {
                if former == nil { remember(memory, of: index) }
                actions += Self.started(regions[index])
            }
        }
        matcher = RegionMatcher(signs.map(\.sign.constraint))
        for slot in beacons.tracks.indices {
            let identity = beacons[slot].identity
            beacons[slot].signs = beacons[slot].isPhone ? signs(ofPhone: identity) : matcher.matches(identity)
            beacons[slot].regions = regions(of: beacons[slot].signs)
        }
        collectPhones()
        if radios.isAnyPresent { scheduleExits(at: now) }
        startRangingIfNeeded(at: now)
        return actions
    }

    /// Adds a region with its signs, which continue the states of the same signs of an earlier region.
    mutating func add(
        _ region: MonitoredRegion, continuing former: (region: RegionTracker, signs: ArraySlice<SignTracker>)? = nil,
        listeningSince start: SilenceStart
    ) {
        let first = signs.count
        for sign in region.signs {
            var tracker =
                former?.signs.first { $0.sign.identity == sign.identity }
                ?? SignTracker(sign, of: regions.count, listeningSince: start)
            (tracker.sign, tracker.region) = (sign, regions.count)
            signs.append(tracker)
        }
        var tracker = RegionTracker(region: region, signs: first..<signs.count)
        if let former { tracker.continued(from: former.region) }
        regions.append(tracker)
    }

    /// The positions of the regions that a beacon belongs to, the narrowest first, as determined at its first
    /// reception; none for a beacon that is not stored.
    ///
    /// Not mutating: a monitor that must not change would be copied for the call.
    @usableFromInline package mutating func regions(of identity: BeaconIdentity) -> [Int] {
        guard let slot = beacons.slot(of: identity) else { return [] }
        return beacons[slot].regions
    }

    /// Returns the positions of the regions that use a beacon's battery level, each once. The beacon need not be stored.
    package func regionsWithBattery(of identity: BeaconIdentity) -> [Int] {
        regions(of: matcher.matches(identity)).filter { regions[$0].region.battery != .off }
    }

    /// Returns the positions of the regions of these signs, each once, in the same order.
    func regions(of signs: [Int]) -> [Int] {
        guard self.signs.count > regions.count else { return signs }
        return signs.reduce(into: []) { regions, sign in
            let region = self.signs[sign].region
            if !regions.contains(region) { regions.append(region) }
        }
    }
}
