import Foundation
import OkaeriEvents
import OkaeriPlumbing
import OkaeriTestSupport
import Testing

/// Compares the messages that users see with `Messages.txt`, so that they can be read as a list and a change of one is seen in a
/// diff. `OKAERI_RECORD=1 scripts/test --filter MessagesTests` writes the file anew.
@Suite struct MessagesTests {
    private static let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Messages.txt")

    private static let text = Messages.sections.map { section in
        "\(section.title)\n" + section.lines.map { "    \($0)\n" }.joined()
    }.joined(separator: "\n")

    @Test func `the messages are those of the list`() throws {
        if ProcessInfo.processInfo.environment["OKAERI_RECORD"] != nil {
            try Self.text.write(to: Self.file, atomically: true, encoding: .utf8)
        }
        let recorded = try String(contentsOf: Self.file, encoding: .utf8).split(separator: "\n")
        let changes = Self.text.split(separator: "\n").difference(from: recorded).map { change in
            switch change {
            case .remove(_, let line, _): "- \(line)"
            case .insert(_, let line, _): "+ \(line)"
            }
        }
        #expect(changes.isEmpty, "record the messages with OKAERI_RECORD=1, and read the difference")
    }

    @Test func `the expected value of each mistake of a configuration is Japanese, too`() {
        #expect(Messages.expectedValues.count > 40)
        for value in Messages.expectedValues {
            let text = Language.japanese.value(value)
            // Words of the file between them stay.
            #expect(text.unicodeScalars.contains { ("\u{3041}"..."\u{9FFF}").contains($0) }, "\(value): \(text)")
        }
    }

    @Test(arguments: [Installation.container, .homeAssistant])
    func `no message names a command that a container does not have`(installation: Installation) {
        let lines = Installation.local.withValue(installation) { Messages.made.flatMap(\.lines) }
        #expect(lines.count > 400)
        // The command of a failure of systemd is a value.
        for line in lines where !line.hasPrefix("`systemctl restart okaeri` failed") {
            #expect(!line.contains(foreignCommand), "\(line)")
        }
    }

    @Test func `a message has no full stop and names its actors`() {
        let unfit = #/\.$|[.?] [A-Z]|\b(whoever|nobody|somebody|told|tells|mend)\b/#
        for line in Messages.sections.flatMap(\.lines) where line.contains(unfit) { Issue.record("\(line)") }
    }
}
