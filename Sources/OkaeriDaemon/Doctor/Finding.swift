/// What the doctor found out about one precondition.
public struct Finding: Sendable, Equatable {
    public enum Verdict: String, Sendable {
        case ok
        /// Okaeri does not do its work like this.
        case wrong
        /// It works, but something may be missed.
        case note
    }

    /// What was looked at.
    public var subject: String
    public var verdict: Verdict
    /// What was found.
    public var finding: String
    /// The command, or the deed, that mends it.
    public var mend: String?

    /// `wrong  adapter: hci0 is down` and, indented, how to mend it.
    public var text: String {
        "\(verdict.rawValue.padding(to: 6)) \(subject): \(finding)" + (mend.map { "\n         → \($0)" } ?? "")
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
