import OkaeriPlumbing

/// A silence of the beacon that kept a region inside, which ended before it was an absence: whether it caused an
/// exit, and which sensitivities would have left the region.
public struct EndedSilence: Hashable, Sendable {
    /// The exit times by each sensitivity when the silence began.
    public struct ExitTimes: Hashable, Sendable {
        /// By ``Sensitivity/quick``.
        public var quick: Duration

        /// By ``Sensitivity/balanced``.
        public var balanced: Duration

        /// By ``Sensitivity/patient``.
        public var patient: Duration

        /// The exit times of one moment.
        public init(quick: Duration, balanced: Duration, patient: Duration) {
            (self.quick, self.balanced, self.patient) = (quick, balanced, patient)
        }

        /// The exit time by one sensitivity.
        public subscript(sensitivity: Sensitivity) -> Duration {
            switch sensitivity {
            case .quick: quick
            case .balanced: balanced
            case .patient: patient
            }
        }
    }

    /// The time within which a beacon's return after an exit shows that the exit was false.
    public static let returnLimit = Duration.seconds(300)

    /// The same time for a phone, which is silent for longer.
    private static let returnLimitOfPhone = Duration.seconds(3600)

    /// The largest difference of two signals that count as alike, in dB: less than a departure fades, more than people
    /// in between absorb.
    static let likeness = 10.0

    /// The part of it in which the scan ran.
    public var length: Duration

    /// The exit times that would have ended it.
    public var exitTimes: ExitTimes

    /// The time since the region was left for it; `nil` if it was not left.
    public var leftFor: Duration?

    /// The mean signal of the minute before it, in dBm; `nil` if the controller did not report it.
    public var signalBefore: Double?

    /// The first signal after it, in dBm; `nil` if the controller did not report it, or another beacon was received
    /// first.
    public var signalAfter: Int8?

    /// A silence that has ended; the signals in dBm.
    public init(
        length: Duration, exitTimes: ExitTimes, leftFor: Duration? = nil,
        signalBefore: Double? = nil, signalAfter: Int8? = nil
    ) {
        self.length = length
        self.exitTimes = exitTimes
        self.leftFor = leftFor
        self.signalBefore = signalBefore
        self.signalAfter = signalAfter
    }

    /// Whether the signal after it is like the one before. A person returning from farther away comes back with a
    /// weak signal.
    public var isOfLikeStrength: Bool {
        guard let signalBefore, let signalAfter else { return true }
        return abs(Double(signalAfter) - signalBefore) <= Self.likeness
    }

    /// Whether it caused an exit that was false: the beacon was back within five minutes, or the phone within an hour, at a similar
    /// strength.
    public var wasFalseExit: Bool {
        guard let leftFor else { return false }
        return leftFor <= Self.returnLimit(exitTimes) && isOfLikeStrength
    }

    /// Whether an exit time would have caused a false exit.
    public func isFalseExit(after exitTime: Duration) -> Bool {
        exitTime < length && length - exitTime <= Self.returnLimit(exitTimes) && isOfLikeStrength
    }

    /// The limit of a return. Only the exit times of a phone are longer than the longest of a beacon.
    static func returnLimit(_ times: ExitTimes) -> Duration {
        times.quick > .seconds(SilenceModel.longest) ? returnLimitOfPhone : returnLimit
    }
}

extension RegionMonitor {
    /// Returns the silences of regions that the beacon in `slot` ends, if it is strong enough to keep or to enter
    /// them. Call it before the reception is recorded.
    ///
    /// Mutating, because a monitor that must not change would be copied for the call.
    mutating func silencesEnded(
        slot: Int, by sighting: BeaconSighting, at now: Instant
    ) -> [(index: Int, silence: EndedSilence)]? {
        var ended: [(index: Int, silence: EndedSilence)]?
        for position in beacons[slot].signs.indices {
            let index = beacons[slot].signs[position]
            guard let silence = silenceEnded(of: index, slot: slot, by: sighting, at: now) else { continue }
            ended = (ended ?? []) + [(index, silence)]
        }
        return ended
    }

    private mutating func silenceEnded(
        of index: Int, slot: Int, by sighting: BeaconSighting, at now: Instant
    ) -> EndedSilence? {
        guard signs[index].isSilent(at: now) else { return nil }
        let region = signs[index].region
        // Another sign keeps the region inside: no exit time would have caused an exit.
        for other in regions[region].signs where other != index && signs[other].state == .inside { return nil }
        // Its slot may belong to another beacon now.
        guard let holder = signs[index].silentHolder, beacons[holder].signs.contains(index) else { return nil }
        let leftFor = departure(of: region).map { $0.duration(to: now) }
        // Most silences of slow tags: too short with their deaf time, too.
        if leftFor == nil {
            let longest = radios.silence(since: signs[index].silentSince, at: now, tolerance: 0)
            if beacons[holder].silences.isPresent(after: Double(longest) / 1e9, .quick) { return nil }
        }
        let silent = radios.silence(since: signs[index].silentSince, at: now, tolerance: beacons[holder].tolerance)
        let (times, length) = (beacons[holder].silences.exitTimes, Duration.nanoseconds(silent))
        let limit = EndedSilence.returnLimit(times)
        // A silence longer than the longest exit time and this limit was an absence with every sensitivity.
        let isNotable = length > times.quick && length - times.patient <= limit
        let wasLeft = leftFor.map { $0 <= limit } ?? false
        guard isNotable || wasLeft else { return nil }
        // The signals of two beacons need not be similar.
        let isItself = holder == slot
        return EndedSilence(
            length: length, exitTimes: times, leftFor: leftFor,
            signalBefore: isItself ? beacons[slot].silences.signal : nil,
            signalAfter: isItself ? sighting.rssi : nil)
    }

    /// The time at which silence left a region; `nil` unless it is outside for that reason.
    private mutating func departure(of region: Int) -> Instant? {
        guard regions[region].state == .outside else { return nil }
        return signs[regions[region].signs].compactMap { $0.departure?.at }.max()
    }
}

extension SilenceModel {
    var exitTimes: EndedSilence.ExitTimes {
        EndedSilence.ExitTimes(
            quick: timing(.quick).time, balanced: timing(.balanced).time, patient: timing(.patient).time)
    }
}
