import Glibc
package import Logging
package import OkaeriEvents
import OkaeriPlumbing

/// The journal, in its own protocol (systemd.io, Native Journal Protocol): an entry has fields, which `journalctl
/// FIELD=value` finds it by.
package final class Journal: Sendable {
    /// One field of an entry.
    package struct Field: Sendable, Equatable {
        package let name: String
        package let value: String

        /// - Parameter name: The field's name here; in the journal it is in upper case.
        package init(_ name: String, _ value: String) {
            self.name = Self.name(name)
            self.value = value
        }

        /// The longest name the journal takes.
        private static let longestName = 64

        /// Upper-case letters, digits and underscores, beginning with a letter: the journal drops anything else.
        private static func name(_ text: String) -> String {
            let allowed = text.uppercased().unicodeScalars.map { scalar -> Character in
                ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar) ? Character(scalar) : "_"
            }
            let begun = allowed.first.map { ("A"..."Z").contains($0) } == true ? allowed : Array("X_") + allowed
            return String(begun.prefix(longestName))
        }
    }

    /// The urgency of an entry (syslog(3)).
    package enum Priority: Int, Sendable {
        case critical = 2
        case error
        case warning
        case notice
        case info
        case debug
    }

    /// The maximum length of a value, in bytes. A datagram holds several; what is longer would need a file of its own.
    package static let longestValue = 16 << 10

    private let sender: DatagramSender
    private let identifier: String

    /// - Parameters:
    ///   - descriptor: standard output or standard error.
    ///   - identifier: the program's name in the journal.
    ///   - socket: The path of the journal's socket.
    /// - Returns: nil unless what is written to `descriptor` goes to the journal (systemd.exec(5), `$JOURNAL_STREAM`).
    package init?(
        behind descriptor: Int32, identifier: String, environment: [String: String],
        socket: String = "/run/systemd/journal/socket"
    ) {
        var status = stat()
        guard let stream = environment["JOURNAL_STREAM"], fstat(descriptor, &status) == 0,
            stream == "\(status.st_dev):\(status.st_ino)", let sender = DatagramSender(address: socket)
        else { return nil }
        self.sender = sender
        self.identifier = identifier
    }

    /// Writes an entry.
    ///
    /// - Returns: whether the journal has it.
    package func write(_ message: String, priority: Priority, fields: [Field] = []) -> Bool {
        let own = [
            Field("MESSAGE", message), Field("PRIORITY", "\(priority.rawValue)"),
            Field("SYSLOG_IDENTIFIER", identifier),
        ]
        // A second value beside the first would only confuse.
        let others = fields.filter { field in !own.contains { $0.name == field.name } }
        return sender.send((own + others).flatMap(Self.encoded))
    }

    /// `NAME=value`; a value of several lines is preceded by its length instead.
    private static func encoded(_ field: Field) -> [UInt8] {
        var value = Array(field.value.utf8)
        if value.count > longestValue {
            let cut = String(decoding: value.prefix(longestValue), as: UTF8.self)
            value = Array("\(cut)… (cut here, \(value.count) bytes in all)".utf8)
        }
        guard value.contains(UInt8(ascii: "\n")) else {
            return Array("\(field.name)=".utf8) + value + [UInt8(ascii: "\n")]
        }
        let length = UInt64(value.count).littleEndian
        return Array("\(field.name)\n".utf8) + withUnsafeBytes(of: length, Array.init) + value + [UInt8(ascii: "\n")]
    }
}

extension Event {
    /// The names of the fields in the journal, if they differ.
    private static let journalNames = ["id": "PROMPT"]

    /// Writes the event into the journal, with what one may look for as fields: `journalctl REGION=home`.
    ///
    /// - Returns: whether the journal has it.
    package func write(to journal: Journal) -> Bool {
        journal.write(
            text, priority: priority,
            fields: fields.flat.dropFirst().compactMap { field in
                field.plain.map { .init(Self.journalNames[field.name] ?? field.name, $0) }
            })
    }

    private var priority: Journal.Priority {
        switch kind.name {
        case .didStartMonitoring, .didDetermineState, .bluetoothStateDidUpdate, .didDetermineRoom: .info
        case .didEnterRegion, .didExitRegion, .wifiPrompt, .wifiPromptAnswered, .wifiPromptWithdrawn, .wifiJoined,
            .wifiActionCompleted,
            .peripheralDidConnect,
            .peripheralDidDisconnect:
            .notice
        case .monitoringDidFail, .rangingBeaconsDidFail, .wifiJoinFailed, .wifiActionFailed, .wifiUnavailable,
            .wifiAccessLimited, .peripheralDidFailToConnect:
            .warning
        case .didRangeBeacons: .debug
        }
    }
}

/// Logs to the journal, with the metadata as fields; to another handler where the journal takes nothing.
package struct JournalLogHandler: LogHandler {
    private let journal: Journal
    private var fallback: any LogHandler

    package init(_ journal: Journal, fallback: any LogHandler) {
        self.journal = journal
        self.fallback = fallback
    }

    package var metadata: Logger.Metadata {
        get { fallback.metadata }
        set { fallback.metadata = newValue }
    }

    package var logLevel: Logger.Level {
        get { fallback.logLevel }
        set { fallback.logLevel = newValue }
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { fallback[metadataKey: key] }
        set { fallback[metadataKey: key] = newValue }
    }

    package func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:]) { _, new in new }.sorted { $0.key < $1.key }
        let details = all.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
        let isWritten = journal.write(
            "\(event.message)" + (details.isEmpty ? "" : " (\(details))"), priority: Journal.Priority(event.level),
            fields: all.map { Journal.Field($0.key, "\($0.value)") })
        if !isWritten { fallback.log(event: event) }
    }
}

extension Journal.Priority {
    package init(_ level: Logger.Level) {
        self =
            switch level {
            case .trace, .debug: .debug
            case .info: .info
            case .notice: .notice
            case .warning: .warning
            case .error: .error
            case .critical: .critical
            }
    }
}
