import IBeacon
import OkaeriPlumbing

struct BeaconTrack: Sendable {
    var identity: BeaconIdentity

    /// The positions of the signs it belongs to, and of their regions: looked up once, when it is first heard. The same array
    /// while every region has one sign.
    var signs: [Int]
    var regions: [Int] = []

    /// Whether it is a phone: then it is not in the index of beacons, and its silences are longer.
    var isPhone: Bool {
        get { silences.isPhone }
        set { silences.isPhone = newValue }
    }

    /// The value of the last frame that has one; frames without it may come in between.
    var measuredPower: Int8?
    var signal = SignalFilter()
    var lastRSSI: Int8?

    /// The last reception by any radio, which began the present silence.
    private(set) var silence: SilenceStart
    var lastHeard: Instant { silence.at }

    /// The number of received advertisements.
    var count: UInt64 = 0

    /// The addresses that send it, and the beginning of the present series of receptions.
    private(set) var senders: SenderAddresses

    /// The sum and number of RSSIs since the ranging callback that bears the number `round`.
    private var sum = 0
    private var samples = 0
    private var round: UInt64 = 0

    /// The receptions by each radio; none while one radio alone has received it, whose values are those of the beacon.
    private(set) var receptions: [RadioReception] = []

    /// The silences that radios learned before the start, by name, until each of them receives the beacon again.
    var earlier: [String: SilenceModel] = [:]

    /// Last, because it is large: it is never accessed for a beacon without a region.
    var silences = SilenceModel()

    init(_ sighting: BeaconSighting, signs: [Int], silence: SilenceStart) {
        identity = sighting.identity
        measuredPower = sighting.measuredPower
        self.silence = silence
        self.signs = signs
        senders = SenderAddresses(at: silence.at)
    }

    /// Whether a radio is the only one that has received the beacon, or the beacon has no region: then its silences are not needed.
    @inline(__always)
    func isHeardOnly(by radio: Int) -> Bool { regions.isEmpty || radio == silence.radio && receptions.isEmpty }

    /// Handles a reception by a radio that ``isHeardOnly(by:)``.
    ///
    /// - Parameter listened: The clock of that radio.
    @inline(__always)
    mutating func heard(_ sighting: BeaconSighting, at now: Instant, listened: ListeningClock.Reading, round: UInt64) {
        measuredPower = sighting.measuredPower ?? measuredPower
        senders.heard(sighting.address, rssi: sighting.rssi, at: now, after: lastHeard)
        count &+= 1
        lastRSSI = sighting.rssi
        // The silences of beacons without a region are not needed.
        if !regions.isEmpty {
            let gap = listened.silence(since: silence.reading, tolerance: tolerance)
            silences.heard(
                after: Float(max(0, gap)) / 1e9, elapsed: lastHeard.seconds(to: now), rssi: sighting.rssi,
                wasDeafOfLate: listened.wasDeafOfLate)
        }
        silence.begin(at: now, radio: sighting.radio.position, reading: listened)
        guard let rssi = sighting.rssi else { return }
        signal.update(rssi, at: now.nanoseconds)
        sample(rssi, round: round)
    }

    /// Handles a reception by one of several radios.
    ///
    /// - Parameter exitAfter: The longest configured exit time of its signs, in nanoseconds; `nil` if one of them is learned.
    mutating func heard(
        _ sighting: BeaconSighting, at now: Instant, listened: ListeningClock.Reading, among radios: Radios,
        exitAfter: Int64?, round: UInt64
    ) {
        let radio = sighting.radio.position
        measuredPower = sighting.measuredPower ?? measuredPower
        senders.heard(sighting.address, rssi: sighting.rssi, at: now, after: lastHeard)
        count &+= 1
        lastRSSI = sighting.rssi
        if receptions.isEmpty {
            let own = earlier.isEmpty ? nil : earlier.removeValue(forKey: radios[silence.radio].name)
            receptions = [RadioReception(silence.first, at: lastHeard, silences: own ?? silences, signal: signal)]
            if radios.isSparse(silence.radio), !radios.isSparse(radio) { forgetUnion() }
        }
        var gap: Int64? = radios.silence(since: silence, at: now, tolerance: tolerance)
        let isSparse = radios.isSparse(radio) || radios.isAnySparse(of: silence)
        let prompt = isSparse ? radios.promptSilence(since: silence, at: now, tolerance: tolerance) : nil
        let elapsed = lastHeard.seconds(to: now)
        let place = place(of: radio, listened, at: now, radios)
        receptions[place].heard(sighting.rssi, at: now, listened: listened)
        // The trend of the signal is that of one radio.
        let isStrongest = strongest(at: now) == place
        // The pause between two reports of a sparse radio is not a silence of the union, of which another radio receives each reception. A
        // sparse radio may have received the beacon at any time since its last report.
        if isSparse, receptions.contains(where: { !radios.isSparse($0.radio) }) {
            gap = prompt?.subtractingClamped(radios.interval(of: radio))
        }
        if let gap {
            silences.heard(
                after: Float(max(0, gap)) / 1e9, elapsed: elapsed, rssi: isStrongest ? sighting.rssi : nil,
                wasDeafOfLate: listened.wasDeafOfLate)
        }
        if now >= lastHeard {
            silence = SilenceStart(
                at: now, radio: radio, reading: listened,
                others: receptions.filter { $0.radio != radio && $0.isOfLate(at: now, radios, exitAfter: exitAfter) }
                    .map { .init(radio: $0.radio, reading: radios.reading(of: $0.radio, at: now)) })
        } else {
            // Reported late: another radio has received it since then.
            silence.include(.init(radio: radio, reading: listened))
        }
        guard isStrongest, let rssi = sighting.rssi else { return }
        signal = receptions[place].signal
        sample(rssi, round: round)
    }

    /// Begins to learn the silences of the union anew.
    private mutating func forgetUnion() {
        var anew = SilenceModel()
        anew.isPhone = silences.isPhone
        silences = anew
    }

    /// The place of a radio in ``receptions``, which has the radios that received the beacon last.
    private mutating func place(
        of radio: Int, _ listened: ListeningClock.Reading, at now: Instant, _ radios: Radios
    ) -> Int {
        if let known = receptions.firstIndex(where: { $0.radio == radio }) { return known }
        let silences = earlier.isEmpty ? nil : earlier.removeValue(forKey: radios[radio].name)
        let reception = RadioReception(
            .init(radio: radio, reading: listened), at: now, silences: silences ?? SilenceModel())
        guard receptions.count >= RadioReception.most,
            let oldest = receptions.indices.min(by: { receptions[$0].lastHeard < receptions[$1].lastHeard })
        else {
            receptions.append(reception)
            return receptions.count - 1
        }
        receptions[oldest] = reception
        return oldest
    }

    /// The radio with the strongest signal of late.
    private func strongest(at now: Instant) -> Int? {
        receptions.indices.filter { receptions[$0].lastHeard.duration(to: now) <= RadioReception.fresh }
            .max { receptions[$0].signal.value ?? -.infinity < receptions[$1].signal.value ?? -.infinity }
    }

    /// Removes a radio that does not come back. Without another one the silence begins anew, at the radios that are present.
    mutating func removed(_ radio: Int, _ radios: Radios, at now: Instant) {
        receptions.removeAll { $0.radio == radio }
        earlier[radios[radio].name] = nil
        if !silence.remove(radio) { (silence, lastRSSI) = (radios.start(at: now), nil) }
    }

    /// Returns what was learned of the beacon, by the radios that received it last and by earlier ones.
    func memory(_ radios: Radios) -> BeaconMemory {
        let present = receptions.filter(\.silences.isTaught).map { (radios[$0.radio].name, $0.silences) }
        let away = earlier.sorted { $0.key < $1.key }.prefix(RadioReception.most - present.count)
        return BeaconMemory(
            silences: silences, radios: Dictionary(present + away.map { ($0.key, $0.value) }) { first, _ in first })
    }

    /// Counts `rssi` towards the ranging callback that is next.
    mutating func sample(_ rssi: Int8, round: UInt64) {
        if self.round != round {
            self.round = round
            (sum, samples) = (0, 0)
        }
        sum += Int(rssi)
        samples += 1
    }

    /// Whether an RSSI counts towards the ranging callback that is next.
    func isSampled(round: UInt64) -> Bool { self.round == round && samples > 0 }

    /// The longest deaf time that is subtracted from the silence since the last reception, in nanoseconds. It is
    /// fixed when the silence begins, so that no deadline moves to an earlier time.
    var tolerance: Int64 { silences.tolerance(silence.reading.wasDeafOfLate) }

    /// The distance in metres by the filtered signal and `sign`'s calibration; -1 without signal or measured power.
    func accuracy(by sign: RegionSign?) -> Double { accuracy(of: signal, by: sign) }

    /// The same by the signal at one of its radios.
    func accuracy(of signal: SignalFilter, by sign: RegionSign?) -> Double {
        PathLoss.accuracy(
            signal: signal.value,
            measuredPower: PathLoss.measuredPower(claimed: measuredPower, calibrated: sign?.measuredPower),
            exponent: sign?.pathLossExponent ?? PathLoss.defaultExponent)
    }

    /// Returns the beacon that entered a region by this sign.
    func entered(_ sign: RegionSign) -> RangedBeacon {
        RangedBeacon(
            identity: identity, rssi: Int(lastRSSI ?? 0), accuracy: accuracy(by: sign), timestamp: lastHeard)
    }

    /// Returns the ranging result by `sign` at the end of `round`; without a new sample the distance is not known.
    func ranged(by sign: RegionSign, round: UInt64) -> RangedBeacon {
        guard self.round == round, samples > 0 else {
            return RangedBeacon(
                identity: identity, rssi: 0, accuracy: PathLoss.unknownAccuracy, timestamp: lastHeard)
        }
        let mean = (Double(sum) / Double(samples)).rounded()
        return RangedBeacon(
            identity: identity, rssi: Int(mean), accuracy: accuracy(by: sign), timestamp: lastHeard)
    }
}

/// The receptions of a beacon by one of several radios.
struct RadioReception: Sendable {
    /// The number of radios whose receptions of one beacon are stored.
    static let most = 8

    /// The age of a reception whose signal still counts.
    static let fresh = Duration.seconds(8)

    let radio: Int
    private(set) var lastHeard: Instant
    private var reading: ListeningClock.Reading
    private(set) var silences = SilenceModel()
    private(set) var signal = SignalFilter()

    init(
        _ part: SilenceStart.Part, at now: Instant, silences: SilenceModel = SilenceModel(),
        signal: SignalFilter = SignalFilter()
    ) {
        (radio, reading, lastHeard) = (part.radio, part.reading, now)
        (self.silences, self.signal) = (silences, signal)
    }

    mutating func heard(_ rssi: Int8?, at now: Instant, listened: ListeningClock.Reading) {
        let gap = listened.silence(since: reading, tolerance: silences.tolerance(reading.wasDeafOfLate))
        silences.heard(
            after: Float(max(0, gap)) / 1e9, elapsed: lastHeard.seconds(to: now), rssi: rssi,
            wasDeafOfLate: listened.wasDeafOfLate)
        (lastHeard, reading) = (max(now, lastHeard), listened)
        if let rssi { signal.update(rssi, at: now.nanoseconds) }
    }

    /// Whether the radio received the beacon within the exit time: it is one of the beacon's radios.
    ///
    /// - Parameter exitAfter: A configured one, in nanoseconds; `nil`: the radio's own.
    func isOfLate(at now: Instant, _ radios: Radios, exitAfter: Int64?) -> Bool {
        let silence = radios.reading(of: radio, at: now)
            .silence(since: reading, tolerance: silences.tolerance(reading.wasDeafOfLate))
        if let exitAfter { return silence <= exitAfter }
        return silence <= Int64(Sensitivity.balanced.shortest * 1e9)
            || silence <= silences.exitNanoseconds(.balanced)
    }
}
