package import OkaeriEvents

/// The numbers that no report of the API contains.
package struct DaemonCounts: Sendable, Equatable {
    package var events = EventTally()
    package var hooks = HookTally()
    package var beacons = Beacons()
    /// The number of events that wait for the disk; `nil`: nothing is recorded.
    package var unwritten: Int?
    /// The radios that report to this hub, by name.
    package var radios: [(name: String, report: NodeReport.Radio)] = []
    /// The receivers of other makes, by name.
    package var receivers: [(name: String, report: NodeReport.Receiver)] = []
    /// The start of the daemon, in nanoseconds since the Unix epoch.
    package var started: Int64
    package var version: String
    /// The commit of the build; empty if it was not given.
    package var commit: String

    package init(started: Int64, version: String, commit: String) {
        self.started = started
        self.version = version
        self.commit = commit
    }

    package static func == (left: DaemonCounts, right: DaemonCounts) -> Bool {
        (left.events, left.hooks, left.beacons, left.unwritten, left.started)
            == (right.events, right.hooks, right.beacons, right.unwritten, right.started)
            && (left.version, left.commit) == (right.version, right.commit)
            && left.radios.elementsEqual(right.radios) { $0 == $1 }
            && left.receivers.elementsEqual(right.receivers) { $0 == $1 }
    }

    /// The beacons in the air.
    package struct Beacons: Sendable, Equatable {
        /// The number of those that belong to a region.
        package var ours = 0
        /// The number of all others.
        package var strangers = 0

        package init() {}
    }
}

/// The metrics of the daemon at one moment. The label values are those of the configuration, or few: data of other devices makes
/// no series.
package struct Measurements: Sendable {
    let status: StatusReport
    let counts: DaemonCounts

    package init(_ status: StatusReport, _ counts: DaemonCounts) {
        self.status = status
        self.counts = counts
    }

    package var families: [MetricFamily] { program + regions + radio + arrivalJoin + disk + others }

    private var program: [MetricFamily] {
        var build = MetricFamily("okaeri_build", .info, "The version, and the commit that it was built from.")
        build.add(1, ("version", counts.version), ("commit", counts.commit))
        var start = MetricFamily(
            "process_start_time", .gauge, unit: "seconds", "When the daemon was started, since the Unix epoch.")
        start.add(Double(counts.started / 1_000_000) / 1000)
        var healthy = MetricFamily("okaeri_healthy", .gauge, "Whether /v1/health answers 200.")
        healthy.add(HealthReport(status).healthy)
        var stale = MetricFamily("okaeri_stale", .gauge, "Whether the main loop of the daemon is stuck.")
        stale.add(status.stale)
        var simulated = MetricFamily(
            "okaeri_simulated", .gauge, "What is not real: a capture for the adapter, or the Wi-Fi.")
        for part in ["capture", "wifi"] { simulated.add(status.simulated.contains(part), ("part", part)) }
        return [build, start, healthy, stale, simulated]
    }

    private var disk: [MetricFamily] {
        var problems = MetricFamily(
            "okaeri_disk_problem", .gauge, "Whether what is to outlive the daemon cannot be written now.")
        var queue = MetricFamily("okaeri_history_queue_length", .gauge, "Events that wait for the disk.")
        if let kept = status.kept {
            problems.add(kept.problem != nil, ("store", "state"))
            problems.add(kept.historyProblem != nil, ("store", "history"))
        }
        if let unwritten = counts.unwritten { queue.add(unwritten) }
        return [problems, queue]
    }

    private var others: [MetricFamily] {
        var mqtt = MetricFamily("okaeri_mqtt_connected", .gauge, "Whether the MQTT broker is connected.")
        if let broker = status.mqtt { mqtt.add(broker.connected) }
        var peripherals = MetricFamily(
            "okaeri_peripheral_connected", .gauge, "Whether a device with that service is connected.")
        for service in status.services ?? [] {
            peripherals.add(service.connected, ("service", service.identifier ?? service.service))
        }
        var failures = MetricFamily(
            "okaeri_peripheral_connection_failures", .counter,
            "Connections to devices of services that failed, once for each reason until one is connected.")
        failures.add(counts.events.events(.peripheralDidFailToConnect))
        return [mqtt, peripherals, failures] + radios + receivers + notifications
    }

    private var receivers: [MetricFamily] {
        var interval = MetricFamily(
            "okaeri_receiver_report_interval", .gauge, unit: "seconds",
            "The time between two reports of the same device by a receiver of another make.")
        var rejected = MetricFamily(
            "okaeri_receiver_messages_rejected", .counter, "Rejected messages of a receiver of another make.")
        for (name, receiver) in counts.receivers {
            if let seconds = receiver.interval { interval.add(seconds, ("receiver", name)) }
            for (reason, count) in receiver.rejected.sorted(by: { $0.key < $1.key }) {
                rejected.add(count, ("receiver", name), ("reason", reason))
            }
        }
        return [interval, rejected]
    }

    private var radios: [MetricFamily] {
        var up = MetricFamily("okaeri_radio_up", .gauge, "Whether the reports of a radio of this hub come.")
        var rate = MetricFamily(
            "okaeri_radio_receptions_per_second", .gauge, "What a radio receives of the hub's beacons.")
        var share = MetricFamily(
            "okaeri_radio_listening", .gauge, unit: "ratio", "The part of the time that a radio listens.")
        var lost = MetricFamily("okaeri_radio_reports_lost", .counter, "Reports of a radio that did not come.")
        for (name, radio) in counts.radios {
            up.add(!radio.away, ("radio", name))
            rate.add(radio.rate, ("radio", name))
            share.add(radio.share, ("radio", name))
            lost.add(radio.lost, ("radio", name))
        }
        return [up, rate, share, lost]
    }
}
