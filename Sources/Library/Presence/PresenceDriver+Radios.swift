package import RegionMonitoring
import Synchronization

/// The other radios of the house. The engine decides on the receptions of all.
extension PresenceDriver {
    /// Returns the radio with a name. It is away until ``radioListens(_:share:at:)``.
    package func radio(named name: String, at now: Instant) -> RadioID {
        state.withLock { $0.pipeline.monitor.radio(named: name, at: now) }
    }

    /// Handles that a radio scans.
    ///
    /// - Parameter share: The part of the time in a scan window, more than 0 and at most 1.
    package func radioListens(_ radio: RadioID, share: Double, at now: Instant) {
        state.withLock { state in
            state.pipeline.monitor.listeningShareChanged(radio, to: share, at: now)
            publish(state.pipeline.monitor.adapterRecovered(radio, at: now), at: now, &state)
        }
    }

    /// Handles a reception by a radio. The decisions before it are made first.
    package func received(_ reception: Reception, by radio: RadioID) {
        state.withLock { state in
            advance(to: reception.time, &state)
            let actions = state.pipeline.received(reception, by: radio, handler: handler)
            if !actions.isEmpty { publish(actions, at: reception.time, &state) }
        }
    }

    /// Handles that time has passed at a hub without an adapter.
    package func advance(to now: Instant) { state.withLock { advance(to: now, &$0) } }

    private func advance(to now: Instant, _ state: inout State) {
        while let due = state.pipeline.monitor.nextDeadline, due < now {
            let actions = state.pipeline.monitor.advanced(to: due)
            if !actions.isEmpty { publish(actions, at: due, &state) }
            guard state.pipeline.monitor.nextDeadline.map({ $0 > due }) ?? false else { break }
        }
    }
}
