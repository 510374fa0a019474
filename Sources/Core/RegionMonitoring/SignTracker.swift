import OkaeriPlumbing

/// The state machine of one sign of a region, without the other signs, the radio and the beacons' table.
struct SignTracker: Sendable {
    enum Phase: Equatable, Sendable {
        /// Nothing is determined. → `inside` by a sighting, → `outside` when the exit time passes without one.
        case unknown
        /// The beacon in the slot `holder` keeps the sign inside. → `outside` by silence or a weak signal,
        /// → `unknown` when the adapter is lost.
        case inside(holder: Int)
        /// → `inside` by a sighting that is strong, or confirmed by another one; → `unknown` when the adapter is lost.
        case outside
    }

    enum Outcome: Equatable, Sendable {
        case nothing
        case entered
        /// The beacon that kept the sign inside became weak: the sign is left unless another beacon keeps it inside.
        case holderWeakened
    }

    var sign: RegionSign {
        didSet { (exitAfter, shortestExitAfter, notableSilence) = Self.times(of: sign) }
    }

    /// The position of its region in the monitor.
    var region: Int

    private(set) var phase = Phase.unknown

    /// The last known state, kept over interruptions.
    private(set) var lastKnown = RegionState.unknown

    /// Since when the sign has been silent, or, while it is unknown, listened to.
    private(set) var silentSince: SilenceStart

    /// Whether the sign is unknown until one of the radios in ``silentSince`` listens again: they received its beacon last.
    private(set) var awaitsRadios = false

    /// The beacon that kept the sign inside before silence ended it, and the time; `nil` while it is inside or unknown,
    /// and if a weak signal ended it.
    private(set) var departure: (holder: Int, at: Instant)?

    /// The configured exit time in nanoseconds; `nil`: a learned one.
    private(set) var exitAfter: Int64?

    /// The shortest exit time that can be learned, in nanoseconds.
    private var shortestExitAfter: Int64

    /// The silence below which no sensitivity decides an exit, in nanoseconds.
    private var notableSilence: Int64

    /// The learned time for which the beacons that were inside last are waited for when the scan begins anew.
    private(set) var awaiting: Int64?

    /// The weak sightings since silence ended the sign.
    private var weak = WeakSightings()

    /// The slots of its beacons in the table, in order.
    private(set) var slots: [Int] = []

    /// Whether it is judged next at the learned end of its silence, which the next reception of one of its beacons may change.
    var isJudgedByLearnedEnd = false

    init(_ sign: RegionSign, of region: Int, listeningSince: SilenceStart) {
        (self.sign, self.region) = (sign, region)
        self.silentSince = listeningSince
        (exitAfter, shortestExitAfter, notableSilence) = Self.times(of: sign)
    }

    /// Adds the slot of a beacon.
    mutating func add(_ slot: Int) {
        // Most are new places at the end of the table.
        let place = slots.last.map { $0 < slot } ?? true ? slots.endIndex : slots.firstIndex { $0 >= slot }
        guard let place, place == slots.endIndex || slots[place] != slot else { return }
        slots.insert(slot, at: place)
    }

    /// Removes the slot of a beacon.
    mutating func remove(_ slot: Int) { slots.removeAll { $0 == slot } }

    /// Removes the slots of all beacons.
    mutating func removeSlots() { slots = [] }

    @inline(__always)
    var state: RegionState {
        switch phase {
        case .unknown: .unknown
        case .inside: .inside
        case .outside: .outside
        }
    }

    private static func times(
        of sign: RegionSign
    ) -> (exitAfter: Int64?, shortestExitAfter: Int64, notableSilence: Int64) {
        let exitAfter = sign.exitAfter?.clampedNanoseconds
        return (
            exitAfter, sign.shortestExitAfter.clampedNanoseconds,
            min(
                exitAfter ?? .max,
                (sign.phoneFile == nil ? Sensitivity.quick.shortestExitAfter : sign.shortestExitAfter)
                    .clampedNanoseconds)
        )
    }

    /// Whether it has been silent for so long that some sensitivity may decide an exit.
    @inline(__always)
    func isSilent(at now: Instant) -> Bool {
        now.nanoseconds.subtractingClamped(silentSince.at.nanoseconds) > notableSilence
    }

    /// The beacon whose silence is the sign's: it keeps the sign inside, or did so before silence ended it.
    @inline(__always)
    var silentHolder: Int? {
        switch phase {
        case .inside(let holder): holder
        case .outside: departure?.holder
        case .unknown: nil
        }
    }

    /// Whether the exit time is a learned one of its beacons.
    @inline(__always)
    var learns: Bool { exitAfter == nil && state == .inside }

    /// The silence that ends the sign, or the shortest that may where the time is learned; `nil` while silence changes nothing.
    ///
    /// Mutating, because a sign that must not change would be copied for the call.
    var earliestEnd: SilenceLimit? {
        @inline(__always) mutating get {
            if let exitAfter { return state == .outside ? nil : configured(exitAfter) }
            switch phase {
            case .inside:
                return SilenceLimit(length: shortestExitAfter, clock: .listening, tolerance: 0)
            case .unknown:
                // The sensitivity may have changed since then.
                let initial = awaited.map { max($0, shortestExitAfter) } ?? sign.initialExitAfter.clampedNanoseconds
                return SilenceLimit(length: initial, clock: .listening, tolerance: tolerance(ofExitTime: initial))
            case .outside: return nil
            }
        }
    }

    /// The learned time within which the beacon that was inside last has to be received again.
    @inline(__always)
    var awaited: Int64? { lastKnown == .inside ? awaiting : nil }

    /// Returns the time for which `track`, one of the sign's beacons, keeps it inside after a reception, in nanoseconds.
    func exitTime(of track: BeaconTrack) -> Int64 {
        exitAfter ?? track.silences.exitNanoseconds(sign.sensitivity)
    }

    /// Returns the silence of `track` that ends its presence.
    ///
    /// - Parameter radio: The radio by whose silences it is decided; `nil`: by those of all of its radios together.
    func end(of track: BeaconTrack, at radio: Int? = nil) -> SilenceLimit {
        if let exitAfter { return configured(exitAfter) }
        guard let radio, let place = track.receptions.firstIndex(where: { $0.radio == radio }) else {
            return track.silences.limit(sign.sensitivity, track.silence.reading.wasDeafOfLate)
        }
        let length = track.receptions[place].silences.exitNanoseconds(sign.sensitivity)
        return SilenceLimit(length: length, clock: .listening, tolerance: track.tolerance)
    }

    @inline(__always)
    private func configured(_ exitAfter: Int64) -> SilenceLimit {
        SilenceLimit(length: exitAfter, clock: .scanning, tolerance: tolerance(ofExitTime: exitAfter))
    }

    /// The same for a configured time, which is kept to within a tenth.
    @inline(__always)
    private func tolerance(ofExitTime time: Int64) -> Int64 { time / 10 }

    @inline(__always)
    func holds(_ signal: @autoclosure () -> Double?) -> Bool {
        guard let exitRSSI = sign.exitRSSI else { return true }
        return signal().map { $0 >= Double(exitRSSI) } ?? false
    }

    /// Whether a signal is enough to enter. Never less than to stay, or the next sighting would end it.
    private func admits(_ signal: @autoclosure () -> Double?) -> Bool {
        guard let enterRSSI = sign.enterRSSI else { return holds(signal()) }
        return holds(signal()) && (signal().map { $0 >= Double(enterRSSI) } ?? false)
    }

    /// Whether one weak sighting is not enough to enter: the sign was left, and no configured signal decides.
    private var needsConfirmation: Bool { lastKnown == .outside && sign.enterRSSI == nil }

    @inline(__always)
    mutating func sighted(
        slot: Int, rssi: Int8?, signal: @autoclosure () -> Double?, at now: SilenceStart
    ) -> Outcome {
        switch phase {
        case .inside(let holder):
            guard holds(signal()) else { return slot == holder ? .holderWeakened : .nothing }
            if weak.entries > 0 { weak.sighted(rssi) }
            if slot != holder { phase = .inside(holder: slot) }
            if now.at >= silentSince.at { silentSince = now }
            return .nothing
        case .unknown, .outside:
            // Another radio reports it late.
            if let departure, now.at < departure.at { return .nothing }
            guard admits(signal()), !needsConfirmation || weak.isConfirmed(by: rssi, at: now.reading.scanned) else {
                return .nothing
            }
            phase = .inside(holder: slot)
            departure = nil
            if now.at >= silentSince.at { silentSince = now }
            awaitsRadios = false
            return .entered
        }
    }

    /// Another beacon, which has been silent since `silence`, keeps the sign inside now.
    mutating func holderReplaced(by slot: Int, silentSince silence: SilenceStart) {
        phase = .inside(holder: slot)
        silentSince = silence
    }

    /// Handles that the sign is inside.
    mutating func becameKnownInside() { lastKnown = .inside }

    /// Handles that the sign is outside.
    ///
    /// - Parameter silence: The time at which silence ended it; `nil` if a weak signal did.
    mutating func left(bySilenceAt silence: Instant?) {
        if case .inside(let holder) = phase { departure = silence.map { (holder, $0) } }
        weak.left()
        phase = .outside
        lastKnown = .outside
    }

    /// Handles that no radio of the sign is left.
    ///
    /// - Parameter awaiting: The time for which the sign's beacons are waited for afterwards, if it is learned.
    mutating func radiosLost(awaiting: Int64?) {
        self.awaiting = awaiting
        departure = nil
        if case .inside = phase { awaitsRadios = true }
        phase = .unknown
    }

    /// Restores the state that was known before the monitoring began.
    mutating func remembered(_ state: RegionState, awaiting: Duration?) {
        lastKnown = state
        let (shortest, longest) = (sign.shortestExitAfter, sign.longestExitAfter)
        self.awaiting = awaiting.map { min(max($0, shortest), longest).clampedNanoseconds }
    }

    /// Waits for the radios of a silence, which received the sign's beacons before the monitoring began.
    mutating func await(_ start: SilenceStart) { (silentSince, awaitsRadios) = (start, true) }

    /// Handles that a radio listens after it was lost: while the sign is unknown, only the silence from here on counts.
    ///
    /// - Parameter start: The begin of the listening of all radios, which all signs share: at a large site it is a long list.
    mutating func listeningBegan(_ radio: Int, _ listened: ListeningClock.Reading, _ start: SilenceStart) {
        guard phase == .unknown else { return }
        guard awaitsRadios else {
            silentSince = start
            return
        }
        silentSince.restart(radio, at: listened)
        silentSince.at = max(silentSince.at, start.at)
    }

    /// Handles that a radio does not come back.
    ///
    /// - Parameter shared: The last silence without that radio, of a list that signs share.
    mutating func removed(
        _ radio: Int, _ radios: Radios, at now: Instant, _ shared: inout (before: SilenceStart, after: SilenceStart)?
    ) {
        if let shared, silentSince.isShared(with: shared.before) {
            silentSince = shared.after
            return
        }
        let before = silentSince
        guard !silentSince.remove(radio) else {
            shared = (before, silentSince)
            return
        }
        silentSince = radios.start(at: now)
        awaitsRadios = false
    }
}

/// The sightings at the edge of reception, of a sign that silence ended.
///
/// A beacon that lies there is received now and then, and each reception would enter the region until the next silence leaves it. A
/// strong sighting enters at once. Weak ones enter when a second follows within half a minute; after each exit that followed such
/// an entry one more is needed, until a strong sighting.
struct WeakSightings: Sendable {
    /// The weakest strong sighting, in dBm: about ten decibels above the weakest that receivers receive.
    private static let strong: Int8 = -85

    /// The longest time between two sightings that confirm each other, in nanoseconds.
    private static let window: Int64 = 30_000_000_000

    /// The number of sightings that enter at first, and the most that are ever needed.
    private static let fewest = 2
    private static let most = 6

    /// The number of entries by weak sightings alone, each followed by an exit, since the last strong sighting.
    private(set) var entries = 0

    private var count = 0
    private var last = Int64.min

    /// Handles a sighting outside. Returns whether it enters.
    ///
    /// - Parameters:
    ///   - rssi: In dBm; `nil` counts as strong, because the controller does not measure.
    ///   - time: The scan time, in nanoseconds.
    mutating func isConfirmed(by rssi: Int8?, at time: Int64) -> Bool {
        if Self.isStrong(rssi) {
            self = WeakSightings()
            return true
        }
        count = time.subtractingClamped(last) <= Self.window ? count + 1 : 1
        last = time
        guard count >= min(Self.fewest + entries, Self.most) else { return false }
        entries += 1
        return true
    }

    /// Handles a sighting inside.
    mutating func sighted(_ rssi: Int8?) {
        if Self.isStrong(rssi) { entries = 0 }
    }

    /// Handles an exit.
    mutating func left() { (count, last) = (0, .min) }

    private static func isStrong(_ rssi: Int8?) -> Bool { rssi.map { $0 >= strong } ?? true }
}
