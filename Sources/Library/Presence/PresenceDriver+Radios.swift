import OkaeriPlumbing
package import RegionMonitoring
import Synchronization

/// The other radios of the house. The engine decides on the receptions of all.
extension PresenceDriver {
    /// Returns the radio with a name. It is away until ``radioListens(_:share:at:)``, or its first report.
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

    /// Handles the report of the radio with a name, and makes the decisions that are due.
    ///
    /// - Returns: Whether the source's next turn is not known, or comes too late: for the next decision, or for a change of its scan.
    @discardableResult
    package func received(_ report: RadioReport, byRadioNamed name: String, at now: Instant) -> Bool {
        state.withLock { state in
            guard state.isStarted else { return false }
            let wasLate = state.pipeline.monitor.hasLateBeacon
            let radio = state.pipeline.monitor.radio(named: name, at: now)
            radioNames.set(name, of: radio)
            state.pipeline.monitor.reportsEvery(report.interval, radio)
            var actions = state.pipeline.monitor.reportBegan(
                radio, from: report.from, share: Self.step(of: report.share))
            for reception in report.receptions {
                state.pipeline.monitor.reported(radio, until: reception.time)
                actions += state.pipeline.received(reception, by: radio, handler: handler)
            }
            state.pipeline.monitor.reported(radio, until: report.until)
            // Which devices they are is not known, but when there are fewer.
            for device in 0..<UInt64(min(max(0, report.others), Self.followedDevices)) {
                state.pipeline.monitor.advertisementHeard(from: device, by: radio, at: report.until)
            }
            let levels = report.batteries.compactMap { level -> BeaconBattery? in
                guard !state.pipeline.monitor.regionsWithBattery(of: level.identity).isEmpty else { return nil }
                var level = level
                level.identity = state.pipeline.monitor.normalized(level.identity)
                return level
            }
            state.pipeline.batteries.levelsReceived(levels)
            if !actions.isEmpty { publish(actions, at: now, &state) }
            judge(at: now, &state)
            guard let turn = state.turnDue, wasLate == state.pipeline.monitor.hasLateBeacon else { return true }
            return state.pipeline.monitor.nextDeadline.map { $0.nanoseconds < turn } ?? false
        }
    }

    /// Handles that the reports of no radio come any more.
    package func radiosLost(at now: Instant) {
        for name in radioNames.all { radioLost(named: name, at: now) }
    }

    /// Handles that a radio is gone: offline, or its reports do not come.
    package func radioLost(named name: String, at now: Instant) {
        state.withLock { state in
            guard let radio = state.pipeline.monitor.knownRadio(named: name) else { return }
            publish(state.pipeline.monitor.adapterLost(radio, at: now), at: now, &state)
            judge(at: now, &state)
        }
    }

    /// Handles that a radio does not come back.
    package func radioRemoved(named name: String, at now: Instant) {
        state.withLock { state in
            guard let radio = state.pipeline.monitor.knownRadio(named: name) else { return }
            publish(state.pipeline.monitor.radioRemoved(radio, at: now), at: now, &state)
            radioNames.remove(radio)
        }
    }

    /// Handles that the radios whose names a function accepts do not come back. It is called without the driver's lock.
    package func radiosRemoved(where isRemoved: (String) -> Bool, at now: Instant) {
        let names = state.withLock { $0.pipeline.monitor.radioNames }
        for name in names where isRemoved(name) { radioRemoved(named: name, at: now) }
    }

    /// Takes over the states that another machine announced for the house, and announces what differs.
    ///
    /// - Parameter begin: Is called before, with the driver locked.
    package func announced(_ states: [String: RegionState], at now: Instant, begin: () -> Void) {
        state.withLock { state in
            begin()
            guard state.isStarted else {
                // The monitor of the scan continues from this memory.
                state.memory.announced(states, of: state.regions)
                return
            }
            publish(state.pipeline.monitor.announced(states), at: now, &state)
            judge(at: now, &state)
        }
    }

    /// Handles that time has passed at a hub without an adapter.
    package func advance(to now: Instant) { state.withLock { advance(to: now, &$0) } }

    /// Passes each advertisement that this machine's own radio receives to `tap`; `nil` ends it. The driver is locked meanwhile.
    package func pass(to tap: PresencePipeline.Tap?) { state.withLock { $0.pipeline.tap = tap } }

    /// The time in which this machine's own radio has listened and was not deaf. Only differences have a meaning.
    package func listened(at now: Instant) -> Duration { state.withLock { $0.pipeline.monitor.listened(at: now) } }

    /// A small change of the listening share does not make all deadlines new.
    private static func step(of share: Double) -> Double {
        share > 0 ? max(1, (min(share, 1) * 16).rounded()) / 16 : 0
    }

    /// The number of devices by which the deafness of another radio is judged.
    private static let followedDevices = 32

    /// The delay of a turn of a source whose machine is merely busy.
    private static let longestDelay: Int64 = 1_000_000_000

    /// Makes the decisions that are due. While the own radio may be mute, its silences do not grow.
    private func judge(at now: Instant, _ state: inout State) {
        // The source's thread is late, and what its radio received may still wait: its turn makes the decisions.
        if let due = state.turnDue, now.nanoseconds.subtractingClamped(due) > Self.longestDelay { return }
        if !state.liveness.isCertain(at: now), !state.isOwnDoubted {
            state.isOwnDoubted = true
            state.pipeline.monitor.listeningPaused(at: now)
        }
        guard let due = state.pipeline.monitor.nextDeadline, due <= now else { return }
        publish(state.pipeline.monitor.advanced(to: now), at: now, &state)
    }

    /// Makes the decisions before `now`, each at its time. After as many as a recording can have, the rest are made at once.
    private func advance(to now: Instant, _ state: inout State) {
        var turns = 0
        while let due = state.pipeline.monitor.nextDeadline, due < now {
            let time = turns < CaptureSource.maximumTurns ? due : Instant(nanoseconds: now.nanoseconds - 1)
            let actions = state.pipeline.monitor.advanced(to: time)
            if !actions.isEmpty { publish(actions, at: time, &state) }
            turns += 1
            guard state.pipeline.monitor.nextDeadline.map({ $0 > time }) ?? false else { break }
        }
    }
}

/// The names of the other radios, for the receiver of the sightings. It has a lock of its own: the driver is locked meanwhile.
package final class RadioNames: Sendable {
    private let names = Mutex<[RadioID: String]>([:])

    package init() {}

    package subscript(radio: RadioID) -> String? { names.withLock { $0[radio] } }

    var all: [String] { names.withLock { $0.values.sorted() } }

    func set(_ name: String, of radio: RadioID) { names.withLock { $0[radio] = name } }

    func remove(_ radio: RadioID) { names.withLock { $0[radio] = nil } }
}
