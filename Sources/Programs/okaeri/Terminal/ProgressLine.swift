import Synchronization

/// The progress of a long replay, on one line of standard error. Nothing is shown of a short one.
final class ProgressLine: Sendable {
    private static let delay = Duration.milliseconds(500)
    private static let interval = Duration.milliseconds(100)

    private let began: ContinuousClock.Instant
    private let now: @Sendable () -> ContinuousClock.Instant
    private let write: @Sendable (String) -> Void
    /// The time of the last line; `nil` while it is not shown.
    private let shown = Mutex<ContinuousClock.Instant?>(nil)

    /// - Parameters:
    ///   - now: the present.
    ///   - write: Writes the line.
    init(
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        write: @escaping @Sendable (String) -> Void = { try? Terminal.write($0, to: .errors) }
    ) {
        began = now()
        self.now = now
        self.write = write
    }

    func update(read: UInt64, size: UInt64?) {
        let now = now()
        let isDue = shown.withLock { shown in
            guard now - began > Self.delay, shown.map({ now - $0 > Self.interval }) ?? true else { return false }
            shown = now
            return true
        }
        guard isDue else { return }
        let amount = "\(read >> 20) MiB"
        let part = size.flatMap { $0 > 0 ? "  \(Self.percent(read, of: $0)) %" : nil } ?? ""
        write("\r\u{1B}[K\(amount)\(part)")
    }

    func clear() {
        let wasShown = shown.withLock { shown in
            defer { shown = nil }
            return shown != nil
        }
        if wasShown { write("\r\u{1B}[K") }
    }

    private static func percent(_ read: UInt64, of size: UInt64) -> Int {
        Int((min(1, Double(read) / Double(size)) * 100).rounded(.down))
    }
}
