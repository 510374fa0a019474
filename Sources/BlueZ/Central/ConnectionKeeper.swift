/// Keeps one peripheral connected: looks for it, has it connected, notices when it goes, and looks for it again. What is seen
/// goes in, what is to be done comes out; it neither asks nor waits itself.
///
/// It looks for ``lookTime`` out of every ``lookTime`` and ``restTime``: an adapter that discovers all the time has less time
/// for everything else.
struct ConnectionKeeper: Sendable {
    typealias Instant = ContinuousClock.Instant

    /// A peripheral by its address, and its name if it has said one.
    struct Known: Sendable, Equatable {
        var address: String
        var name: String?
    }

    /// A peripheral that may be the one.
    struct Candidate: Sendable, Equatable {
        var known: Known
        var rssi: Int16?
        var isInSight: Bool
        var isConnected: Bool
        /// Whether it is known what services it has.
        var isResolved: Bool
    }

    /// What is to be seen at a moment.
    struct View: Sendable, Equatable {
        /// Whether Bluetooth can be worked with. If not, there are no candidates.
        var isAvailable: Bool
        var candidates: [Candidate]
    }

    /// What is to be done.
    enum Action: Sendable, Equatable {
        case beginLook, endLook
        /// Connect it, and say ``ConnectionKeeper/connectEnded(isConnected:at:)``.
        case connect(address: String)
        case didConnect(Known)
        case didDisconnect(Known)
    }

    static let lookTime = Duration.seconds(10)
    static let restTime = Duration.seconds(20)

    /// How long a peripheral is left alone that could not be connected; twice as long each time, up to the longest.
    static let shortestPause = Duration.seconds(2)
    static let longestPause = Duration.seconds(60)

    private enum Phase: Sendable, Equatable {
        /// Bluetooth cannot be worked with. → `looking`, `connected`.
        case waiting
        /// → `resting`, `connecting`, `connected`, `waiting`.
        case looking(until: Instant)
        /// → `looking`, `connecting`, `connected`, `waiting`.
        case resting(until: Instant)
        /// → `resting`, where it is seen to be connected; `looking`.
        case connecting(address: String)
        /// → `looking`, `waiting`.
        case connected(Known)
    }

    private var phase = Phase.waiting
    private var remembered: Known?
    private var failures: [String: (count: Int, until: Instant)] = [:]

    /// - Parameter remembered: what was connected when the program ended, and was announced then.
    init(remembered: Known? = nil) {
        self.remembered = remembered
    }

    /// When ``observed(_:at:)`` is to be told next even if nothing is seen to change.
    func deadline(after now: Instant) -> Instant? {
        switch phase {
        case .looking(let until), .resting(let until):
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
                return [.didDisconnect(known)] + look(view, at: now)
            }
            phase = .connected(known)
            return []
        }
        switch phase {
        case .waiting: return view.isAvailable ? look(view, at: now) : []
        case .looking(let until):
            guard view.isAvailable else { return leave(.waiting, [.endLook]) }
            if let next = choose(view, at: now) { return [.endLook] + next }
            return until <= now ? leave(.resting(until: now + Self.restTime), [.endLook]) : []
        case .resting(let until):
            guard view.isAvailable else { return leave(.waiting, []) }
            if let next = choose(view, at: now) { return next }
            return until <= now ? look(view, at: now) : []
        case .connecting: return []
        case .connected(let known):
            guard !view.candidates.contains(where: { $0.known.address == known.address && $0.isConnected }) else {
                return []
            }
            phase = .waiting
            return [.didDisconnect(known)] + (view.isAvailable ? look(view, at: now) : [])
        }
    }

    /// The attempt to connect has ended; what is to be seen then is told next.
    mutating func connectEnded(isConnected: Bool, at now: Instant) -> [Action] {
        guard case .connecting(let address) = phase else { return [] }
        guard !isConnected else {
            failures[address] = nil
            return leave(.resting(until: now), [])
        }
        let count = (failures[address]?.count ?? 0) + 1
        let pause = min(Self.shortestPause * (1 << min(count - 1, 10)), Self.longestPause)
        failures[address] = (count, now + pause)
        return leave(.looking(until: now + Self.lookTime), [.beginLook])
    }

    /// No more is to be done.
    mutating func stopped() -> [Action] {
        guard case .looking = phase else { return leave(.waiting, []) }
        return leave(.waiting, [.endLook])
    }

    private mutating func look(_ view: View, at now: Instant) -> [Action] {
        if let next = choose(view, at: now) { return next }
        return leave(.looking(until: now + Self.lookTime), [.beginLook])
    }

    /// What is connected already, else the loudest that can be tried.
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
