import HCI
import OkaeriPlumbing

/// Decides the scan interval and window, and gives the reason.
///
/// A value without a clock. Each event is passed by a function in the past tense; ``mode`` is the decision.
struct ScanPolicy: Sendable {
    private enum State: Hashable, Sendable {
        /// No beacon has an influence on the timing. → shared, steady with another reason
        case steady(ScanMode)

        /// Wi-Fi has the rest of the antenna's time, and no beacon is late. → late, spent, steady
        case shared(ScanMode.Reason)

        /// A beacon is late, or was until a moment ago; continuous until the time given at least. → shared, spent, steady
        case late(until: Int64)

        /// A beacon is late, and continuous scanning has had its share of the last ten minutes. → shared, late, steady
        case spent
    }

    /// The sliding window of the share.
    static let window = Duration.seconds(600)

    /// The shortest time that is worth a restart of the scan after the share was used up.
    static let useful = Duration.seconds(10)

    /// The shortest time of a continuous scan for a late beacon, in nanoseconds: each change restarts the scan.
    static let shortest: Int64 = 2_000_000_000

    /// The time for which the scan stays continuous after the late beacon was received: the next advertisement may show that it is
    /// still at the edge of reception.
    static let aftermath: Int64 = 1_000_000_000

    private var setting: ScanSetting
    /// Whether 2.4 GHz Wi-Fi is in use, which may share the antenna; `nil`: unknown.
    private var usesWiFi: Bool?
    private var hasOwnAntenna = false
    private var hasConnection = false
    private(set) var isBeaconLate = false

    /// Whether a continuous scan is impossible for now: a join has the antenna, or the scan is not ours or not on.
    private var isPaused = true

    private var budget: TimeBudget
    private var state: State

    /// The time at which ``advanced(to:)`` has something to do; `nil` for never.
    private(set) var nextDeadline: Int64?

    init(_ setting: ScanSetting) {
        self.setting = setting
        budget = Self.budget(for: setting)
        state = .shared(.wifiUnknown)
        decide(at: .min)
    }

    /// The decision.
    var mode: ScanMode {
        switch state {
        case .steady(let mode): mode
        case .shared(let reason): ScanMode(timing: .shared, reason: reason)
        case .late: ScanMode(timing: .continuous, reason: .lateBeacon)
        case .spent: ScanMode(timing: .shared, reason: .lateShareUsed)
        }
    }

    /// Whether a late beacon may change the timing.
    var heedsLateBeacons: Bool {
        switch state {
        case .steady: false
        case .shared, .late, .spent: true
        }
    }

    /// The configuration was read again. A new share has a full budget.
    mutating func configured(_ setting: ScanSetting, at now: Int64) {
        guard setting != self.setting else { return }
        self.setting = setting
        budget = Self.budget(for: setting)
        decide(at: now)
    }

    mutating func wifiChanged(isUsed: Bool?, at now: Int64) {
        usesWiFi = isUsed
        decide(at: now)
    }

    mutating func adapterChosen(_ adapter: Adapter, at now: Int64) {
        hasOwnAntenna = adapter.hasOwnAntenna
        decide(at: now)
    }

    mutating func lateBeaconChanged(_ isLate: Bool, at now: Int64) {
        isBeaconLate = isLate
        if case .late(let end) = state, !isLate { state = .late(until: max(end, now.addingClamped(Self.aftermath))) }
        decide(at: now)
    }

    /// Connections came or went, the scan was interrupted or continues, or the time of ``nextDeadline`` has come.
    mutating func advanced(to now: Int64, isPaused: Bool, hasConnection: Bool) {
        let isDue = nextDeadline.map { $0 <= now } ?? false
        guard isDue || isPaused != self.isPaused || hasConnection != self.hasConnection else { return }
        (self.isPaused, self.hasConnection) = (isPaused, hasConnection)
        decide(at: now)
    }

    private mutating func decide(at now: Int64) {
        let reason: ScanMode.Reason
        switch basis {
        case .steady(let mode):
            _ = budget.update(isWanted: false, at: now)
            (state, nextDeadline) = (.steady(mode), nil)
            return
        case .shared(let shared): reason = shared
        }
        var until: Int64?
        if case .late(let end) = state { until = end }
        let isWanted = (isBeaconLate || until.map { now < $0 } ?? false) && !isPaused && !hasConnection
        let decision = budget.update(isWanted: isWanted, at: now)
        switch (isWanted, decision.isGranted) {
        case (false, _):
            state = .shared(reason)
        case (true, false):
            state = isBeaconLate ? .spent : .shared(reason)
        case (true, true):
            state = .late(until: until ?? now.addingClamped(Self.shortest))
        }
        nextDeadline = decision.next
        if case .late(let end) = state, !isBeaconLate { nextDeadline = min(end, decision.next ?? end) }
    }

    private enum Basis {
        case steady(ScanMode)
        case shared(ScanMode.Reason)
    }

    /// The decision as far as it does not depend on beacons.
    private var basis: Basis {
        switch setting {
        case .continuous: return .steady(ScanMode(timing: .continuous, reason: .configured))
        case .shared: return .steady(ScanMode(timing: .shared, reason: .configured))
        case .fixed(let timing): return .steady(ScanMode(timing: timing, reason: .configured))
        case .automatic(let share):
            let free: ScanMode.Reason? = hasOwnAntenna ? .ownAntenna : usesWiFi == false ? .wifiNotInUse : nil
            if let free {
                // The controller serves a connection between two windows.
                return .steady(
                    hasConnection
                        ? ScanMode(timing: .shared, reason: .connection)
                        : ScanMode(timing: .continuous, reason: free))
            }
            let reason: ScanMode.Reason = usesWiFi == true ? .wifiInUse : .wifiUnknown
            return share > 0 ? .shared(reason) : .steady(ScanMode(timing: .shared, reason: reason))
        }
    }

    private static func budget(for setting: ScanSetting) -> TimeBudget {
        let share: Double =
            switch setting {
            case .automatic(let lateShare): min(max(lateShare, 0), 1)
            case .continuous, .shared, .fixed: 0
            }
        return TimeBudget(limit: window * share, window: window, useful: useful)
    }
}

/// The connections of an adapter that began during its session, of whatever program.
struct Connections: Hashable, Sendable {
    /// The maximum number of stored handles. Controllers have room for some ten connections.
    static let capacity = 64

    private var handles: Set<UInt16> = []

    var isEmpty: Bool { handles.isEmpty }

    /// Handles LE Connection Complete in its forms, which begin alike (Core Specification 5.4, Vol 4, Part E, Sections 7.7.65.1 and
    /// 7.7.65.10).
    mutating func completed(_ parameters: [UInt8]) {
        guard let handle = Self.handle(parameters), handles.count < Self.capacity else { return }
        handles.insert(handle)
    }

    /// Handles Disconnection Complete (Section 7.7.5).
    mutating func ended(_ parameters: [UInt8]) {
        if let handle = Self.handle(parameters) { handles.remove(handle) }
    }

    /// Reads `status, 1 | handle, 2`; `nil` for a failure and for malformed parameters.
    private static func handle(_ parameters: [UInt8]) -> UInt16? {
        guard parameters.count >= 3, HCIStatus(rawValue: parameters[0]) == .success else { return nil }
        return UInt16(parameters[1]) | UInt16(parameters[2]) << 8
    }
}
