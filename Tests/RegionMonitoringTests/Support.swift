import IBeacon
import RegionMonitoring

let uuid = BeaconUUID(high: 0xE2C5_6DB5_DFFB_48D2, low: 0xB060_D0F5_A710_96E0)

func at(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64(seconds * 1e9)) }

func beacon(_ minor: UInt16 = 100, rssi: Int8? = -60, power: Int8? = -59) -> BeaconSighting {
    BeaconSighting(
        identity: BeaconIdentity(uuid: uuid, major: 100, minor: minor), measuredPower: power, rssi: rssi)
}

func region(
    _ identifier: String = "home", _ constraint: BeaconConstraint = .major(uuid, 100), enter: Int? = nil,
    exit: Int? = nil, after: Double = 30, ranging: MonitoredRegion.Ranging = .off
) -> MonitoredRegion {
    MonitoredRegion(
        BeaconRegion(identifier: identifier, constraint: constraint), enterRSSI: enter, exitRSSI: exit,
        exitAfter: .seconds(after), ranging: ranging)
}

/// A monitor whose adapter listens from 0 s on.
func listening(_ regions: MonitoredRegion...) -> RegionMonitor {
    var monitor = RegionMonitor(regions, at: at(0))
    _ = monitor.monitoringStarted(at: at(0))
    _ = monitor.adapterRecovered(at: at(0))
    return monitor
}

extension RegionMonitor {
    /// Runs the timer as a driver does, up to and including `end`; each action with the second it came at.
    mutating func run(to end: Double) -> [(time: Double, action: Action)] {
        var log: [(Double, Action)] = []
        while let deadline = nextDeadline, deadline <= at(end) {
            let actions = advanced(to: deadline)
            log += actions.map { (Double(deadline.nanoseconds) / 1e9, $0) }
        }
        return log + advanced(to: at(end)).map { (end, $0) }
    }
}

extension RegionMonitor.Action {
    /// A short name, to read a whole log at a glance.
    var label: String {
        switch self {
        case .didStartMonitoring: "start"
        case .didDetermineState(_, let state): state.rawValue
        case .didEnterRegion: "enter"
        case .didExitRegion: "exit"
        case .didRangeBeacons(_, let beacons): "range \(beacons.count)"
        case .rangingBeaconsDidFail: "ranging failed"
        case .silenceDidEnd: "silence"
        }
    }
}

extension [RegionMonitor.Action] {
    /// The announcements: the end of a silence is not one.
    var labels: [String] { map(\.label).filter { $0 != "silence" } }

    var silences: [EndedSilence] {
        compactMap { if case .silenceDidEnd(_, let silence) = $0 { silence } else { nil } }
    }
}
