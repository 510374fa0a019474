import OkaeriPlumbing

/// The radios. One that is away causes neither an exit nor an enter: see ``Radios``.
extension RegionMonitor {
    /// The clock of the own radio.
    var clock: ListeningClock { radios[RadioID.own.position].clock }

    /// The time in which the own radio has listened and was not deaf. Only differences have a meaning.
    package func listened(at now: Instant) -> Duration {
        let reading = clock.reading(at: now)
        return .nanoseconds(reading.listened.subtractingClamped(reading.deaf))
    }

    /// Returns the radio with a name, which is any but the empty one. A new radio is lost until ``adapterRecovered(_:at:)``.
    /// The caller limits the number of names.
    public mutating func radio(named name: String, at now: Instant) -> RadioID {
        RadioID(position: radios.position(of: name, at: now))
    }

    /// Returns the radio with a name; `nil` for an unknown name.
    public func knownRadio(named name: String) -> RadioID? { radios.known(name).map { RadioID(position: $0) } }

    /// The names of the other radios, in order, with those that are waited for.
    package var radioNames: [String] { radios.names }

    /// Handles that a radio scans.
    public mutating func adapterRecovered(_ radio: RadioID = .own, at now: Instant) -> [Action] {
        adapterRecovered(radio, paused: false, at: now)
    }

    private mutating func adapterRecovered(_ radio: RadioID, paused isPaused: Bool, at now: Instant) -> [Action] {
        let position = radio.position
        if !isPaused { radios[position].clock.resume(at: now) }
        if radios[position].isLost {
            radios[position].isLost = false
            let listened = radios.clockReading(of: position, at: now)
            let start = radios.start(at: now)
            for index in signs.indices { signs[index].listeningBegan(position, listened, start) }
            startRangingIfNeeded(at: now)
        }
        scheduleExits(at: now)
        return []
    }

    /// Handles that a radio is gone, off or does not answer. No region is left because of that. A region whose beacons no other radio
    /// receives is unknown.
    public mutating func adapterLost(_ radio: RadioID = .own, at now: Instant) -> [Action] {
        let position = radio.position
        radios[position].clock.pause(at: min(now, radios[position].horizon))
        guard !radios[position].isLost else { return [] }
        let awaited = awaitedTimes(at: now)
        (radios[position].isLost, radios[position].lostSince) = (true, now)
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
        radios[radio.position].clock.pause(at: min(now, radios[radio.position].horizon))
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

    /// Handles that a radio reports a beacon that it receives all the time only once in a while.
    ///
    /// Its silences are learned apart from those of the other radios: see ``Radios``.
    ///
    /// - Parameter interval: The time between two such reports; zero for a radio that reports each reception.
    public mutating func reportsEvery(_ interval: Duration, _ radio: RadioID) {
        let interval = max(0, interval.clampedNanoseconds)
        if radios[radio.position].interval != interval { radios[radio.position].interval = interval }
    }

    /// Handles the begin of a radio's report: what it received until now, and how much it listened.
    ///
    /// The radio's clock stands still behind the last report. Between that and the begin of this one the radio listened to nothing that is
    /// known, so that lost reports lengthen no silence.
    ///
    /// - Parameters:
    ///   - radio: One with a name.
    ///   - start: The begin of the reported time.
    ///   - share: The part of that time in a scan window, from 0 to 1.
    public mutating func reportBegan(_ radio: RadioID, from start: Instant, share: Double) -> [Action] {
        let position = radio.position
        guard position != RadioID.own.position else { return [] }
        let last = radios[position].horizon
        let isFirst = last.nanoseconds == .max
        // What a radio did not receive before this monitor began shortens no silence of the others.
        let start = max(start, isFirst ? startedAt : last)
        if !isFirst, start > last || share <= 0 {
            let wasListening = radios[position].isListening
            radios[position].clock.pause(at: last)
            // The silences end later by the gap. Their earliest end may be early, so it is not determined again for each report.
            if wasListening, share > 0 { radios[position].clock.resume(at: start) }
        }
        radios[position].horizon = start
        guard share > 0 else {
            let wasListening = radios[position].isListening
            radios[position].clock.pause(at: start)
            // The others alone decide from now on, which may be sooner.
            if wasListening { scheduleExits(at: start) }
            return radios[position].isLost ? adapterRecovered(radio, paused: true, at: start) : []
        }
        listeningShareChanged(radio, to: share, at: start)
        if radios[position].isLost || !radios[position].isListening { return adapterRecovered(radio, at: start) }
        return []
    }

    /// Handles that a radio has reported of the time until `end`: before each of its receptions, and at the end of its report.
    public mutating func reported(_ radio: RadioID, until end: Instant) {
        guard radio.position != RadioID.own.position, radios[radio.position].horizon.nanoseconds < .max else { return }
        radios[radio.position].horizon = max(radios[radio.position].horizon, end)
    }

    /// Handles that a radio does not come back. The others decide about the beacons that it received alone. Afterwards the radio is
    /// not to be used: another one may take its place.
    public mutating func radioRemoved(_ radio: RadioID, at now: Instant) -> [Action] {
        let actions = adapterLost(radio, at: now)
        removed(radio, at: now)
        scheduleExits(at: now)
        return actions
    }

    /// Handles that radios are not waited for any longer.
    mutating func waitsEnded(at now: Instant) {
        let awaited = Set(signs.lazy.filter(\.awaitsRadios).flatMap { $0.silentSince.parts.map(\.radio) })
        for radio in awaited.sorted() where radios.isOver(radio, at: now) {
            removed(RadioID(position: radio), at: now)
        }
    }

    private mutating func removed(_ radio: RadioID, at now: Instant) {
        for slot in beacons.tracks.indices { beacons[slot].removed(radio.position, radios, at: now) }
        var shared: (before: SilenceStart, after: SilenceStart)?
        for index in signs.indices { signs[index].removed(radio.position, radios, at: now, &shared) }
        radios.release(radio.position)
    }
}
