import HCI
import Plumbing

/// The kinds of findings. A later version keeps their names.
extension Finding.Code {
    static let stale = Self(rawValue: "stale")
    package static let notPoweredOn = Self(rawValue: "notPoweredOn")
    static let notScanned = Self(rawValue: "notScanned")
    static let notKept = Self(rawValue: "notKept")
    static let noHistory = Self(rawValue: "noHistory")
    static let restartPending = Self(rawValue: "restartPending")
    static let notRead = Self(rawValue: "notRead")
    static let brokerAway = Self(rawValue: "brokerAway")
    static let brokerUnsuitable = Self(rawValue: "brokerUnsuitable")
    static let brokerWasAway = Self(rawValue: "brokerWasAway")
    static let notServed = Self(rawValue: "notServed")
    static let notMoved = Self(rawValue: "notMoved")
    static let notAnnounced = Self(rawValue: "notAnnounced")
    static let notDelivered = Self(rawValue: "notDelivered")
    static let noneDelivered = Self(rawValue: "noneDelivered")
    static let notUsed = Self(rawValue: "notUsed")
    static let lowBattery = Self(rawValue: "lowBattery")
    static let longSilence = Self(rawValue: "longSilence")
    static let notReal = Self(rawValue: "notReal")
}

extension StatusReport {
    /// The findings of the daemon. Those of a daemon of an earlier version, which sends none, follow from the rest of its report.
    package var allFindings: [Finding] { findings ?? judged }

    /// The judgement of this report: the only place that decides what is wrong with a running daemon.
    ///
    /// `/v1/health` reports an alarm as a problem, and what is wrong without one as a warning. `okaeri status --nagios` takes the gravest
    /// alarm. The page and `okaeri status` show what is wrong, and `okaeri doctor` everything.
    package var judged: [Finding] {
        loop + radio + disk + loaded + broker + served + notified + unused + batteries + silences + simulation
    }

    private var loop: [Finding] {
        stale
            ? [
                Finding(
                    "daemon", .wrong, .stale, "the daemon's loop has stopped",
                    remedy: "restart it with `\(Loaded.restart)`", alarm: .critical)
            ]
            : [.ok("daemon", "it runs, with \(regions.count) regions")]
    }

    /// The time for which the scan may pause, in seconds: for a join, which shares the antenna, or because it begins anew.
    private static let longestPause = 60.0

    private var radio: [Finding] {
        switch bluetooth.state {
        // At the start.
        case .unknown: return [Finding("bluetooth", .note, .notPoweredOn, bluetooth.reason, alarm: .unknown)]
        // While the adapter comes back.
        case .resetting: return [Finding("bluetooth", .wrong, .notPoweredOn, bluetooth.reason, alarm: .unknown)]
        case .unsupported, .unauthorized, .poweredOff:
            return [Finding("bluetooth", .wrong, .notPoweredOn, bluetooth.reason, alarm: .critical)]
        case .poweredOn:
            guard !bluetooth.listening, bluetooth.pausedFor ?? .infinity > Self.longestPause else { return [] }
            let time = bluetooth.pausedFor.map { " for \(Int(min($0, 1e9))) s" } ?? ""
            return [
                Finding(
                    "bluetooth", .wrong, .notScanned, "\(source) has not been scanned\(time)",
                    remedy: "look for the reason with `journalctl -u okaeri`", alarm: .critical)
            ]
        }
    }

    private var disk: [Finding] {
        guard let kept else { return [] }
        let state = kept.problem.map { problem in
            Finding(
                "state", .wrong, .notKept, "\(kept.file) cannot be written: \(problem)", remedy: "check the disk",
                alarm: .warning, values: ["\(kept.file): \(problem)"])
        }
        let history = kept.historyProblem.map {
            Finding("history", .wrong, .noHistory, $0, alarm: .warning, values: [$0])
        }
        return [state, history].compactMap(\.self)
    }

    private var loaded: [Finding] {
        guard let configuration else { return [] }
        let pending = (configuration.restart ?? []).map { change in
            Finding(
                "restart", .note, .restartPending, "pending for \(change.key): \(change.reason)",
                remedy: "run `\(Loaded.restart)`", values: [change.key, change.reason])
        }
        guard let problem = configuration.problem else { return pending }
        let lines = problem.split(separator: "\n").joined(separator: "; ")
        return pending + [
            Finding(
                "configuration", .wrong, .notRead,
                "the daemon keeps the configuration of \(LocalTime.text(stamp: configuration.time)), because the file cannot be used: \(lines)",
                remedy: "correct the file, check it with `okaeri config check`, then run `\(Loaded.reload)`",
                values: [problem])
        ]
    }

    private var broker: [Finding] {
        guard let mqtt else { return [] }
        let since = mqtt.since.map { "since \(LocalTime.text(stamp: $0))" }
        guard mqtt.connected else {
            let away = ["not connected", since].compactMap(\.self).joined(separator: " ")
            return [Finding("mqtt", .wrong, .brokerAway, "\(away): \(mqtt.reason)")]
        }
        let connected =
            mqtt.problem.map { Finding("mqtt", .wrong, .brokerUnsuitable, $0) }
            ?? .ok("mqtt", [mqtt.reason, since].compactMap(\.self).joined(separator: ", "))
        guard let error = mqtt.lastError, let time = mqtt.lastErrorTime else { return [connected] }
        let last = "the last problem was at \(LocalTime.text(stamp: time)): \(error)"
        return [connected, Finding("mqtt", .note, .brokerWasAway, last)]
    }

    private var served: [Finding] {
        let listeners = listeners ?? []
        let announcements = listeners.compactMap(\.discovery).map {
            $0.name == nil ? Finding("mDNS", .note, .notAnnounced, $0.sentence) : .ok("mDNS", $0.sentence)
        }
        return listeners.map(Self.served) + announcements
    }

    private static func served(_ listener: ListenerReport) -> Finding {
        let (name, address) = (listener.name, listener.address)
        if let problem = listener.problem {
            return Finding(
                name, .wrong, .notServed, "not served on \(address): \(problem)", values: [name, address, problem])
        }
        guard let refused = listener.refused else { return .ok(name, "served on \(address)") }
        return Finding(
            name, .wrong, .notMoved, "still served on \(address), because \(refused)",
            remedy: "correct \"\(name)\" in beacons.json, then run `\(Loaded.reload)`", values: [name, refused])
    }

    private var notified: [Finding] {
        (notifications ?? []).map { report in
            if let problem = report.problem {
                return Finding(
                    "notify", .wrong, .notDelivered, "\(report.label): \(problem)", values: [report.label, problem])
            }
            let none = "\(report.label): none sent since the start; `okaeri notify test` sends one"
            return report.sent > 0
                ? .ok("notify", "\(report.label): \(report.sent) sent since the start")
                : Finding("notify", .note, .noneDelivered, none)
        }
    }

    /// The parts of the regions of the page that the daemon does not use.
    private var unused: [Finding] {
        guard let saved else { return [] }
        return (saved.problems ?? []).map {
            Finding(
                "regions", .wrong, .notUsed, $0,
                remedy: "correct \(saved.file) or delete it, then run `\(Loaded.reload)`", values: [$0])
        }
    }

    private var batteries: [Finding] {
        regions.compactMap { region in
            region.battery?.warning.map {
                Finding("battery", .note, .lowBattery, "\(region.identifier): \($0)", remedy: BatteryReport.remedy)
            }
        }
    }

    /// The beacons whose learned exit time is held at the longest there is.
    private var silences: [Finding] {
        regions.flatMap { region in
            region.beacons.filter(\.isHeldAtLongest).map { beacon in
                Finding(
                    "exitTime", .note, .longSilence,
                    "\(region.identifier): major \(beacon.major) minor \(beacon.minor) is silent for longer than the longest exit "
                        + "time, \(beacon.exitAfter.plain) s, so that exits are often false",
                    remedy: "let the beacon advertise more often, or set \"scan\": \"continuous\" in beacons.json")
            }
        }
    }

    private var simulation: [Finding] {
        guard !simulated.isEmpty else { return [] }
        return [
            Finding(
                "source", .wrong, .notReal, "NOT REAL: \(simulated.joined(separator: ", "))", values: simulated)
        ]
    }
}
