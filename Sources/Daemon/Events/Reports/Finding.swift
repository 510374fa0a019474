import Plumbing

/// A judgement about a part of Okaeri or of its machine, and the remedy. `okaeri doctor`, the page, the monitoring systems and the
/// status show the same findings: those of the daemon are determined in `Findings.swift`, those of the machine by `Doctor`.
package struct Finding: Codable, Sendable, Equatable {
    package enum Verdict: String, Codable, Sendable {
        case ok
        /// Okaeri does not do its work like this.
        case wrong
        /// It works, but something may be missed.
        case note
    }

    /// The effect on the states of regions, as a monitoring system grades it; in rising order.
    package enum Alarm: String, Codable, Sendable, CaseIterable {
        /// The states are right, and a restart loses them or the events.
        case warning
        /// The states are not determined yet.
        case unknown
        /// The states cannot be determined.
        case critical
    }

    /// The part: `mqtt`, or the name of a listener.
    package var subject: String
    package var verdict: Verdict
    /// The kind of a finding of the daemon that is not ok; `nil` for the others.
    package var code: Code?
    /// `nil` if the states of regions do not depend on it.
    package var alarm: Alarm?
    /// The end of a sentence that begins with the subject.
    package var sentence: String
    /// The command or action that fixes it; `nil` if there is none, or the sentence names it.
    package var remedy: String?
    /// The values of the sentence, for texts in another language; `nil` without any.
    package var values: [String]?

    /// The kind of a finding. The page has its texts by the same names.
    package struct Code: RawRepresentable, Codable, Sendable, Hashable {
        package let rawValue: String

        package init(rawValue: String) { self.rawValue = rawValue }
    }

    private enum CodingKeys: String, CodingKey {
        case subject, verdict, code, alarm, values
        case sentence = "finding"
        case remedy = "fix"
    }

    package init(
        _ subject: String, _ verdict: Verdict, _ code: Code?, _ sentence: String, remedy: String? = nil,
        alarm: Alarm? = nil, values: [String]? = nil
    ) {
        (self.subject, self.verdict, self.code, self.alarm) = (subject, verdict, code, alarm)
        (self.sentence, self.remedy, self.values) = (sentence, remedy, values)
    }

    package static func ok(_ subject: String, _ sentence: String) -> Finding { Finding(subject, .ok, nil, sentence) }

    package static func wrong(_ subject: String, _ sentence: String, remedy: String? = nil) -> Finding {
        Finding(subject, .wrong, nil, sentence, remedy: remedy)
    }

    package static func note(_ subject: String, _ sentence: String, remedy: String? = nil) -> Finding {
        Finding(subject, .note, nil, sentence, remedy: remedy)
    }

    /// The sentence with the remedy.
    package var reason: String { sentence + (remedy.map { "; \($0)" } ?? "") }

    /// `wrong  adapter: hci0 is down` and, indented, the remedy.
    package var text: String {
        "\(verdict.rawValue.padding(to: 6)) \(subject): \(sentence)" + (remedy.map { "\n         → \($0)" } ?? "")
    }
}
