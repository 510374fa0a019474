import Plumbing

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
    }

    /// The visible state at a moment.
    struct View: Sendable, Equatable {
        /// Whether Bluetooth can be worked with. If not, there are no candidates.
        var isAvailable: Bool
        var candidates: [Candidate]
    }

    enum Action: Sendable, Equatable {
        case startScan, stopScan
        /// Connect it; ``AutoConnectMachine/connectEnded(isConnected:at:)`` is due then.
        case connect(address: String)
        case didConnect(Known)
        case didDisconnect(Known)
    }

    static let scanTime = Duration.seconds(10)
    static let restTime = Duration.seconds(20)

    /// The pause after a failed connection; twice as long each time, up to the longest.
    static let shortestPause = Duration.seconds(2)
    static let longestPause = Duration.seconds(60)

    private enum Phase: Sendable, Equatable {
        /// Bluetooth cannot be worked with. → `scanning`, `connected`.
        case waiting
        /// → `resting`, `connecting`, `connected`, `waiting`.
        case scanning(until: Instant)
        /// → `scanning`, `connecting`, `connected`, `waiting`.
        case resting(until: Instant)
        /// → `resting`, where it is seen to be connected; `scanning`.
        case connecting(address: String)
        /// → `scanning`, `waiting`.
        case connected(Known)
    }

    private var phase = Phase.waiting
    private var remembered: Known?
    private var failures: [String: (pause: BackOff, until: Instant)] = [:]

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
            guard view.candidates.contains(where: { $0.known.address == known.address && $0.isConnected }) else {
                return [.didDisconnect(known)] + scan(view, at: now)
            }
            phase = .connected(known)
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
        case .connected(let known):
            guard !view.candidates.contains(where: { $0.known.address == known.address && $0.isConnected }) else {
                return []
            }
            phase = .waiting
            return [.didDisconnect(known)] + (view.isAvailable ? scan(view, at: now) : [])
        }
    }

    /// The attempt to connect has ended; ``observed(_:at:)`` is due next.
    mutating func connectEnded(isConnected: Bool, at now: Instant) -> [Action] {
        guard case .connecting(let address) = phase else { return [] }
        guard !isConnected else {
            failures[address] = nil
            return leave(.resting(until: now), [])
        }
        var pause = failures[address]?.pause ?? BackOff(Self.shortestPause, limit: Self.longestPause)
        let until = now + pause.next()
        failures[address] = (pause, until)
        return leave(.scanning(until: now + Self.scanTime), [.startScan])
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
            return leave(.connected(found.known), [.didConnect(found.known)])
        }
        let tried = view.candidates.filter { candidate in
            candidate.isInSight && failures[candidate.known.address].map { $0.until <= now } ?? true
        }
        guard let best = tried.max(by: { ($0.rssi ?? .min) < ($1.rssi ?? .min) }) else { return nil }
        return leave(.connecting(address: best.known.address), [.connect(address: best.known.address)])
    }

    private mutating func leave(_ next: Phase, _ actions: [Action]) -> [Action] {
        phase = next
        return actions
    }

    private func isListed(_ address: String, _ view: View) -> Bool {
        view.candidates.contains { $0.known.address == address }
    }
}
