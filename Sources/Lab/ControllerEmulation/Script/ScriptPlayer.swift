/// Gives the lines of one source out when their time has come.
struct ScriptPlayer: Sendable {
    /// Lines in their turn, the next one first, with the moment when their source began.
    private var lines: [(line: ScriptLine, origin: Int64)] = []

    private var done = 0

    /// Lines with a time of their own, the earliest first.
    private var timed: [(due: Int64, line: ScriptLine)] = []

    /// The event that the next line of `lines` waits for; `nil`: nothing but `cursor`.
    private var event: Event?

    /// The time of the next line. It is that and not the clock which a `wait` adds to, so that waits do not drift.
    private var cursor: Int64 = .min

    /// An event without a known time that a line waits for.
    private enum Event: Sendable {
        case scan
        case noScan
    }

    /// Adds the lines of a script that begins now, or a line that was just read.
    mutating func append(_ new: [ScriptLine], at now: Int64) {
        if done == lines.count, event == nil { cursor = max(cursor, now) }
        lines += new.map { ($0, now) }
    }

    mutating func next(at now: Int64, isScanning: Bool) -> ScriptLine? {
        while true {
            endWait(at: now, isScanning: isScanning)
            let isInTurn = event == nil && done < lines.count && cursor <= now
            if let first = timed.first, first.due <= now, !isInTurn || first.due < cursor {
                return timed.removeFirst().line
            }
            guard isInTurn else { return nil }
            let (line, origin) = take()
            if let time = line.time {
                let due = origin + time
                timed.insert((due, line), at: timed.firstIndex { $0.due > due } ?? timed.endIndex)
            } else if case .wait(let wait) = line.instruction {
                switch wait {
                case .time(let time): cursor += time
                case .scan: event = .scan
                case .noScan: event = .noScan
                }
            } else {
                return line
            }
        }
    }

    private mutating func endWait(at now: Int64, isScanning: Bool) {
        let isOver: Bool
        switch event {
        case .none: return
        case .scan: isOver = isScanning
        case .noScan: isOver = !isScanning
        }
        if isOver {
            event = nil
            cursor = now
        }
    }

    /// The time of the next line; `nil` if none is due, or none before an event.
    var nextDeadline: Int64? {
        let inTurn = event == nil && done < lines.count ? cursor : nil
        return [inTurn, timed.first?.due].compactMap(\.self).min()
    }

    private mutating func take() -> (line: ScriptLine, origin: Int64) {
        let next = lines[done]
        done += 1
        if done == lines.count {
            lines = []
            done = 0
        }
        return next
    }
}
