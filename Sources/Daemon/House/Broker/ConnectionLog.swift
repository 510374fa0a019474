import OkaeriEvents
import OkaeriMQTT
import OkaeriPlumbing

/// The lines of the log about the connection to the broker: each problem that lasts, and its end.
///
/// A broker that starts later than the daemon, or restarts, is not worth a line. A connection that breaks again and again has one line for
/// each problem until it lasts, too.
struct ConnectionLog: Sendable {
    /// The time for which a problem, or a connection after it, has to last, in nanoseconds.
    private let patience: Int64
    /// The present problem, if it has no line yet.
    private var waiting: (code: BrokerCode, sentence: String)?
    /// The times at which the present problem began, and at which the last one ended.
    private var wrongSince, fineSince: Int64?
    /// The problems that have a line, since the connection lasted last.
    private var logged: Set<BrokerCode> = []
    /// Whether the log has a problem whose end it does not have.
    private var isOpen = false

    init(patience: Int64 = 30 * Nanoseconds.second) { self.patience = patience }

    /// The time at which ``advance(to:)`` returns a line.
    var nextDeadline: Int64? { waiting == nil ? nil : wrongSince?.addingClamped(patience) }

    /// Handles a state of the connection.
    mutating func changed(to state: BrokerState, at now: Int64) -> BrokerCore.Output? {
        switch state.phase {
        case .connecting, .stopped: return nil
        case .failed: return found(BrokerCode(state), state.description, at: now)
        case .connected:
            if let problem = state.problem { return found(BrokerCode(state), problem, at: now) }
            (waiting, wrongSince, fineSince) = (nil, nil, fineSince ?? now)
            guard isOpen else { return nil }
            isOpen = false
            return .recovered(state.description)
        }
    }

    private mutating func found(_ code: BrokerCode, _ sentence: String, at now: Int64) -> BrokerCore.Output? {
        if let fineSince, now.subtractingClamped(fineSince) >= patience { logged = [] }
        (wrongSince, fineSince) = (wrongSince ?? now, nil)
        waiting = logged.contains(code) ? nil : (code, sentence)
        return advance(to: now)
    }

    /// Returns the line of a problem that has lasted.
    mutating func advance(to now: Int64) -> BrokerCore.Output? {
        guard let deadline = nextDeadline, deadline <= now, let (code, sentence) = waiting else { return nil }
        waiting = nil
        logged.insert(code)
        isOpen = true
        return .note(sentence)
    }
}

extension BrokerCore {
    /// Handles a state of the connection, also of one that does not come about.
    mutating func connectionChanged(to state: BrokerState, at now: Moment) -> [Output] {
        connectionLog.changed(to: state, at: now.instant).map { [$0] } ?? []
    }
}
