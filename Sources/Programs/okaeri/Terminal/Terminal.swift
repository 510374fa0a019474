import FoundationEssentials
import Glibc
import Logging
import OkaeriEvents
import OkaeriSystemd
import SystemPackage

/// The output: results on standard output, everything else on standard error.
enum Terminal {
    /// The language of the texts for people.
    static let language = Language(environment: ProcessInfo.processInfo.environment)

    /// Whether a person reads standard output.
    static var isInteractive: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Whether a person can be asked.
    static var canAsk: Bool { isInteractive && isatty(STDIN_FILENO) == 1 }

    /// Whether a person sees standard error.
    static var showsProgress: Bool { isatty(STDERR_FILENO) == 1 }

    /// Whether standard output shows colours: on a terminal, unless `NO_COLOR` is set (no-color.org) or it is a dumb one.
    static var showsColor: Bool {
        let environment = ProcessInfo.processInfo.environment
        return isInteractive && environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
    }

    /// The width in columns, 80 where it is not known.
    static var columns: Int { size(\.ws_col) ?? 80 }

    /// The height in lines, 24 where it is not known.
    static var rows: Int { size(\.ws_row) ?? 24 }

    private static func size(_ side: KeyPath<winsize, UInt16>) -> Int? {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size[keyPath: side] > 0 else { return nil }
        return Int(size[keyPath: side])
    }

    /// The stream of a text.
    enum Stream {
        case output, errors
    }

    /// Prints a line on standard output, at once: a reader of a stream of events waits for each.
    static func print(_ line: String) throws(Errno) {
        try write(line + "\n", to: .output)
    }

    /// A sentence on standard error.
    static func printNotice(_ sentence: String) {
        try? write("okaeri: \(sentence)\n", to: .errors)
    }

    static func write(_ text: String, to stream: Stream) throws(Errno) {
        switch stream {
        case .output: try Output.write(text)
        case .errors:
            do {
                try FileDescriptor.standardError.writeAll(text.utf8)
            } catch {
                throw (error as? Errno) ?? .ioError
            }
        }
    }
}

extension Terminal {
    /// A logger on standard error, or in the journal where that leads there. The journal stamps its lines itself, and a
    /// person sees when they come.
    static func logger(verbose: Bool) -> Logger {
        let environment = ProcessInfo.processInfo.environment
        let journal = Journal(behind: STDERR_FILENO, identifier: "okaeri", environment: environment)
        var logger = Logger(label: "okaeri") { _ -> any LogHandler in
            guard let journal else { return LineLogHandler() }
            return JournalLogHandler(journal, fallback: LineLogHandler())
        }
        logger.logLevel = verbose ? .debug : .notice
        return logger
    }
}

/// `okaeri: warning: what happened (key: value)`.
struct LineLogHandler: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.notice

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:]) { _, new in new }
        let details = all.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
        let level = event.level == .notice ? "" : "\(event.level): "
        Terminal.printNotice("\(level)\(event.message)" + (details.isEmpty ? "" : " (\(details))"))
    }
}
