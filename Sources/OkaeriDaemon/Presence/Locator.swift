import BeaconLocation
import Bluetooth
import IBeacon
import RegionMonitoring
import Synchronization

/// Finds out where this machine is, by listening from now on: what was heard earlier counts for nothing.
///
/// It has its answer as soon as every region is inside, else when the time is up: only who has listened all the time can
/// say that nobody is there.
final class Locator: PacketReceiver {
    fileprivate struct State: Sendable {
        var pipeline: PresencePipeline
        var vitality: Vitality
        var bluetooth = AdapterUpdate.starting
        /// What went wrong last, and may explain what is not known.
        var trouble: AdapterUpdate?
        var began = Instant(nanoseconds: 0)
        var end: Instant?
        /// Since when it listens now, and how long it has in all before.
        var listeningSince: Instant?
        var listened = Duration.zero
        var answer: Location?
    }

    private let regions: [MonitoredRegion]
    private let limit: Duration
    private let tell: @Sendable (AdapterUpdate, Instant) -> Void
    private let finished: @Sendable () -> Void
    private let state: Mutex<State>

    /// - Parameters:
    ///   - limit: how long to listen at most.
    ///   - patience: how long a silence may be before it takes an answer of the controller to believe it.
    ///   - tell: is given what becomes of the adapter, and when.
    ///   - finished: is called when the answer is known.
    init(
        _ regions: [MonitoredRegion], within limit: Duration, patience: Duration?,
        tell: @escaping @Sendable (AdapterUpdate, Instant) -> Void, finished: @escaping @Sendable () -> Void
    ) {
        self.regions = regions
        self.limit = limit
        self.tell = tell
        self.finished = finished
        state = Mutex(
            State(
                pipeline: PresencePipeline(RegionMonitor(regions, at: Instant(nanoseconds: 0))),
                vitality: Vitality(patience: patience)))
    }

    /// The answer, or what is known at an instant before it.
    func location(at now: Instant) -> Location {
        state.withLock { $0.answer ?? answer($0, at: now) }
    }

    func begin(at now: Instant) {
        state.withLock { state in
            state.pipeline = PresencePipeline(RegionMonitor(regions, at: now))
            state.began = now
            state.end = now.advanced(by: limit)
        }
    }

    @discardableResult
    func received(event: RawSpan, at now: Instant) -> Instant? {
        let (end, isChanged) = state.withLock { state in
            guard state.answer == nil, let end = state.end, now <= end else { return (state.end, false) }
            state.vitality.reportReceived(at: now)
            return (end, !state.pipeline.received(event: event, at: now).isEmpty)
        }
        if isChanged { conclude(at: now) }
        return end
    }

    func turnFinished(at now: Instant) -> Instant? {
        conclude(at: now)
        return state.withLock { $0.answer == nil ? $0.end : nil }
    }

    func controllerHeard(at now: Instant) {
        state.withLock { $0.vitality.controllerHeard(at: now) }
    }

    func adapterUpdated(_ update: AdapterUpdate, at now: Instant) {
        state.withLock { state in
            state.bluetooth = update
            guard update.state != .poweredOn else { return }
            state.trouble = update
            _ = state.pipeline.monitor.adapterLost(at: now)
        }
        tell(update, now)
    }

    func listeningChanged(_ isListening: Bool, at now: Instant) {
        state.withLock { state in
            state.vitality.reportReceived(at: now)
            if isListening {
                state.listeningSince = state.listeningSince ?? now
                _ = state.pipeline.monitor.adapterRecovered(at: now)
            } else {
                state.listened = state.listened(at: now)
                state.listeningSince = nil
                state.pipeline.monitor.listeningPaused(at: now)
            }
        }
    }

    func dropped(total: UInt64) {}

    /// Answers, if that can be done by now.
    private func conclude(at now: Instant) {
        let isNews = state.withLock { state in
            guard state.answer == nil, let end = state.end else { return false }
            let isEverywhere = state.pipeline.monitor.regionSnapshots.allSatisfy { $0.state == .inside }
            guard isEverywhere || now >= end else { return false }
            let time = min(now, end)
            // Who was heard first and then no more is gone.
            if state.vitality.isCertain(at: time) { _ = state.pipeline.monitor.advanced(to: time) }
            state.answer = answer(state, at: time)
            return true
        }
        if isNews { finished() }
    }

    private func answer(_ state: State, at now: Instant) -> Location {
        let monitor = state.pipeline.monitor
        let heard = monitor.beaconSnapshots(since: state.began)
        let listened = state.listened(at: now)
        let doubt = doubt(state, listened: listened, at: now)
        let places = monitor.regionSnapshots.map { snapshot in
            let identifier = snapshot.region.region.identifier
            if snapshot.state == .inside {
                return Location.Place(
                    region: identifier, state: .inside, beacon: snapshot.beacon.map { BeaconReport($0, now: now) })
            }
            if let doubt { return Location.Place(region: identifier, state: .unknown, reason: doubt) }
            let strongest = heard.filter { $0.regions.contains(identifier) }
                .max { $0.signal ?? -.infinity < $1.signal ?? -.infinity }
            return Location.Place(
                region: identifier, state: .outside, beacon: strongest.map { BeaconReport($0, now: now) },
                reason: strongest == nil ? "nothing was heard of it" : "it is heard, but not well enough to be inside")
        }
        return Location(places: places, listened: listened, bluetooth: state.bluetooth)
    }

    /// Why silence says nothing; nil if it does.
    private func doubt(_ state: State, listened: Duration, at now: Instant) -> String? {
        if state.bluetooth.state != .poweredOn { return state.bluetooth.reason }
        guard listened + Location.tolerance >= limit else {
            let part =
                "only \(listened.seconds(digits: 1).plain) s of \(limit.seconds(digits: 1).plain) s were listened to"
            return state.trouble.map { "\(part). \($0.reason)" } ?? part
        }
        guard state.vitality.isCertain(at: now) else {
            let name = state.bluetooth.adapter ?? "the adapter"
            return "\(name) does not answer, and may hear nothing: `sudo hciconfig \(name) reset`, or unplug it"
        }
        return nil
    }
}

extension Locator.State {
    fileprivate func listened(at now: Instant) -> Duration {
        listened + (listeningSince.map { max(.zero, $0.duration(to: now)) } ?? .zero)
    }
}
