import Plumbing

package struct Finding: Sendable, Equatable, Encodable {
    package enum Verdict: String, Sendable, Encodable {
        case ok
        /// Okaeri does not do its work like this.
        case wrong
        /// It works, but something may be missed.
        case note
    }

    package var subject: String
    package var verdict: Verdict
    package var finding: String
    /// The command or action that fixes it.
    package var mend: String?

    /// `wrong  adapter: hci0 is down` and, indented, the fix.
    package var text: String {
        "\(verdict.rawValue.padding(to: 6)) \(subject): \(finding)" + (mend.map { "\n         → \($0)" } ?? "")
    }

    private enum CodingKeys: String, CodingKey {
        case subject, verdict, finding
        case mend = "fix"
    }

    static func ok(_ subject: String, _ finding: String) -> Finding {
        Finding(subject: subject, verdict: .ok, finding: finding)
    }

    static func wrong(_ subject: String, _ finding: String, mend: String) -> Finding {
        Finding(subject: subject, verdict: .wrong, finding: finding, mend: mend)
    }

    static func note(_ subject: String, _ finding: String, mend: String? = nil) -> Finding {
        Finding(subject: subject, verdict: .note, finding: finding, mend: mend)
    }
}
