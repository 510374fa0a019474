import Events
import FoundationEssentials
import Plumbing

struct RecordedEvent {
    let recorded: HistoryEvent

    /// Nil where a newer version wrote it, or the file is damaged.
    private let event: Event?

    init(_ recorded: HistoryEvent) {
        self.recorded = recorded
        event = try? JSONDecoder().decode(Event.self, from: Data(recorded.json.utf8))
    }

    private static let columns = [
        "time", "event", "region", "state", "uuid", "major", "minor", "rssi", "accuracy", "proximity", "id", "ssid",
        "answer", "device", "adapter", "code", "reason", "identifier", "service", "address", "name", "node", "seq",
        "scope", "room", "owner", "situation", "action",
    ]

    /// The names of the columns of ``csv`` (RFC 4180).
    static let header = columns.joined(separator: ",")

    /// A row of comma-separated values.
    var csv: String {
        let fields =
            event?.fields.flat
            ?? [
                EventField("time", .text(Timestamp.text(recorded.time))), EventField("event", .text(recorded.name)),
            ] + EventField.text("region", recorded.region)
        return Self.columns.map { column in
            fields.first { $0.name == column }.map(Self.cell) ?? ""
        }.joined(separator: ",")
    }

    /// A line for a person, in the machine's time zone.
    var line: String {
        let text =
            event?.text ?? [recorded.name, recorded.region].compactMap { $0 }.joined(separator: "  ").escapedName
        return "\(LocalTime.text(recorded.time))  \(text)"
    }

    /// Returns the value of a field as a cell. Others choose the names in it: control characters are escaped, and an
    /// apostrophe keeps a spreadsheet from taking a text for a formula.
    static func cell(_ field: EventField) -> String {
        guard case .text(let text) = field.value else { return field.plain ?? "" }
        var safe = ""
        var isStart = true
        for scalar in text.unicodeScalars {
            if isStart, formulaStarts.contains(scalar) { safe += "'" }
            safe.unicodeScalars.append(scalar)
            isStart = scalar == otherSeparator
        }
        return quoted(safe.escapedName)
    }

    private static let formulaStarts: Set<Unicode.Scalar> = ["=", "+", "-", "@", "\t", "\r"]

    /// Ends a cell for spreadsheets in countries where a comma is the decimal sign. Tabs are escaped.
    private static let otherSeparator: Unicode.Scalar = ";"

    private static let special: Set<Unicode.Scalar> = ["\"", ",", otherSeparator]

    /// Scalar by scalar: an accent after a quotation mark makes one character of both.
    private static func quoted(_ field: String) -> String {
        guard field.unicodeScalars.contains(where: special.contains) else { return field }
        var quoted = ""
        for scalar in field.unicodeScalars {
            if scalar == "\"" { quoted += "\"" }
            quoted.unicodeScalars.append(scalar)
        }
        return "\"\(quoted)\""
    }
}
