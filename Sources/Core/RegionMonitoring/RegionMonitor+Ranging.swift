// Ranging: one callback a region a second, for all regions at the same time, so that one timer serves them.
extension RegionMonitor {
    mutating func startRangingIfNeeded(at now: Instant, heardFrom slot: Int? = nil) {
        // Also in a pause, because ranging continues in one.
        guard nextRanging == nil, radios.isAnyPresent, regions.contains(where: \.isRanging) else { return }
        nextRanging = now.advanced(by: Self.rangingInterval)
        round += 1
        // The sighting that caused this call came before the round began, and belongs to it.
        if let slot, let rssi = beacons[slot].lastRSSI { beacons[slot].sample(rssi, round: round) }
    }

    mutating func ranged(at now: Instant) -> [Action] {
        let ranging = regions.indices.filter { regions[$0].isRanging }
        defer { round += 1 }
        guard let due = nextRanging, !ranging.isEmpty else {
            nextRanging = nil
            return []
        }
        // After a stall, missed callbacks are not repeated.
        let next = due.advanced(by: Self.rangingInterval)
        nextRanging = next > now ? next : now.advanced(by: Self.rangingInterval)

        var heard: [Int: [RangedBeacon]] = [:]
        for track in beacons.tracks
        where !track.regions.isEmpty && track.lastHeard.duration(to: now) <= Self.rangingMemory {
            for index in track.regions {
                guard let sign = track.signs.first(where: { signs[$0].region == index }) else { continue }
                heard[index, default: []].append(track.ranged(by: signs[sign].sign, round: round))
            }
        }
        return ranging.map { index in
            let beacons = (heard[index] ?? []).sorted(by: RangedBeacon.nearestFirst)
            return .didRangeBeacons(region: regions[index].identifier, beacons)
        }
    }
}
