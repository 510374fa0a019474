import Synchronization

/// How far a long replay has come, on one line of standard error. Nothing is shown of a short one.
final class ProgressLine: Sendable {
    private struct State {
        var began = ContinuousClock.now
        var shown: ContinuousClock.Instant?
    }

    private static let delay = Duration.milliseconds(500)
    private static let interval = Duration.milliseconds(100)
    private let state = Mutex(State())

    func update(read: UInt64, size: UInt64?) {
        let now = ContinuousClock.now
        let isDue = state.withLock { state in
            guard now - state.began > Self.delay, state.shown.map({ now - $0 > Self.interval }) ?? true else {
                return false
            }
            state.shown = now
            return true
        }
        guard isDue else { return }
        let amount = "\(read >> 20) MiB"
        let part = size.flatMap { $0 > 0 ? "  \(min(100, read * 100 / $0)) %" : nil } ?? ""
        try? Terminal.write("\r\u{1B}[K\(amount)\(part)", to: .errors)
    }

    func clear() {
        let wasShown = state.withLock { state in
            defer { state.shown = nil }
            return state.shown != nil
        }
        if wasShown { try? Terminal.write("\r\u{1B}[K", to: .errors) }
    }
}
