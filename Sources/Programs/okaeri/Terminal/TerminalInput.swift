import Glibc
import OkaeriPlumbing
import SystemPackage
import UnixSignals

/// Standard input, line by line. It is read nowhere else.
///
/// Not by the C library's stream, as `readLine` does: that is locked while a thread waits for input, and with glibc 2.41
/// (Debian 13) the end of the program waits for the lock, which is until the user types.
enum TerminalInput {
    /// More of a line is not kept.
    private static let longestLine = 4096

    /// Reads a line on a thread of its own, because that blocks. Nothing of the next line is taken.
    ///
    /// - Parameter ends: The bytes that end a line beside the line feed, and are its last ones.
    /// - Returns: The line; `nil` at the end of the input, or when the task is cancelled.
    static func line(endingAt ends: [UInt8] = []) async throws(Errno) -> String? {
        let wait = try Wait()
        let result: Result<String?, Errno> = await withTaskCancellationHandler {
            do throws(Errno) {
                return .success(
                    try await BlockingThread.run({ Errno(rawValue: $0) }) { () throws(Errno) in
                        wait.line(endingAt: ends)
                    })
            } catch {
                return .failure(error)
            }
        } onCancel: {
            wait.end()
        }
        return try result.get()
    }

    /// Discards what was typed until now.
    static func discard() { tcflush(STDIN_FILENO, TCIFLUSH) }

    /// A wait for a line, which another thread can end.
    private final class Wait: Sendable {
        private let wakeUp: WakeUp

        init() throws(Errno) { wakeUp = try WakeUp { Errno(rawValue: $0) } }

        func end() { wakeUp.signal() }

        func line(endingAt ends: [UInt8]) -> String? {
            var line: [UInt8] = []
            var byte: UInt8 = 0
            while !wakeUp.wait(toRead: STDIN_FILENO) {
                let count = read(STDIN_FILENO, &byte, 1)
                if count < 0, errno == EINTR || errno == EAGAIN { continue }
                guard count > 0 else { return line.isEmpty ? nil : String(decoding: line, as: UTF8.self) }
                let isLast = ends.contains(byte)
                if byte != UInt8(ascii: "\n"), isLast || line.count < longestLine { line.append(byte) }
                if isLast || byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            }
            return nil
        }
    }
}

/// A terminal that does not show the typed characters.
struct HiddenInput: Sendable {
    private let former: termios

    /// The keys that interrupt and end the program.
    let interrupts: [UInt8]

    /// Hides what is typed, until ``show()``. The keys that interrupt, end or suspend the program are off, because they would
    /// leave a shell without echo: those that interrupt or end it are the last ones of a line.
    ///
    /// - Returns: `nil` if standard input is not a terminal.
    init?() async {
        var state = termios()
        guard tcgetattr(STDIN_FILENO, &state) == 0 else { return nil }
        former = state
        await SignalTrap.shared.restore(state)
        let keys = withUnsafeBytes(of: state.c_cc) { [$0[Int(VINTR)], $0[Int(VQUIT)]] }
        interrupts = keys.filter { $0 != 0 }
        // The line's end is still shown.
        state.c_lflag = state.c_lflag & ~tcflag_t(ECHO | ISIG) | tcflag_t(ECHONL)
        withUnsafeMutableBytes(of: &state.c_cc) { ($0[Int(VEOL)], $0[Int(VEOL2)]) = (keys[0], keys[1]) }
        Terminal.set(state)
    }

    /// Shows again what is typed.
    func show() { Terminal.set(former) }
}

/// The signals that end the program. They are trapped for the rest of the process from the first use on, because libdispatch
/// does not trap a signal again that was released.
actor SignalTrap {
    static let shared = SignalTrap()

    private var watch: Task<Void, Never>?
    private var handler: (@Sendable () -> Void)?
    /// The state of a terminal that shows what is typed; `nil` before it was hidden.
    private var former: termios?

    /// Handles the signals by a function.
    ///
    /// - Parameter handler: The function; `nil`: a signal ends the process as if it was not trapped.
    func handle(by handler: (@Sendable () -> Void)?) async {
        self.handler = handler
        await begin()
    }

    /// Restores the terminal before a signal ends the process.
    fileprivate func restore(_ former: termios) async {
        self.former = former
        await begin()
    }

    private func begin() async {
        guard watch == nil else { return }
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm, .sighup, .sigquit)
        watch = Task { for await caught in signals { handle(caught.rawValue) } }
    }

    private func handle(_ number: Int32) {
        if let handler { return handler() }
        if let former { Terminal.set(former) }
        signal(number, SIG_DFL)
        kill(getpid(), number)
    }
}

extension Terminal {
    fileprivate static func set(_ state: termios) {
        var state = state
        tcsetattr(STDIN_FILENO, TCSADRAIN, &state)
    }
}
