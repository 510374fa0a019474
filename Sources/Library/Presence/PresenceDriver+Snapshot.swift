package import HCI
package import IBeacon
import OkaeriBluetooth
package import RegionMonitoring
import Synchronization

extension PresenceDriver {
    package struct Snapshot: Sendable {
        package var bluetooth: AdapterUpdate
        /// The interval and window of the scan; `nil` while advertisements are not received.
        package var listening: ScanTiming?
        /// The choice of the interval and window, with its reason; `nil` before the first scan, and for a capture.
        package var mode: ScanMode?
        /// The time of listening since the start, and the part of it in which the scan windows were open.
        package var listened: (total: Duration, open: Duration)
        /// The begin of the present pause of the scan; `nil` while the adapter scans.
        package var pausedSince: Instant?
        /// The number of starts of the scan.
        package var scans: UInt64
        package var dropped: UInt64
        package var counters: PresencePipeline.Counters
        package var regions: [RegionMonitor.RegionSnapshot]
        /// The time of each region's last change of state, on the wall clock, by the region's identifier. A state that is the same after
        /// an interruption, such as a restart, has not changed.
        package var changes: [String: Int64]
        package var deadline: Instant?
        /// The other devices in range.
        package var air: RegionMonitor.Air
        /// The judgements of each region's beacons, in the order of `regions`.
        package var judgements: [[RegionMonitor.Judgement]]
        /// The lowest battery level of each region's beacons, in the order of `regions`.
        package var batteries: [BeaconBattery?]
    }

    /// - Parameter beacons: The maximum number of judged beacons of a region.
    package func snapshot(at now: Instant, beacons: Int = 8) -> Snapshot {
        state.withLock { state in
            let monitor = state.pipeline.monitor
            return Snapshot(
                bluetooth: state.bluetooth, listening: state.listening, mode: state.mode,
                listened: state.airTime.listened(at: now), pausedSince: state.pausedSince, scans: state.scans,
                dropped: state.dropped,
                counters: state.pipeline.counters, regions: monitor.regionSnapshots, changes: state.changes,
                deadline: monitor.nextDeadline, air: monitor.air,
                judgements: monitor.judgements(at: now, limit: beacons),
                batteries: state.batteries(at: now))
        }
    }

    /// The part of the time in which this machine's own radio listens; 0 while it does not.
    package var listeningShare: Double { state.withLock { $0.listening?.share ?? 0 } }

    package var regions: [MonitoredRegion] { state.withLock(\.regions) }

    package var lastInside: Set<String> {
        Set(regionSnapshots.filter { $0.lastKnown == .inside }.map(\.region.identifier))
    }

    package var regionSnapshots: [RegionMonitor.RegionSnapshot] {
        state.withLock(\.pipeline.monitor.regionSnapshots)
    }

    package var bluetooth: AdapterUpdate { state.withLock(\.bluetooth) }

    /// The other devices in range.
    package var air: RegionMonitor.Air { state.withLock(\.pipeline.monitor.air) }

    /// Whether a silence at an instant proves an absence: the radio works.
    package func isCertain(at now: Instant) -> Bool { state.withLock { $0.liveness.isCertain(at: now) } }

    /// The battery levels of all beacons of the regions, and the times of their last readings.
    package var batteries: BeaconBatteries { state.withLock(\.pipeline.batteries) }

    /// Returns the lowest battery level of each region's beacons, by the region's identifier.
    package func regionBatteries(at now: Instant) -> [String: BeaconBattery] {
        state.withLock { state in
            let named = zip(state.regions.map(\.identifier), state.batteries(at: now))
            return Dictionary(named.compactMap { name, level in level.map { (name, $0) } }) { first, _ in first }
        }
    }

    /// The times of the changes to the last known states, in nanoseconds since 1970, by the regions' identifiers.
    package var knownSince: [String: Int64] { state.withLock { $0.known.mapValues(\.since) } }

    package func memory(at now: Instant) -> RegionMonitor.Memory {
        state.withLock { $0.pipeline.monitor.memory(at: now) }
    }

    /// The beacons heard since an instant, in no order.
    package func beacons(since instant: Instant) -> [RegionMonitor.BeaconSnapshot] {
        state.withLock { $0.pipeline.monitor.beaconSnapshots(since: instant) }
    }

    /// Returns the masks that are proposed, at most a second old: a client that reads a list in many parts would cause as many comparisons
    /// of all beacons.
    private func proposedMasks(at instant: Instant, _ state: inout State) -> [BeaconIdentity: BeaconMask] {
        if let known = state.proposals, 0..<1_000_000_000 ~= instant.nanoseconds.subtractingClamped(known.time) {
            return known.masks
        }
        let masks = state.pipeline.monitor.proposedMasks
        state.proposals = (instant.nanoseconds, masks)
        return masks
    }

    /// Returns the beacons heard since an instant that follow another one, in the order of their identities.
    package func beacons(
        since instant: Instant, after identity: BeaconIdentity?, limit: Int
    ) -> [RegionMonitor.BeaconSnapshot] {
        state.withLock { state in
            state.pipeline.monitor.beaconSnapshots(
                since: instant, after: identity, limit: limit, masks: proposedMasks(at: instant, &state))
        }
    }

    package func beaconCount(since instant: Instant) -> (ofRegions: Int, others: Int) {
        state.withLock { $0.pipeline.monitor.beaconCount(since: instant) }
    }
}

package enum PresenceEvent: Hashable, Sendable {
    /// Bluetooth was switched on or off, unplugged, forbidden.
    case bluetoothStateDidUpdate(AdapterUpdate)

    /// The region, named by its identifier, cannot be watched: there is no adapter, or the program may not use it.
    case monitoringDidFail(region: String, bluetooth: AdapterUpdate)

    /// A decision of the monitor.
    ///
    /// - bluetooth: The state of Bluetooth at that time: why the scan stopped, which the monitor does not know.
    case action(RegionMonitor.Action, bluetooth: AdapterUpdate)
}

extension AdapterUpdate {
    /// A capture in place of a working adapter.
    package static func replaying(_ capture: String) -> AdapterUpdate {
        AdapterUpdate(
            state: .poweredOn, adapter: nil, cause: .working, reason: "the capture \(capture) stands in for an adapter")
    }

    /// Whether regions cannot be watched. An interruption of the scan is not a failure.
    package var isFailure: Bool {
        switch state {
        case .unsupported, .unauthorized: true
        case .unknown, .resetting, .poweredOff, .poweredOn: false
        }
    }
}
