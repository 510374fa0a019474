/// The answer of `GET /v1/health`: whether the daemon fulfils its purpose.
package struct HealthReport: Codable, Sendable, Equatable {
    /// Whether there is no problem: 200, else 503.
    package var healthy: Bool
    /// The problems that make it unhealthy: it cannot determine the states of regions, or would lose them.
    package var problems: [Remark]
    /// The warnings beside that: presence is right in spite of them.
    package var warnings: [Remark]

    package struct Remark: Codable, Sendable, Equatable {
        /// The subject of the finding: daemon, bluetooth, state, history, mqtt, configuration, notify, regions, source or a listener's
        /// name.
        package var part: String
        /// The state, its reason and the remedy.
        package var reason: String
    }

    package init(_ status: StatusReport) {
        let findings = status.allFindings
        func remarks(_ isIncluded: (Finding) -> Bool) -> [Remark] {
            findings.filter(isIncluded).map { Remark(part: $0.subject, reason: $0.reason) }
        }
        problems = remarks { $0.alarm != nil }
        warnings = remarks { $0.alarm == nil && $0.verdict == .wrong }
        healthy = problems.isEmpty
    }
}
