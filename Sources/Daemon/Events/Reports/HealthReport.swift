import HCI

/// The answer of `GET /v1/health`: whether the daemon fulfils its purpose.
package struct HealthReport: Codable, Sendable, Equatable {
    /// Whether there is no problem: 200, else 503.
    package var healthy: Bool
    /// The problems that make it unhealthy.
    package var problems: [Remark]
    /// The warnings beside that: presence is right in spite of them.
    package var warnings: [Remark]

    package struct Remark: Codable, Sendable, Equatable {
        /// daemon, bluetooth, state, history, mqtt, metrics, notify, regions, source or another listener's name.
        package var part: String
        /// The state, its reason and the remedy.
        package var reason: String
    }

    /// For how long the scan may pause, in seconds: for a join, which shares the antenna, or because it begins anew.
    package static let longestPause = 60.0

    /// A daemon is unhealthy if it cannot determine or store the states of regions: its loop does not turn, Bluetooth
    /// does not receive, the state or the history cannot be written.
    package init(_ status: StatusReport) {
        problems = []
        warnings = []
        if status.stale {
            problems.append(
                .init(part: "daemon", reason: "its loop has stopped; restart it with `sudo systemctl restart okaeri`"))
        }
        let bluetooth = status.bluetooth
        if bluetooth.state != .poweredOn {
            problems.append(.init(part: "bluetooth", reason: bluetooth.reason))
        } else if !bluetooth.listening, bluetooth.pausedFor ?? .infinity > Self.longestPause {
            let time = bluetooth.pausedFor.map { " for \(Int(min($0, 1e9))) s" } ?? ""
            problems.append(
                .init(
                    part: "bluetooth",
                    reason: "\(status.source) has not been scanned\(time); run `okaeri doctor`"))
        }
        if let problem = status.kept?.problem {
            let file = status.kept?.file ?? ""
            problems.append(.init(part: "state", reason: "\(file) cannot be written: \(problem); check the disk"))
        }
        if let problem = status.kept?.historyProblem { problems.append(.init(part: "history", reason: problem)) }
        if let mqtt = status.mqtt, !mqtt.connected || mqtt.problem != nil {
            warnings.append(.init(part: "mqtt", reason: mqtt.reason))
        }
        for listener in status.listeners ?? [] {
            if let refused = listener.refused { warnings.append(.init(part: listener.name, reason: refused)) }
            guard let problem = listener.problem else { continue }
            warnings.append(.init(part: listener.name, reason: "not served on \(listener.address): \(problem)"))
        }
        if let problem = status.configuration?.problem {
            warnings.append(.init(part: "configuration", reason: "it was not read again: \(problem)"))
        }
        for report in status.notifications ?? [] {
            if let problem = report.problem {
                warnings.append(.init(part: "notify", reason: "\(report.label): \(problem)"))
            }
        }
        warnings += (status.saved?.problems ?? []).map { .init(part: "regions", reason: $0) }
        if !status.simulated.isEmpty {
            warnings.append(.init(part: "source", reason: "NOT REAL: \(status.simulated.joined(separator: ", "))"))
        }
        healthy = problems.isEmpty
    }
}
