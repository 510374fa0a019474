import HCI
import OkaeriEvents
import RegionMonitoring

/// The state of each region, and the quality of reception.
extension Measurements {
    var regions: [MetricFamily] {
        var state = MetricFamily(
            "okaeri_region_state", .gauge, "1 for the state that the region is in, 0 for the others.")
        var since = MetricFamily(
            "okaeri_region_since_timestamp", .gauge, unit: "seconds",
            "When the state last changed, since the Unix epoch.")
        var signal = MetricFamily(
            "okaeri_region_signal", .gauge, unit: "dbm",
            "The filtered signal of the beacon that was heard last, while it counts as there.")
        var silence = MetricFamily(
            "okaeri_region_silence", .gauge, unit: "seconds",
            "For how long that beacon has been silent while it was listened to.")
        var timeout = MetricFamily(
            "okaeri_region_timeout", .gauge, unit: "seconds", "How long a silence means that the beacon is gone.")
        var battery = MetricFamily(
            "okaeri_region_battery", .gauge, unit: "ratio",
            "The lowest battery level of the region's beacons of which a level is known, 0 to 1.")
        for region in status.regions {
            let label = ("region", region.identifier)
            for known in RegionState.allCases {
                state.add(region.state == known, label, ("state", known.rawValue))
            }
            if let time = region.since.flatMap(Timestamp.nanoseconds) {
                since.add(Double(time / 1_000_000) / 1000, label)
            }
            if let level = region.battery { battery.add(Double(level.percent) / 100, label) }
            let judged = region.beacons.first(where: \.keepsInside) ?? region.beacons.first
            timeout.add(judged?.exitAfter ?? region.exitAfter, label)
            guard let judged else { continue }
            silence.add(judged.silence, label)
            if let strength = judged.signal, judged.silence <= judged.exitAfter { signal.add(strength, label) }
        }
        return [state, since, signal, silence, timeout, battery]
    }

    var radio: [MetricFamily] {
        var state = MetricFamily(
            "okaeri_bluetooth_state", .gauge, "1 for the state that Bluetooth is in, 0 for the others.")
        for known in BluetoothState.allCases {
            state.add(status.bluetooth.state == known, ("state", known.rawValue))
        }
        var listening = MetricFamily("okaeri_bluetooth_listening", .gauge, "Whether the controller scans.")
        listening.add(status.bluetooth.listening)
        var restarts = MetricFamily(
            "okaeri_scan_restarts", .counter, "The number of times that the scan was restarted, for any reason.")
        if let count = status.counters.scanRestarts { restarts.add(count) }
        var share = MetricFamily(
            "okaeri_scan_share", .gauge, unit: "ratio",
            "The part of the time in which the scan windows are open, 0 to 1.")
        var mode = MetricFamily("okaeri_scan_mode", .gauge, "1 for the reason of that share, 0 for the others.")
        var received = MetricFamily(
            "okaeri_scan_window", .counter, unit: "seconds", "The time in which the scan windows were open.")
        if let scan = status.bluetooth.scan {
            share.add(scan.share)
            for reason in ScanMode.Reason.allCases {
                mode.add(reason.rawValue == scan.reason, ("reason", reason.rawValue))
            }
            received.add(scan.received)
        }
        var reports = MetricFamily(
            "okaeri_reports", .counter, "The number of received LE advertising reports, with any content.")
        reports.add(status.counters.reports)
        var iBeacons = MetricFamily(
            "okaeri_ibeacon_reports", .counter, "Those of them that were iBeacons, of whomever.")
        iBeacons.add(status.counters.iBeacons)
        var malformed = MetricFamily(
            "okaeri_malformed_events", .counter, "Events of the controller that were cut or otherwise unsound.")
        malformed.add(status.counters.malformed)
        var dropped = MetricFamily(
            "okaeri_dropped_packets", .counter,
            "Packets that the kernel dropped because they came faster than they were fetched.")
        dropped.add(status.counters.dropped)
        var found = MetricFamily(
            "okaeri_beacons", .gauge, "Beacons that were heard in the last minute: of the regions, and of strangers.")
        found.add(counts.beacons.ours, ("of", "regions"))
        found.add(counts.beacons.strangers, ("of", "strangers"))
        var devices = MetricFamily(
            "okaeri_air_devices", .gauge,
            "Devices that advertised in the last minutes, without beacons of regions; 64 at most.")
        var deaf = MetricFamily(
            "okaeri_air_deaf", .counter, unit: "seconds",
            "The time for which the receiver was deaf to all of them.")
        if let air = status.air {
            devices.add(air.devices)
            deaf.add(air.deaf)
        }
        return [
            state, listening, share, mode, received, restarts, reports, iBeacons, malformed, dropped, found, devices,
            deaf,
        ]
    }
}
