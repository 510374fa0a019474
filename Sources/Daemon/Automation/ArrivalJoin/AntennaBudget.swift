/// The time for which joins may hold the scan: 60 s of any 120 s, however many activations NetworkManager tries.
///
/// Without a DHCP server NetworkManager retries an activation four times; a limit for each would leave the node without
/// observations for minutes.
package struct AntennaBudget: Sendable {
    /// The state of the scan, and when to call ``update(isActivating:at:)`` again.
    package struct Decision: Hashable, Sendable {
        package var isHeld: Bool
        package var next: ContinuousClock.Instant?
    }

    private struct Hold {
        var begin: ContinuousClock.Instant
        var end: ContinuousClock.Instant
    }

    private let limit: Duration
    private let window: Duration

    /// The budget below which no hold begins: shorter ones would switch the scan off and on and help no activation.
    private let useful: Duration

    /// The ended holds of the window, oldest first.
    private var holds: [Hold] = []
    private var heldSince: ContinuousClock.Instant?
    private var releaseAt: ContinuousClock.Instant?

    /// Creates a full budget.
    package init(
        limit: Duration = .seconds(60), window: Duration = .seconds(120), useful: Duration = .seconds(10)
    ) {
        self.limit = limit
        self.window = window
        self.useful = useful
    }

    /// Decides whether the scan is held, after a change of the activation or when the time of the last decision has come.
    package mutating func update(isActivating: Bool, at now: ContinuousClock.Instant) -> Decision {
        let begin = now - window
        holds.removeAll { $0.end <= begin }
        if let heldSince {
            if isActivating, let releaseAt, now < releaseAt { return Decision(isHeld: true, next: releaseAt) }
            // A lower bound for the length bounds the number of holds in a window.
            holds.append(Hold(begin: heldSince, end: max(now, heldSince + limit / 60)))
        }
        heldSince = nil
        releaseAt = nil
        guard isActivating else { return Decision(isHeld: false, next: nil) }
        let rest = limit - spent(at: now)
        guard rest >= useful else { return Decision(isHeld: false, next: recovery(from: rest, at: now)) }
        heldSince = now
        releaseAt = now + rest
        return Decision(isHeld: true, next: releaseAt)
    }

    private func spent(at now: ContinuousClock.Instant) -> Duration {
        holds.reduce(.zero) { $0 + max($1.begin, now - window).duration(to: $1.end) }
    }

    /// Returns when enough of the holds has left the window for another one.
    private func recovery(from rest: Duration, at now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        var missing = useful - rest
        for hold in holds {
            let begin = max(hold.begin, now - window)
            let length = begin.duration(to: hold.end)
            if length >= missing { return begin + missing + window }
            missing -= length
        }
        return nil
    }
}
