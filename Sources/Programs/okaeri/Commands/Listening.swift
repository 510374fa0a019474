import ArgumentParser
import Glibc
import Logging
import OkaeriBluetooth
import OkaeriEvents
import OkaeriListening
import OkaeriPresence
import ServiceLifecycle
import SystemPackage

extension LogOptions {
    var logger: Logger { Terminal.logger(verbose: verbose) }
}

extension ListeningOptions {
    /// Listens and shows, until the time is up, the capture ends or the user ends it.
    func show(_ session: ListeningSession, _ show: @escaping @Sendable () async throws -> Void) async throws {
        try await run(session) { try await session.run(with: $0 + [Show(show: show)]) }
    }

    /// Listens by `listen`, which runs the services it is given, until the time is up; see ``SourceOptions``.
    func run(_ session: ListeningSession, _ listen: ([any Service]) async throws -> Void) async throws {
        let timers = duration.map { [Timer(seconds: $0)] } ?? []
        try await source.run(session) { try await listen($0 + timers) }
    }
}

extension SourceOptions {
    /// Listens by `listen`, which runs the services it is given; and ends with the exit status that fits when there is
    /// nothing to listen with.
    func run(_ session: ListeningSession, _ listen: ([any Service]) async throws -> Void) async throws {
        // A reader that ends early, as `head` does, must not kill the process: it still has to switch the scan off.
        signal(SIGPIPE, SIG_IGN)
        do {
            try await listen([Verdict(events: session.events())])
        } catch let error as NoBluetooth {
            throw error.failure
        } catch let error as CaptureFileError {
            guard error.isCut else { throw CommandFailure(error.description, status: Exit.dataError) }
            Terminal.printNotice(error.description)
        } catch Errno.brokenPipe {
        }
    }
}

/// There is no Bluetooth, or this user may not use it.
struct NoBluetooth: Error {
    /// The reason in English.
    var reason: String
    /// The message in the language of the terminal; `nil` if it is English only.
    var localized: String?
    var isPermission: Bool

    /// The end of the command.
    var failure: CommandFailure {
        CommandFailure(reason, localized: localized, status: isPermission ? Exit.noPermission : Exit.unavailable)
    }
}

/// Ends the session when the adapter's first answer is that it cannot be used. Once it was well, its return is waited
/// for: the failure is reported, and the session goes on by itself.
struct Verdict: Service {
    let events: AsyncStream<Event>

    func run() async throws {
        var wasWell = false
        for await event in events {
            guard case .bluetoothStateDidUpdate(let update) = event.kind else { continue }
            switch update.state {
            case .poweredOn: wasWell = true
            case .unauthorized, .unsupported, .poweredOff:
                guard wasWell else {
                    throw NoBluetooth(
                        reason: update.reason,
                        localized: Terminal.language.bluetooth(
                            code: update.cause.rawValue, adapter: update.adapter, reason: update.reason),
                        isPermission: update.state == .unauthorized)
                }
                Terminal.printNotice(update.reason)
            case .unknown, .resetting: Terminal.printNotice(update.reason)
            }
        }
        // The events end before this service is asked to.
        try await gracefulShutdown()
    }
}

/// Shows what was heard until the session ends.
struct Show: Service {
    let show: @Sendable () async throws -> Void

    func run() async throws {
        do {
            try await cancelWhenGracefulShutdown { try await show() }
        } catch is CancellationError {}
        // The events end before this service is asked to.
        try await gracefulShutdown()
    }
}

/// The time that was given.
private struct Timer: Service {
    let seconds: Double

    func run() async throws {
        do {
            try await cancelWhenGracefulShutdown { try await Task.sleep(for: .seconds(seconds)) }
        } catch is CancellationError {}
    }
}
