package import OkaeriEvents
import RegionMonitoring

/// The output and exit status of a plugin of Nagios or Icinga (Monitoring Plugins Development Guidelines).
///
/// A region that is inside is OK, one that is outside a WARNING, and one that is not determined UNKNOWN, as is a question that cannot be
/// answered. No daemon is CRITICAL, and so is one whose socket this user cannot open. An alarm among the daemon's findings has its own grade; the gravest counts.
package struct NagiosReport: Sendable, Equatable {
    /// The service states, by their exit status.
    package enum Status: Int32, Sendable {
        case ok, warning, critical, unknown
    }

    package var status: Status
    /// The sentence for a person.
    package var sentence: String
    /// The performance data: labels, values, units, thresholds.
    package var data: [String] = []

    /// A question that the daemon cannot answer.
    package init(question sentence: String) {
        status = .unknown
        self.sentence = sentence
    }

    /// There is no answer.
    package init(_ failure: APIClient.Failure) {
        sentence = failure.description
        switch failure {
        case .noDaemon, .noAnswer, .notPermitted: status = .critical
        case .refused: status = .unknown
        }
    }

    /// The one line of output.
    package var line: String {
        // A bar would begin the performance data, and a second line the long text.
        let words = sentence.map { $0 == "|" ? "/" : $0.isNewline ? " " : $0 }
        let head = "OKAERI \("\(status)".uppercased()) - \(String(words))"
        return data.isEmpty ? head : "\(head) | \(data.joined(separator: " "))"
    }

    package var exitStatus: Int32 { status.rawValue }
}

extension StatusSummary {
    /// The report as a plugin's.
    package var nagios: NagiosReport {
        var result = NagiosReport(
            question: report.regions.map { "\($0.identifier) \($0.state.rawValue)" }.joined(separator: ", "))
        result.data = report.regions.flatMap(\.performance)
        result.data += ["prompts=\(report.prompts.count);;;0", "dropped=\(report.counters.dropped)c;;;0"]
        let findings = report.allFindings
        let gravest = Finding.Alarm.allCases.lazy.compactMap { alarm in findings.first { $0.alarm == alarm } }.first
        if let gravest { result.sentence += (result.sentence.isEmpty ? "" : " - ") + gravest.reason }
        result.status =
            switch (gravest?.alarm, exitStatus) {
            case (.critical, _): .critical
            case (.unknown, _), (_, 2...): .unknown
            case (nil, 0): .ok
            default: .warning
            }
        return result
    }
}

extension RegionReport {
    /// `'home_inside'=1;;;0;1`, and of the beacon that keeps it inside the signal in dBm and the silence in seconds,
    /// which at the threshold means that it is gone.
    fileprivate var performance: [String] {
        let inside = "\(label("inside"))=\(state == .inside ? 1 : 0);;;0;1"
        guard let beacon else { return [inside] }
        let rssi = beacon.rssi.map { "\(label("rssi"))=\($0)" }
        return [inside, rssi, "\(label("age"))=\(beacon.age)s;\(exitAfter);;0"].compactMap { $0 }
    }

    /// In a label a quote is doubled; an equals sign would end it, a bar the data.
    private func label(_ value: String) -> String {
        let name = identifier.map { character in
            switch character {
            case "'": "''"
            case _ where character == "=" || character == "|" || character.isNewline: "_"
            default: String(character)
            }
        }
        return "'\(name.joined())_\(value)'"
    }
}
