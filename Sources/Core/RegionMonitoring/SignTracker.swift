import Plumbing

/// The state machine of one sign of a region, without the other signs, the radio and the beacons' table.
struct SignTracker: Sendable {
    enum Phase: Equatable, Sendable {
        /// Nothing is determined. → `inside` by a sighting, → `outside` when the exit time passes without one.
        case unknown
        /// The beacon in the slot `holder` keeps the sign inside. → `outside` by silence or a weak signal,
        /// → `unknown` when the adapter is lost.
        case inside(holder: Int)
        /// → `inside` by a sighting, → `unknown` when the adapter is lost.
        case outside
    }

    enum Outcome: Equatable, Sendable {
        case nothing
        case entered
        /// The beacon that kept the sign inside became weak: the sign is left unless another beacon keeps it inside.
        case holderWeakened
    }

    var sign: RegionSign {
        didSet { (exitAfter, notableSilence) = Self.times(of: sign) }
    }

    /// The position of its region in the monitor.
    var region: Int

    private(set) var phase = Phase.unknown

    /// The last known state, kept over interruptions.
    private(set) var lastKnown = RegionState.unknown

    /// Since when the sign has been silent, or, while it is unknown, listened to; on the listening clock.
    private(set) var silentSince: ListeningClock.Reading

    /// The beacon that kept the sign inside before silence ended it, and the time; `nil` while it is inside or unknown,
    /// and if a weak signal ended it.
    private(set) var departure: (holder: Int, at: Instant)?

    private var exitAfter: Int64?

    /// The silence below which no sensitivity decides an exit, in nanoseconds.
    private var notableSilence: Int64

    /// The learned time for which the beacons that were inside last are waited for when the scan begins anew.
    private(set) var awaiting: Int64?

    init(_ sign: RegionSign, of region: Int, listeningSince: ListeningClock.Reading) {
        (self.sign, self.region) = (sign, region)
        self.silentSince = listeningSince
        (exitAfter, notableSilence) = Self.times(of: sign)
    }

    var state: RegionState {
        switch phase {
        case .unknown: .unknown
        case .inside: .inside
        case .outside: .outside
        }
    }

    private static func times(of sign: RegionSign) -> (exitAfter: Int64?, notableSilence: Int64) {
        let exitAfter = sign.exitAfter?.clampedNanoseconds
        return (
            exitAfter,
            min(
                exitAfter ?? .max,
                (sign.phoneFile == nil ? Sensitivity.quick.shortestExitAfter : sign.shortestExitAfter)
                    .clampedNanoseconds)
        )
    }

    /// Whether it has been silent for so long that some sensitivity may decide an exit.
    @inline(__always)
    func isSilent(at now: ListeningClock.Reading) -> Bool {
        now.silence(since: silentSince, tolerance: 0) > notableSilence
    }

    /// The beacon whose silence is the sign's: it keeps the sign inside, or did so before silence ended it.
    var silentHolder: Int? {
        switch phase {
        case .inside(let holder): holder
        case .outside: departure?.holder
        case .unknown: nil
        }
    }

    /// Whether the exit time is a learned one of its beacons.
    var learns: Bool { exitAfter == nil && state == .inside }

    /// The earliest time listened at which silence may end the sign; `nil` while silence changes nothing.
    var earliestDeadline: Int64? { shortest.map { silentSince.listened.addingClamped($0) } }

    /// The time listened at which silence ends the sign, if the receiver is not deaf from now on; where the time is
    /// learned, the earliest that it may be.
    func deadline(at now: ListeningClock.Reading) -> Int64? {
        shortest.map { now.end(of: $0, since: silentSince, tolerance: learns ? 0 : tolerance(ofExitTime: $0)) }
    }

    /// The exit time, or the shortest where it is learned; `nil` while silence changes nothing.
    private var shortest: Int64? {
        switch phase {
        case .inside: exitAfter ?? sign.shortestExitAfter.clampedNanoseconds
        case .unknown: exitAfter ?? awaited ?? sign.initialExitAfter.clampedNanoseconds
        case .outside: nil
        }
    }

    /// The learned time within which the beacon that was inside last has to be received again.
    var awaited: Int64? { lastKnown == .inside ? awaiting : nil }

    /// Returns the time for which `track`, one of the sign's beacons, keeps it inside after a reception, in nanoseconds.
    func exitTime(of track: BeaconTrack) -> Int64 {
        exitAfter ?? track.silences.timing(sign.sensitivity).time.clampedNanoseconds
    }

    /// The time listened at which the silence of `track` ends its presence, if the receiver is not deaf from now on.
    func deadline(of track: BeaconTrack, at now: ListeningClock.Reading) -> Int64 {
        now.end(of: exitTime(of: track), since: track.lastListened, tolerance: tolerance(of: track))
    }

    /// The longest deaf time that is subtracted from a silence of `track`, in nanoseconds.
    func tolerance(of track: BeaconTrack) -> Int64 {
        exitAfter.map(tolerance(ofExitTime:)) ?? track.tolerance
    }

    /// The same for a configured time, which is kept to within a tenth.
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

    @inline(__always)
    mutating func sighted(slot: Int, signal: @autoclosure () -> Double?, at now: ListeningClock.Reading) -> Outcome {
        switch phase {
        case .inside(let holder):
            guard holds(signal()) else { return slot == holder ? .holderWeakened : .nothing }
            if slot != holder { phase = .inside(holder: slot) }
            silentSince = now.listened > silentSince.listened ? now : silentSince
            return .nothing
        case .unknown, .outside:
            guard admits(signal()) else { return .nothing }
            phase = .inside(holder: slot)
            departure = nil
            silentSince = now.listened > silentSince.listened ? now : silentSince
            return .entered
        }
    }

    /// Another beacon, last heard at `listened`, keeps the sign inside now.
    mutating func holderReplaced(by slot: Int, heardAt listened: ListeningClock.Reading) {
        phase = .inside(holder: slot)
        silentSince = listened
    }

    /// Handles that the sign is inside.
    mutating func becameKnownInside() { lastKnown = .inside }

    /// Handles that the sign is outside.
    ///
    /// - Parameter silence: The time at which silence ended it; `nil` if a weak signal did.
    mutating func left(bySilenceAt silence: Instant?) {
        if case .inside(let holder) = phase { departure = silence.map { (holder, $0) } }
        phase = .outside
        lastKnown = .outside
    }

    /// Handles that the scan does not run any more.
    ///
    /// - Parameter awaiting: The time for which the sign's beacons are waited for afterwards, if it is learned.
    mutating func adapterLost(awaiting: Int64?) {
        self.awaiting = awaiting
        departure = nil
        phase = .unknown
    }

    /// Restores the state that was known before the monitoring began.
    mutating func remembered(_ state: RegionState, awaiting: Duration?) {
        lastKnown = state
        let (shortest, longest) = (sign.shortestExitAfter, sign.longestExitAfter)
        self.awaiting = awaiting.map { min(max($0, shortest), longest).clampedNanoseconds }
    }

    /// Handles that the scan has started again: only silence from here on counts.
    mutating func listeningBegan(at listened: ListeningClock.Reading) {
        silentSince = listened
    }
}
