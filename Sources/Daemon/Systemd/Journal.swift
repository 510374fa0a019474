import Glibc
import Plumbing

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
