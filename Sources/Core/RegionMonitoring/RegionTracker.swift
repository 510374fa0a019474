import IBeacon
import Plumbing

/// The state machine of one region; it knows nothing of others, of the radio or of the beacons' table.
struct RegionTracker: Sendable {
    enum Phase: Equatable, Sendable {
        /// Nothing is determined. → `inside` by a sighting, → `outside` when the exit time passes without one.
        case unknown
        /// The beacon in the slot `holder` keeps the region. → `outside` by silence or a weak signal,
        /// → `unknown` when the adapter is lost.
        case inside(holder: Int)
        /// → `inside` by a sighting, → `unknown` when the adapter is lost.
        case outside
    }

    enum Outcome: Equatable, Sendable {
        case nothing
        case entered
        /// The beacon that kept the region inside became weak: the region is left unless another beacon keeps it
        /// inside.
        case holderWeakened
    }

    var region: MonitoredRegion {
        didSet { (exitAfter, notableSilence) = Self.times(of: region) }
    }
    private(set) var phase = Phase.unknown

    /// The last known state, kept over interruptions. It decides whether a change is an enter or exit event.
    private(set) var lastKnown = RegionState.unknown

    /// Since when the region has been silent, or, while it is unknown, listened to; on the listening clock.
    private(set) var silentSince: ListeningClock.Reading

    /// The beacon that kept the region before silence left it, and the time; `nil` while it is inside or unknown, and
    /// if the signal left it.
    private(set) var departure: (holder: Int, at: Instant)?

    private var exitAfter: Int64?

    /// The silence below which no sensitivity decides an exit, in nanoseconds.
    private var notableSilence: Int64

    /// The learned time for which the beacons that were inside last are waited for when the scan begins anew.
    private(set) var awaiting: Int64?

    init(_ region: MonitoredRegion, listeningSince: ListeningClock.Reading) {
        self.region = region
        self.silentSince = listeningSince
        (exitAfter, notableSilence) = Self.times(of: region)
    }

    var identifier: String { region.region.identifier }

    var state: RegionState {
        switch phase {
        case .unknown: .unknown
        case .inside: .inside
        case .outside: .outside
        }
    }

    var isRanging: Bool {
        switch region.ranging {
        case .off: false
        case .whileInside: state == .inside
        case .always: true
        }
    }

    private static func times(of region: MonitoredRegion) -> (exitAfter: Int64?, notableSilence: Int64) {
        let exitAfter = region.exitAfter?.clampedNanoseconds
        return (exitAfter, min(exitAfter ?? .max, Sensitivity.quick.shortestExitAfter.clampedNanoseconds))
    }

    /// Whether it has been silent for so long that some sensitivity may decide an exit.
    @inline(__always)
    func isSilent(at now: ListeningClock.Reading) -> Bool {
        now.silence(since: silentSince, tolerance: 0) > notableSilence
    }

    /// The beacon whose silence is the region's: it keeps the region inside, or did so before silence left it.
    var silentHolder: Int? {
        switch phase {
        case .inside(let holder): holder
        case .outside: departure?.holder
        case .unknown: nil
        }
    }

    /// Whether the exit time is a learned one of its beacons.
    var learns: Bool { exitAfter == nil && state == .inside }

    /// The earliest time listened at which the region may be left by silence; `nil` while silence changes nothing.
    var earliestDeadline: Int64? { shortest.map { silentSince.listened.addingClamped($0) } }

    /// The time listened at which silence leaves the region, if the receiver is not deaf from now on; where the time is
    /// learned, the earliest that it may be.
    func deadline(at now: ListeningClock.Reading) -> Int64? {
        shortest.map { now.end(of: $0, since: silentSince, tolerance: learns ? 0 : tolerance(ofExitTime: $0)) }
    }

    /// The exit time, or the shortest where it is learned; `nil` while silence changes nothing.
    private var shortest: Int64? {
        switch phase {
        case .inside: exitAfter ?? region.sensitivity.shortestExitAfter.clampedNanoseconds
        case .unknown: exitAfter ?? awaited ?? region.sensitivity.initialExitAfter.clampedNanoseconds
        case .outside: nil
        }
    }

    /// The learned time within which the beacon that was inside last has to be received again.
    var awaited: Int64? { lastKnown == .inside ? awaiting : nil }

    /// Returns the time for which `track`, one of the region's beacons, keeps it after a reception, in nanoseconds.
    func exitTime(of track: BeaconTrack) -> Int64 {
        exitAfter ?? track.silences.timing(region.sensitivity).time.clampedNanoseconds
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
        guard let exitRSSI = region.exitRSSI else { return true }
        return signal().map { $0 >= Double(exitRSSI) } ?? false
    }

    /// Whether a signal is enough to enter. Never less than to stay, or the next sighting would leave the region.
    private func admits(_ signal: @autoclosure () -> Double?) -> Bool {
        guard let enterRSSI = region.enterRSSI else { return holds(signal()) }
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

    /// Another beacon, last heard at `listened`, keeps the region now.
    mutating func holderReplaced(by slot: Int, heardAt listened: ListeningClock.Reading) {
        phase = .inside(holder: slot)
        silentSince = listened
    }

    /// Handles that the region is inside. Returns whether that is an enter event: its last known state was not
    /// inside.
    mutating func becameKnownInside() -> Bool {
        defer { lastKnown = .inside }
        return lastKnown != .inside
    }

    /// Handles that the region is outside. Returns whether that is an exit event: its last known state was inside.
    ///
    /// - Parameter silence: The time at which silence left it; `nil` if a weak signal did.
    mutating func left(bySilenceAt silence: Instant?) -> Bool {
        if case .inside(let holder) = phase { departure = silence.map { (holder, $0) } }
        phase = .outside
        defer { lastKnown = .outside }
        return lastKnown == .inside
    }

    /// Handles that the scan does not run any more. Returns whether that changed the state.
    ///
    /// - Parameter awaiting: The time for which the region's beacons are waited for afterwards, if it is learned.
    mutating func adapterLost(awaiting: Int64?) -> Bool {
        self.awaiting = awaiting
        departure = nil
        defer { phase = .unknown }
        return phase != .unknown
    }

    /// Restores the state that was known before the monitoring began.
    mutating func remembered(_ state: RegionState, awaiting: Duration?) {
        lastKnown = state
        let (shortest, longest) = (region.sensitivity.shortestExitAfter, MonitoredRegion.longestExitAfter)
        self.awaiting = awaiting.map { min(max($0, shortest), longest).clampedNanoseconds }
    }

    /// Handles that the scan has started again: only silence from here on counts.
    mutating func listeningBegan(at listened: ListeningClock.Reading) {
        silentSince = listened
    }
}
