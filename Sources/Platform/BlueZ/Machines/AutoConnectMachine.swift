import OkaeriPlumbing

/// Keeps one peripheral connected (the auto connection establishment of Core Specification, Vol 3, Part C, 9.3.5,
/// which bluetoothd does for trusted devices only): scans for it, has it connected, notices when it goes, and scans
/// again. What is seen goes in, what is to be done comes out; it neither asks nor waits itself.
///
/// It scans for ``scanTime`` out of every ``scanTime`` and ``restTime``: an adapter that discovers all the time has
/// less time for everything else.
struct AutoConnectMachine: Sendable {
    typealias Instant = ContinuousClock.Instant

    typealias Known = CentralManager.Remembered

    /// A peripheral that may be the one.
    struct Candidate: Sendable, Equatable {
        var known: Known
        var rssi: Int16?
        var isInSight: Bool
        var isConnected: Bool
        /// Whether it is known what services it has.
        var isResolved: Bool
        /// The number of the last end of a connection to it, which rises; 0 if there was none.
        var lastEnd: UInt64 = 0
    }

    /// The visible state at a moment.
    struct View: Sendable, Equatable {
        /// Whether Bluetooth can be worked with. If not, there are no candidates.
        var isAvailable: Bool
        var candidates: [Candidate]
    }

    enum Action: Sendable, Equatable {
        case startScan, stopScan
        /// Connect it; ``AutoConnectMachine/connectEnded(_:at:)`` is due then.
        case connect(Known)
        case didConnect(Known)
        case didDisconnect(Known)
        case didFailToConnect(Known, CentralError)
    }

    static let scanTime = Duration.seconds(10)
    static let restTime = Duration.seconds(20)

    /// The pause after a failed connection; twice as long each time, up to the longest.
    static let shortestPause = Duration.seconds(2)
    static let longestPause = Duration.seconds(60)

    /// The maximum number of failures to announce between two connections: peripherals choose their addresses and names.
    static let reportedLimit = 32

    private enum Phase: Sendable, Equatable {
        /// Bluetooth cannot be worked with. → `scanning`, `connected`.
        case waiting
        /// → `resting`, `connecting`, `connected`, `waiting`.
        case scanning(until: Instant)
        /// → `scanning`, `connecting`, `connected`, `waiting`.
        case resting(until: Instant)
        /// → `resting`, where it is seen to be connected; `scanning`.
        case connecting(Known)
        /// The last end is from before the connection. → `scanning`, `waiting`.
        case connected(Known, lastEnd: UInt64)
    }

    private var phase = Phase.waiting
    private var remembered: Known?
    private var failures: [String: (pause: BackOff, until: Instant)] = [:]

    /// The failures that were announced since a connection succeeded, without addresses: a peripheral may change its own.
    private var reported: Set<CentralError> = []

    /// - Parameter remembered: The peripheral that was connected when the program ended, and was announced then.
    init(remembered: Known? = nil) {
        self.remembered = remembered
    }

    /// Returns the time at which ``observed(_:at:)`` is due even if nothing changes.
    func deadline(after now: Instant) -> Instant? {
        switch phase {
        case .scanning(let until), .resting(let until):
            failures.values.map(\.until).filter { $0 > now }.reduce(until, min)
        case .waiting, .connecting, .connected: nil
        }
    }

    /// This is to be seen now.
    mutating func observed(_ view: View, at now: Instant) -> [Action] {
        failures = failures.filter { $0.value.until > now || isListed($0.key, view) }
        if let known = remembered, view.isAvailable {
            remembered = nil
            let candidate = view.candidates.first { $0.known.address == known.address && $0.isConnected }
            guard let candidate else { return [.didDisconnect(known)] + scan(view, at: now) }
            phase = .connected(known, lastEnd: candidate.lastEnd)
            return []
        }
        switch phase {
        case .waiting: return view.isAvailable ? scan(view, at: now) : []
        case .scanning(let until):
            guard view.isAvailable else { return leave(.waiting, [.stopScan]) }
            if let next = choose(view, at: now) { return [.stopScan] + next }
            return until <= now ? leave(.resting(until: now + Self.restTime), [.stopScan]) : []
        case .resting(let until):
            guard view.isAvailable else { return leave(.waiting, []) }
            if let next = choose(view, at: now) { return next }
            return until <= now ? scan(view, at: now) : []
        case .connecting: return []
        case .connected(let known, let lastEnd):
            // One that was lost and is back has another end than that.
            guard
                !view.candidates.contains(where: {
                    $0.known.address == known.address && $0.isConnected && $0.lastEnd <= lastEnd
                })
            else { return [] }
            phase = .waiting
            return [.didDisconnect(known)] + (view.isAvailable ? scan(view, at: now) : [])
        }
    }

    /// The attempt to connect has ended; ``observed(_:at:)`` is due next.
    ///
    /// - Parameter failure: The reason why it has failed, if it has.
    mutating func connectEnded(_ failure: CentralError?, at now: Instant) -> [Action] {
        guard case .connecting(let known) = phase else { return [] }
        guard let failure else {
            failures[known.address] = nil
            return leave(.resting(until: now), [])
        }
        var pause = failures[known.address]?.pause ?? BackOff(Self.shortestPause, limit: Self.longestPause)
        let until = now + pause.next()
        failures[known.address] = (pause, until)
        return report(failure, of: known) + leave(.scanning(until: now + Self.scanTime), [.startScan])
    }

    private mutating func report(_ failure: CentralError, of known: Known) -> [Action] {
        guard let reason = failure.reasonOfPeripheral, reported.count < Self.reportedLimit,
            reported.insert(reason).inserted
        else { return [] }
        return [.didFailToConnect(known, failure)]
    }

    /// No more is to be done.
    mutating func stopped() -> [Action] {
        guard case .scanning = phase else { return leave(.waiting, []) }
        return leave(.waiting, [.stopScan])
    }

    private mutating func scan(_ view: View, at now: Instant) -> [Action] {
        if let next = choose(view, at: now) { return next }
        return leave(.scanning(until: now + Self.scanTime), [.startScan])
    }

    /// Returns the connected peripheral, otherwise the strongest that can be tried.
    private mutating func choose(_ view: View, at now: Instant) -> [Action]? {
        if let found = view.candidates.first(where: { $0.isConnected && $0.isResolved }) {
            reported = []
            return leave(.connected(found.known, lastEnd: found.lastEnd), [.didConnect(found.known)])
        }
        let tried = view.candidates.filter { candidate in
            candidate.isInSight && failures[candidate.known.address].map { $0.until <= now } ?? true
        }
        guard let best = tried.max(by: { ($0.rssi ?? .min) < ($1.rssi ?? .min) }) else { return nil }
        return leave(.connecting(best.known), [.connect(best.known)])
    }

    private mutating func leave(_ next: Phase, _ actions: [Action]) -> [Action] {
        phase = next
        return actions
    }

    private func isListed(_ address: String, _ view: View) -> Bool {
        view.candidates.contains { $0.known.address == address }
    }
}

extension CentralError {
    /// The same failure of any peripheral; `nil` if it is not a peripheral that has failed to connect: Bluetooth cannot be used,
    /// or the peripheral has gone.
    fileprivate var reasonOfPeripheral: CentralError? {
        switch self {
        case .noBus, .noDaemon, .noAdapter, .poweredOff, .notPermitted, .notFound, .cancelled: nil
        case .connectionFailed(_, let reason): .connectionFailed(address: "", reason: reason)
        case .disconnected(_, let reason): .disconnected(address: "", reason: reason)
        case .timedOut(_, let limit): .timedOut(what: "", after: limit)
        case .unexpected(_, let reason): .unexpected(what: "", reason: reason)
        case .noCharacteristic, .ambiguous, .notSupported, .refused: self
        }
    }
}
