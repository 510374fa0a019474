import FoundationEssentials
import Logging
import RegionMonitoring
import Synchronization
import WiFi

@testable import Events
@testable import Hooks
@testable import OkaeriConfiguration

/// Collects what is logged.
final class LogBook: Sendable {
    private let lines = Mutex<[String]>([])
    private let news = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    /// Waits until so many lines contain these words; the test's own time limit ends the wait.
    func logged(_ words: String, times: Int = 1) async throws {
        func isThere() -> Bool { text.filter { $0.contains(words) }.count >= times }
        if isThere() { return }
        for await _ in news.stream where isThere() { return }
        throw CancellationError()
    }

    var text: [String] { lines.withLock { $0 } }

    var logger: Logger {
        var logger = Logger(label: "test") { _ in Handler(book: self) }
        logger.logLevel = .debug
        return logger
    }

    private struct Handler: LogHandler {
        let book: LogBook
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.debug

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            book.lines.withLock { $0.append("\(event.level): \(event.message)") }
            book.news.continuation.yield()
        }
    }
}

extension TemporaryFolder {
    /// A shell script, and its path.
    func script(_ name: String, _ lines: String, interpreter: String = "#!/bin/sh") throws -> String {
        let path = try file(name, Array("\(interpreter)\n\(lines)\n".utf8))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        return path
    }

    func text(_ name: String) -> String? {
        FileManager.default.contents(atPath: "\(path)/\(name)").map { String(decoding: $0, as: UTF8.self) }
    }
}

let enter = Event.Kind.didEnterRegion(region: "home", RangedBeacon(identity: home, rssi: -78, accuracy: 2.104))

func hook(
    _ command: [String], _ kind: Event.Kind = enter, identifier: String = "home", at time: Int64 = evening
) throws -> Hook {
    let region = Configuration.Region(
        monitored: monitored(identifier: identifier), network: try HomeNetwork(ssid: "HomeNet"), onEnter: command,
        onExit: command,
        onPrompt: command)
    guard let hook = Hook(for: Event(time: time, kind: kind), regions: [region]) else { throw CancellationError() }
    return hook
}
