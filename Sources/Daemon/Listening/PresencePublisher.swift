package import HCI
import IBeacon
import OkaeriBluetooth
package import OkaeriEvents
import OkaeriPlumbing
package import OkaeriPresence
package import RegionMonitoring
import Synchronization

/// A presence driver whose events are published, and whose sightings are summed up for the history.
package final class PresencePublisher: Sendable {
    /// The receivers of the driver's results; each is called in order, while the driver is locked: it must not call
    /// back.
    package struct Outputs: Sendable {
        /// Is given each event, with its time on the wall: nanoseconds since the Unix epoch.
        package var publish: @Sendable (Event.Kind, Int64) -> Void
        /// Receives the receptions of each region, a minute at a time; `nil`: they are not summarized.
        package var summarize: (@Sendable ([SignalMinute]) -> Void)?
        /// Is given each silence that was long enough to be recorded.
        package var silenceEnded: (@Sendable (SilenceRecord) -> Void)?
        /// Is given each sighting of a region's beacon.
        package var heard: (@Sendable (_ region: String, BeaconSighting) -> Void)?

        package init(
            publish: @escaping @Sendable (Event.Kind, Int64) -> Void,
            summarize: (@Sendable ([SignalMinute]) -> Void)? = nil,
            silenceEnded: (@Sendable (SilenceRecord) -> Void)? = nil,
            heard: (@Sendable (_ region: String, BeaconSighting) -> Void)? = nil
        ) {
            self.publish = publish
            self.summarize = summarize
            self.silenceEnded = silenceEnded
            self.heard = heard
        }
    }

    package let driver: PresenceDriver
    package let flaps: FlapLedger
    private let summary: SignalSummary?
    private let names: RegionNames

    /// - Parameters:
    ///   - identities: The identities of the regions' phones, by their key files.
    ///   - clock: The clock of the events' times.
    ///   - quietPeriod: The length of a silence from which on it counts only after an answer of the controller; `nil`
    ///     for a source that cannot fall mute, such as a capture.
    ///   - radioNames: Receives the names of the other radios.
    package init(
        regions: [MonitoredRegion], identities: [String: DeviceIdentity] = [:], clock: any WallClock,
        quietPeriod: Duration? = nil, radioNames: RadioNames = RadioNames(), outputs: Outputs
    ) {
        let summary = outputs.summarize.map { SignalSummary(regions, $0) }
        self.summary = summary
        let names = RegionNames(regions)
        self.names = names
        let flaps = FlapLedger(regions)
        self.flaps = flaps
        driver = PresenceDriver(
            regions: regions, identities: identities, clock: clock, quietPeriod: quietPeriod, radioNames: radioNames,
            handler: Self.handler(summary?.handler(clock), outputs.heard, names),
            publish: { event, time in
                if case .action(.silenceDidEnd(let region, let silence), _) = event {
                    let record = SilenceRecord(time: time.wall, region: region, silence: silence)
                    flaps.silenceEnded(record)
                    outputs.silenceEnded?(record)
                }
                if case .action(.didDetermineState(let region, let state), _) = event {
                    flaps.determined(region, state, at: time.wall)
                    summary?.drain()
                }
                if let kind = Event.Kind(event) { outputs.publish(kind, time.wall) }
            })
    }

    /// The configuration changed.
    package func reload(
        _ regions: [MonitoredRegion], identities: [String: DeviceIdentity] = [:], quietPeriod: Duration? = nil,
        at now: Instant
    ) {
        driver.updateRegions(at: now, identities: identities, quietPeriod: quietPeriod) {
            summary?.reload(regions)
            flaps.reload(regions)
            names.replace(with: regions)
            $0 = regions
        }
    }

    /// Gives each sighting to both, where there are any.
    private static func handler(
        _ summary: PresencePipeline.SightingHandler?, _ heard: (@Sendable (String, BeaconSighting) -> Void)?,
        _ names: RegionNames
    ) -> PresencePipeline.SightingHandler? {
        guard let heard else { return summary }
        return { sighting, regions, now in
            summary?(sighting, regions, now)
            for name in names.at(regions) { heard(name, sighting) }
        }
    }

    /// Hands over what was heard in a minute that is not over: nothing more comes.
    package func summarizeMinute() { summary?.drain() }
}

/// The regions' identifiers, by their positions in the monitor.
private final class RegionNames: Sendable {
    private let names: Mutex<[String]>

    init(_ regions: [MonitoredRegion]) {
        names = Mutex(regions.map(\.identifier))
    }

    func replace(with regions: [MonitoredRegion]) {
        names.withLock { $0 = regions.map(\.identifier) }
    }

    func at(_ positions: [Int]) -> [String] { names.withLock { names in positions.map { names[$0] } } }
}

/// The signal meter, and where its minutes go.
private final class SignalSummary: Sendable {
    private let meter: Mutex<SignalMeter>
    private let summarize: @Sendable ([SignalMinute]) -> Void

    init(_ regions: [MonitoredRegion], _ summarize: @escaping @Sendable ([SignalMinute]) -> Void) {
        meter = Mutex(SignalMeter(regions))
        self.summarize = summarize
    }

    /// Sums up the sightings that it is given.
    func handler(_ clock: any WallClock) -> PresencePipeline.SightingHandler {
        { [self] sighting, regions, now in
            let time = clock.wallTime(of: now)
            passOn(meter.withLock { $0.heard(sighting, in: regions, at: time) })
        }
    }

    func reload(_ regions: [MonitoredRegion]) {
        passOn(
            meter.withLock { meter in
                defer { meter = SignalMeter(regions) }
                return meter.drained()
            })
    }

    func drain() {
        passOn(meter.withLock { $0.drained() })
    }

    private func passOn(_ minutes: [SignalMinute]) {
        if !minutes.isEmpty { summarize(minutes) }
    }
}

extension Event.Kind {
    /// Creates the event of a driver's event; `nil` for one that is not published.
    init?(_ event: PresenceEvent) {
        switch event {
        case .bluetoothStateDidUpdate(let update): self = .bluetoothStateDidUpdate(update)
        case .monitoringDidFail(let region, let bluetooth):
            self = .monitoringDidFail(region: region, reason: bluetooth.reason)
        case .action(let action, let bluetooth): self.init(action, reason: bluetooth.reason)
        }
    }
}
