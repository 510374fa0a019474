import IBeacon
import Plumbing

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

    var measuredPower: Int8
    var signal = SignalFilter()
    var lastRSSI: Int8?

    /// The last reception, on the monitor's clock and on the one that measures silences.
    var lastHeard: Instant
    var lastListened: ListeningClock.Reading

    /// The number of received advertisements.
    var count: UInt64 = 0

    /// The sum and number of RSSIs since the ranging callback that bears the number `round`.
    private var sum = 0
    private var samples = 0
    private var round: UInt64 = 0

    /// Last, because it is large: it is never accessed for a beacon without a region.
    var silences = SilenceModel()

    init(_ sighting: BeaconSighting, signs: [Int], at now: Instant, listened: ListeningClock.Reading) {
        identity = sighting.identity
        measuredPower = sighting.measuredPower
        lastHeard = now
        lastListened = listened
        self.signs = signs
    }

    @inline(__always)
    mutating func heard(
        _ sighting: BeaconSighting, at now: Instant, listened: ListeningClock.Reading, round: UInt64
    ) {
        // The silences of beacons without a region are not needed.
        if !regions.isEmpty {
            let gap = listened.silence(since: lastListened, tolerance: tolerance)
            silences.heard(
                after: Float(max(0, gap)) / 1e9, elapsed: lastHeard.seconds(to: now), rssi: sighting.rssi,
                wasDeafOfLate: listened.wasDeafOfLate)
        }
        measuredPower = sighting.measuredPower
        lastHeard = now
        lastListened = listened
        count &+= 1
        lastRSSI = sighting.rssi
        guard let rssi = sighting.rssi else { return }
        signal.update(rssi, at: now.nanoseconds)
        sample(rssi, round: round)
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

    /// The longest deaf time that is subtracted from the silence since the last reception, in nanoseconds. It is
    /// fixed when the silence begins, so that no deadline moves to an earlier time.
    var tolerance: Int64 { silences.tolerance(lastListened.wasDeafOfLate) }

    /// The distance in metres by the filtered signal and `sign`'s calibration; -1 without signal or measured power.
    func accuracy(by sign: RegionSign?) -> Double {
        PathLoss.accuracy(
            signal: signal.value,
            measuredPower: PathLoss.measuredPower(claimed: measuredPower, calibrated: sign?.measuredPower),
            exponent: sign?.pathLossExponent ?? PathLoss.defaultExponent)
    }

    /// Returns the beacon that entered a region by this sign.
    func entered(_ sign: RegionSign) -> RangedBeacon {
        RangedBeacon(identity: identity, rssi: Int(lastRSSI ?? 0), accuracy: accuracy(by: sign))
    }

    /// Returns the ranging result by `sign` at the end of `round`; without a new sample the distance is not known.
    func ranged(by sign: RegionSign, round: UInt64) -> RangedBeacon {
        guard self.round == round, samples > 0 else {
            return RangedBeacon(identity: identity, rssi: 0, accuracy: PathLoss.unknownAccuracy)
        }
        let mean = (Double(sum) / Double(samples)).rounded()
        return RangedBeacon(identity: identity, rssi: Int(mean), accuracy: accuracy(by: sign))
    }
}
