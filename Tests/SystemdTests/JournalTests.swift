import Glibc
import Logging
import OkaeriSystemd
import OkaeriTestSupport
import Synchronization
import Testing

@Suite struct JournalTests {
    /// A journal that listens in place of the real one, behind a pipe in place of standard output.
    private final class Bench {
        let receiver: DatagramReceiver
        let journal: Journal
        private let pipe: [Int32]

        init() throws {
            var ends: [Int32] = [0, 0]
            try #require(Glibc.pipe(&ends) == 0)
            pipe = ends
            receiver = try #require(DatagramReceiver())
            journal = try #require(
                Journal(
                    behind: ends[1], identifier: "okaeri", environment: ["JOURNAL_STREAM": Self.stream(ends[1])],
                    socket: receiver.address))
        }

        deinit {
            for end in pipe { close(end) }
        }

        static func stream(_ descriptor: Int32) -> String {
            var status = stat()
            fstat(descriptor, &status)
            return "\(status.st_dev):\(status.st_ino)"
        }
    }

    @Test func `an entry has a field a line`() throws {
        let bench = try Bench()
        let isWritten = bench.journal.write(
            "didEnterRegion  home", priority: .notice, fields: [.init("EVENT", "didEnterRegion"), .init("REGION", "家")])
        #expect(isWritten)
        #expect(
            bench.receiver.nextText() == """
                MESSAGE=didEnterRegion  home
                PRIORITY=5
                SYSLOG_IDENTIFIER=okaeri
                EVENT=didEnterRegion
                REGION=家

                """)
    }

    @Test func `a value of several lines is preceded by its length`() throws {
        let bench = try Bench()
        #expect(bench.journal.write("one\ntwo", priority: .error, fields: [.init("SSID", "a\nPRIORITY=0")]))
        let entry = try #require(bench.receiver.next())
        #expect(
            entry == Array("MESSAGE\n\u{7}\0\0\0\0\0\0\0one\ntwo\nPRIORITY=3\nSYSLOG_IDENTIFIER=okaeri\n".utf8)
                + Array("SSID\n\u{C}\0\0\0\0\0\0\0a\nPRIORITY=0\n".utf8))
    }

    @Test func `what is too long is cut, with a mark`() throws {
        let bench = try Bench()
        #expect(bench.journal.write(String(repeating: "x", count: 5_000_000), priority: .info))
        let entry = try #require(bench.receiver.nextText())
        #expect(entry.utf8.count < 20_000)
        #expect(entry.contains("x… (cut here, 5000000 bytes in all)\n"))
    }

    @Test func `a name becomes one that the journal takes`() {
        func name(_ text: String) -> String { Journal.Field(text, "").name }
        #expect(name("region") == "REGION")
        #expect(name("passphrase-file") == "PASSPHRASE_FILE")
        #expect(name("_PID") == "X__PID")
        #expect(name("2nd") == "X_2ND")
        #expect(name("a=b\nc") == "A_B_C")
        #expect(name("") == "X_")
        #expect(name(String(repeating: "a", count: 100)).count == 64)
    }

    @Test func `only what goes to the journal is written there`() throws {
        let own = Bench.stream(STDERR_FILENO)
        func journal(_ stream: String?) -> Journal? {
            Journal(
                behind: STDERR_FILENO, identifier: "okaeri",
                environment: stream.map { ["JOURNAL_STREAM": $0] } ?? [:], socket: "/nowhere")
        }
        #expect(journal(own) != nil)
        #expect(journal(nil) == nil)
        #expect(journal("8:0") == nil)
        #expect(journal("") == nil)
    }

    @Test func `a log entry has its metadata as fields`() throws {
        let bench = try Bench()
        let journal = bench.journal
        var logger = Logger(label: "test") { _ in JournalLogHandler(journal, fallback: Sink { _ in }) }
        logger[metadataKey: "message"] = "of the metadata"
        logger.warning("the adapter is gone", metadata: ["adapter": "hci0"])
        #expect(
            bench.receiver.nextText() == """
                MESSAGE=the adapter is gone (adapter: hci0, message: of the metadata)
                PRIORITY=4
                SYSLOG_IDENTIFIER=okaeri
                ADAPTER=hci0

                """)
    }

    @Test func `what the journal does not take goes to the other handler`() throws {
        let lines = Mutex<[String]>([])
        let journal = try #require(
            Journal(
                behind: STDERR_FILENO, identifier: "okaeri",
                environment: ["JOURNAL_STREAM": Bench.stream(STDERR_FILENO)],
                socket: "/nowhere/journal"))
        let sink = Sink { line in lines.withLock { $0.append(line) } }
        let logger = Logger(label: "test") { _ in JournalLogHandler(journal, fallback: sink) }
        logger.error("nobody listens")
        #expect(lines.withLock { $0 } == ["nobody listens"])
    }
}

private struct Sink: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.debug
    let sink: @Sendable (String) -> Void

    init(_ sink: @escaping @Sendable (String) -> Void) {
        self.sink = sink
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { sink("\(event.message)") }
}
