/// The radios. One that is away causes neither an exit nor an enter: see ``Radios``.
extension RegionMonitor {
    /// The clock of the own radio.
    var clock: ListeningClock { radios[RadioID.own.position].clock }

    /// Returns the radio with a name, which is any but the empty one. A new radio is lost until ``adapterRecovered(_:at:)``.
    /// The caller limits the number of names.
    public mutating func radio(named name: String, at now: Instant) -> RadioID {
        RadioID(position: radios.position(of: name, at: now))
    }

    /// Handles that a radio scans.
    public mutating func adapterRecovered(_ radio: RadioID = .own, at now: Instant) -> [Action] {
        let position = radio.position
        radios[position].clock.resume(at: now)
        if radios[position].isLost {
            radios[position].isLost = false
            let listened = radios[position].clock.reading(at: now)
            for index in signs.indices { signs[index].listeningBegan(position, listened, radios, at: now) }
            startRangingIfNeeded(at: now)
        }
        scheduleExits(at: now)
        return []
    }

    /// Handles that a radio is gone, off or does not answer. No region is left because of that. A region whose beacons no other radio
    /// receives is unknown.
    public mutating func adapterLost(_ radio: RadioID = .own, at now: Instant) -> [Action] {
        let position = radio.position
        radios[position].clock.pause(at: now)
        guard !radios[position].isLost else { return [] }
        let awaited = awaitedTimes(at: now)
        radios[position].isLost = true
        let isAnyPresent = radios.isAnyPresent
        for index in signs.indices where !isAnyPresent || isHeldByLostRadios(index) {
            signs[index].radiosLost(awaiting: awaited[index])
        }
        lateSigns = []
        scheduleExits(at: now)
        if !isAnyPresent { nextRanging = nil }
        var actions: [Action] = []
        for index in regions.indices {
            if !isAnyPresent, regions[index].isRanging {
                actions.append(.rangingBeaconsDidFail(region: regions[index].identifier))
            }
            actions += stateDetermined(of: index)
        }
        return actions
    }

    private func isHeldByLostRadios(_ index: Int) -> Bool {
        guard case .inside = signs[index].phase else { return false }
        return radios.areLost(of: signs[index].silentSince)
    }

    /// Handles that a radio works but does not scan: another program stopped it, or a join has the antenna.
    public mutating func listeningPaused(_ radio: RadioID = .own, at now: Instant) {
        radios[radio.position].clock.pause(at: now)
        scheduleExits(at: now)
    }

    /// Handles that the scan continues after ``listeningPaused(_:at:)``.
    public mutating func listeningResumed(_ radio: RadioID = .own, at now: Instant) {
        guard !radios[radio.position].isLost else { return }
        radios[radio.position].clock.resume(at: now)
        scheduleExits(at: now)
    }

    /// Handles that a radio is in a scan window for another part of the time from now on.
    ///
    /// - Parameter share: The scan window divided by the scan interval, more than 0 and at most 1.
    public mutating func listeningShareChanged(_ radio: RadioID = .own, to share: Double, at now: Instant) {
        guard share != radios[radio.position].clock.share else { return }
        radios[radio.position].clock.shareChanged(to: share, at: now)
        if radios.isAnyPresent { scheduleExits(at: now) }
    }

    /// Handles that a radio does not come back. The others decide about the beacons that it received alone.
    public mutating func radioRemoved(_ radio: RadioID, at now: Instant) -> [Action] {
        let actions = adapterLost(radio, at: now)
        for slot in beacons.tracks.indices { beacons[slot].removed(radio.position, radios, at: now) }
        for index in signs.indices { signs[index].removed(radio.position, radios, at: now) }
        scheduleExits(at: now)
        return actions
    }
}
